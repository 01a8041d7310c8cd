"""A stick drives a humanoid robot in MuJoCo: kinematically, and with a PD controller on a fixed base.

python robot_stick.py [MODEL.xml [CLIPS...]] [--seconds 10] [--pictures FOLDER] [--view]

Without arguments: the humanoid of the examples, and the built-in clips. A planner gives the next half second at 50 Hz, ten times a
second, as a tracking controller would take it. --pictures writes a strip of the motion and the use of the ranges of all hinges;
--view shows the robot in MuJoCo's window.
"""

import argparse
import time
from pathlib import Path

import mujoco
import numpy as np

import footwork

RATE_HZ = 50
PLAN_FRAMES = 25
REPLAN_FRAMES = 5
# Steps of the simulation per frame, and the gains of the controller, in N m / rad and N m s / rad.
SUBSTEPS = 20
STIFFNESS, DAMPING = 300.0, 6.0
GAITS = ("idle", "walk", "run", "change", "start", "stop", "curve", "turn", "plant")


def main():
    options = arguments()
    robot = footwork.Robot(options.model)
    motions, report = footwork.retarget_robot(options.clips or built_in(), robot, rate_hz=RATE_HZ)
    # Hinges cannot follow a foot lock, which turns ankles about any axis.
    database = footwork.build([motion.to_clip() for motion in motions])
    character = footwork.Character(database, {"matcher": {"feet": {"enabled": False}}})
    print(f"{len(motions)} clips, planted feet slide {report['planted_slide_cm_s']:.2f} cm/s")

    qpos, qvel, shown = drive(robot, footwork.Crowd(character, 1), int(options.seconds * RATE_HZ))
    places = kinematics(options.model, qpos, options.view)
    print(f"bodies: at most {1000 * np.abs(places - robot.place(qpos)[0]).max():.4f} mm from those of MuJoCo")
    print(f"fastest hinge {np.abs(qvel[:, 6:]).max():.1f} rad/s; in the clips {max(np.abs(m.qvel[:, 6:]).max() for m in motions):.1f}")
    tracked = track(options.model, qpos[:, 7:], qvel[:, 6:])
    off = np.degrees(np.sqrt(np.mean((tracked - qpos[:, 7:]) ** 2)))
    print(f"controller on a fixed base: {off:.1f} degrees from the plan (root mean square)")
    print(f"the robot walked to {qpos[-1, 0]:.2f} m, {qpos[-1, 1]:.2f} m")
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
        positions, rotations, contacts = (np.array(part) for part in zip(*shown))
        strip = footwork.film(character, positions, rotations, contacts, rate_hz=RATE_HZ, title=robot.name, every=0.4)
        strip.save(options.pictures / "robot.png")
        plot_ranges(robot, qpos[:, 7:], tracked, options.pictures / "ranges.png")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", default=Path(__file__).parents[3] / "examples/robot/person.xml")
    parser.add_argument("clips", nargs="*", help="motion files with one skeleton")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--view", action="store_true")
    return parser.parse_args()


def built_in():
    """Returns the built-in clips of walking and running ahead on level ground."""
    return [clip for clip in footwork.built_in_clips() if clip.name.startswith(GAITS)]


def stick_at(seconds):
    """Ahead for three seconds, then in a circle."""
    angle = max(0.0, seconds - 3) * 0.8
    return np.array([[np.sin(angle), 0, np.cos(angle)]], np.float32) * 0.8


def drive(robot, planner, frames):
    """Follows plans that are renewed every tenth of a second. Returns qpos, qvel, and the poses in the world as `film` takes them."""
    qpos, qvel, shown = [], [], []
    reached = robot.qpos(planner)
    for frame in range(frames):
        stick = stick_at(frame // REPLAN_FRAMES * REPLAN_FRAMES / RATE_HZ)
        if frame % REPLAN_FRAMES == 0:
            plan, speeds = robot.plan(planner, stick, frames=PLAN_FRAMES, rate_hz=RATE_HZ, start=reached)
            reached = plan[:, REPLAN_FRAMES]
        qpos.append(plan[0, frame % REPLAN_FRAMES])
        qvel.append(speeds[0, frame % REPLAN_FRAMES])
        shown.append([planner.world_positions[0].copy(), planner.world_rotations[0].copy(), planner.contacts[0].copy()])
        planner.step(stick, dt=1 / RATE_HZ)
    return np.array(qpos), np.array(qvel), shown


def kinematics(model_path, qpos, view):
    """Shows poses, without dynamics. Returns where MuJoCo has the bodies: (frames, bodies, 3)."""
    model = mujoco.MjModel.from_xml_path(str(model_path))
    data = mujoco.MjData(model)
    if view:
        from mujoco import viewer

        window = viewer.launch_passive(model, data)
    places = []
    for pose in qpos:
        data.qpos = pose
        mujoco.mj_kinematics(model, data)
        places.append(data.xpos[1:].copy())
        if view:
            window.sync()
            time.sleep(1 / RATE_HZ)
    return np.array(places)


def track(model_path, angles, speeds):
    """Lets a PD controller on each hinge follow the angles while the root is fixed. Returns the angles that the simulation reaches."""
    spec = mujoco.MjSpec.from_file(str(model_path))
    for part in [*spec.actuators, *(joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE)]:
        spec.delete(part)
    for joint in spec.joints:
        actuator = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=STIFFNESS, kv=DAMPING)
    spec.option.timestep = 1 / (RATE_HZ * SUBSTEPS)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # The base hangs in the air, and parts do not touch.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos = angles[0]
    reached = []
    for angle, speed in zip(angles, speeds):
        reached.append(data.qpos.copy())
        for k in range(SUBSTEPS):
            # The actuators damp all motion: the second part takes back what they damp of the plan's.
            data.ctrl = angle + speed * (k / (RATE_HZ * SUBSTEPS) + DAMPING / STIFFNESS)
            mujoco.mj_step(model, data)
    return np.array(reached)


def plot_ranges(robot, planned, tracked, path):
    """Draws the range of each hinge, and what the plan and the simulation use of it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.25 * len(robot.hinges) + 1), layout="constrained")
    axes = figure.add_subplot()
    rows = np.arange(len(robot.hinges))
    low, high = np.degrees(np.clip(robot.ranges, -np.pi, np.pi)).T
    axes.barh(rows, high - low, left=low, height=0.8, color="0.88", label="range")
    for angles, height, color, label in [(planned, 0.5, "tab:blue", "plan"), (tracked, 0.15, "tab:orange", "controller")]:
        least, most = np.degrees(angles.min(axis=0)), np.degrees(angles.max(axis=0))
        axes.barh(rows, most - least, left=least, height=height, color=color, label=label)
    axes.set_yticks(rows, robot.hinges, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("angle, degrees")
    axes.legend(loc="lower right", fontsize=7)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
