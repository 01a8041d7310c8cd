"""A stick drives a humanoid robot in MuJoCo: kinematically, and with a PD controller on a fixed base.

python robot_stick.py [MODEL.xml [CLIPS...]] [--seconds 10] [--random] [--pictures FOLDER] [--view]

Without arguments: the humanoid of the examples, and the built-in clips. A planner gives the next half second at 50 Hz, ten times a
second, as a tracking controller would take it. --random moves the stick at random; --pictures writes a strip of the motion and the use
of the ranges of all hinges; --view shows the robot in MuJoCo's window.
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
    database = footwork.build([motion.to_clip() for motion in motions])
    # Hinges cannot follow legs that are bent to places of feet: their joints turn about any axis.
    hinged = {"matcher": {"feet": {"enabled": False}, "transition": {"feet_half_life_s": 0}}}
    character = footwork.Character(database, hinged)
    print(f"{len(motions)} clips, planted feet slide {report['planted_slide_cm_s']:.2f} cm/s")

    # The plan is at most a fifth faster than the clips, of which some frames are not taken as the measure.
    speeds = np.abs(np.concatenate([motion.qvel[:, 6:] for motion in motions]))
    fastest = 1.2 * np.quantile(speeds, 0.999, axis=0).max()
    sticks = random_sticks(options.seconds) if options.random else ahead_and_round(options.seconds)
    qpos, qvel, shown = drive(robot, footwork.Crowd(character, 1), sticks, fastest)
    places = kinematics(options.model, qpos, options.view)
    print(f"bodies: at most {1000 * np.abs(places - robot.place(qpos)[0]).max():.4f} mm from those of MuJoCo")
    low, high = robot.ranges.T
    outside = ((qpos[:, 7:] < low) | (qpos[:, 7:] > high)).sum()
    print(f"{len(qpos)} frames: {outside} angles out of range, fastest hinge {np.abs(qvel[:, 6:]).max():.2f} of {fastest:.2f} rad/s")
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
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--view", action="store_true")
    return parser.parse_args()


def built_in():
    """Returns the built-in clips of walking and running ahead on level ground."""
    return [clip for clip in footwork.built_in_clips() if clip.name.startswith(GAITS)]


def ahead_and_round(seconds):
    """Returns a stick per plan: ahead for three seconds, then in a circle."""
    angles = np.maximum(0, np.arange(0, seconds, REPLAN_FRAMES / RATE_HZ) - 3) * 0.8
    return 0.8 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1).astype(np.float32)


def random_sticks(seconds):
    """Returns a stick per plan, which changes after 0.3 to 3 seconds."""
    random, sticks = np.random.default_rng(1), []
    while len(sticks) < seconds * RATE_HZ / REPLAN_FRAMES:
        angle, push = random.uniform(0, 2 * np.pi), random.choice([0, random.uniform(0.2, 1), 1])
        sticks += [(push * np.sin(angle), 0, push * np.cos(angle))] * random.integers(3, 30)
    return np.array(sticks[: int(seconds * RATE_HZ / REPLAN_FRAMES)], np.float32)


def drive(robot, planner, sticks, fastest):
    """Follows plans that are renewed every tenth of a second. Returns qpos, qvel, and the poses in the world as `film` takes them."""
    qpos, qvel, shown = [], [], []
    reached = robot.qpos(planner)
    for stick in sticks[:, None]:
        plan, speeds = robot.plan(planner, stick, PLAN_FRAMES, RATE_HZ, start=reached, max_speed=fastest)
        qpos.extend(plan[0, :REPLAN_FRAMES])
        qvel.extend(speeds[0, :REPLAN_FRAMES])
        reached = plan[:, REPLAN_FRAMES]
        for _ in range(REPLAN_FRAMES):
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
