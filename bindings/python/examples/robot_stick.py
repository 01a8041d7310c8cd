"""A stick drives a humanoid robot: a planner that gives the next half second as qpos and qvel, ten times a second.

python robot_stick.py [MODEL.xml [CLIPS]] [--view]

Without arguments: the humanoid of the examples, and the built-in clips. --view shows it in MuJoCo's window, kinematically.
"""

import sys
import time
from pathlib import Path

import mujoco
import numpy as np

import footwork

RATE_HZ = 50
PLAN_FRAMES = 25
REPLAN_FRAMES = 5


def main(model_path, clips, view):
    robot = footwork.Robot(model_path)
    motions, report = footwork.retarget_robot(clips, robot, rate_hz=RATE_HZ)
    database = footwork.build([motion.to_clip() for motion in motions])
    planner = footwork.Crowd(footwork.Character(database), 1)
    model = mujoco.MjModel.from_xml_path(str(model_path))
    data = mujoco.MjData(model)
    window = mujoco.viewer.launch_passive(model, data) if view else None
    plan, fastest = None, 0.0
    for frame in range(10 * RATE_HZ):
        stick = stick_at(frame / RATE_HZ)
        if frame % REPLAN_FRAMES == 0:
            plan = look_ahead(robot, database, planner, stick)
            speeds = velocities(model, plan)
            fastest = max(fastest, np.abs(speeds[:, 6:]).max())
        planner.step(sticks=stick, dt=1 / RATE_HZ)
        data.qpos = pose_of(robot, database, planner)
        mujoco.mj_kinematics(model, data)
        if window:
            window.sync()
            time.sleep(1 / RATE_HZ)
    print(f"{len(motions)} clips, planted feet slide {report['planted_slide_cm_s']:.2f} cm/s")
    print(f"plan: {len(plan)} frames of {plan.shape[1]} values; fastest hinge {fastest:.1f} rad/s")
    print(f"the robot walked to {data.qpos[0]:.2f} m, {data.qpos[1]:.2f} m")


def stick_at(seconds):
    """Ahead for three seconds, then in a circle."""
    angle = max(0.0, seconds - 3) * 0.8
    return np.array([[np.sin(angle), 0, np.cos(angle)]], np.float32) * 0.8


def pose_of(robot, database, planner):
    return robot.qpos(database.joints, database.parents, planner.local_positions, planner.local_rotations)[0]


def look_ahead(robot, database, planner, stick):
    """Returns the next frames if the stick stays as it is. The planner itself does not move."""
    state = planner.state_dict()
    frames = []
    for _ in range(PLAN_FRAMES):
        planner.step(sticks=stick, dt=1 / RATE_HZ)
        frames.append(pose_of(robot, database, planner))
    planner.load_state_dict(state)
    return np.stack(frames)


def velocities(model, plan):
    """Returns qvel between the frames of a plan."""
    speeds = np.zeros((len(plan) - 1, model.nv))
    for row, before, after in zip(speeds, plan, plan[1:]):
        mujoco.mj_differentiatePos(model, row, 1 / RATE_HZ, before, after)
    return speeds


if __name__ == "__main__":
    view = "--view" in sys.argv
    if view:
        import mujoco.viewer
    given = [argument for argument in sys.argv[1:] if argument != "--view"]
    person = Path(__file__).parents[3] / "examples/robot/person.xml"
    built_in = lambda: [c for c in footwork.built_in_clips() if not c.name.startswith(("step_", "slope", "stairs"))]
    main(given[0] if given else person, given[1:] or built_in(), view)
