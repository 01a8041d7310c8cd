"""Retargets clips of LAFAN1's skeleton to the Unitree G1 by footwork and by GMR, and measures both in the same way.

python compare_gmr.py GMR_FOLDER G1.xml CLIPS...

GMR (General Motion Retargeting, https://github.com/YanjieZe/GMR, MIT licence) is a clone of its repository, with its packages:
pip install mink mujoco qpsolvers rich scipy. Clips are BVH in centimetres at one rate, as LAFAN1 has them.
"""

import sys
import time
import types
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import footwork

# From +Y up, +Z ahead: to the world of GMR, and to that of footwork's robots, which have +X ahead.
TO_GMR = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
TO_ROBOT = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], float)
# The spheres below the sole of the G1: heel, front; metres.
RADIUS_M = 0.005
CORNERS = np.array([[-0.05, 0.025, -0.03], [-0.05, -0.025, -0.03], [0.12, 0.03, -0.03], [0.12, -0.03, -0.03]])
FRONT = slice(2, 4)
# A toe of the source is planted below this speed, at most this much above its lowest twentieth of frames.
PLANTED_MPS, PLANTED_M = 0.15, 0.025
# Number of times that GMR solves the first frame, from the standing pose at the place of the source's hips.
SETTLES = 100
LEGS = [("{}UpLeg", "{}Leg", "{}_hip_yaw_link", "{}_knee_link"), ("{}Leg", "{}Foot", "{}_knee_link", "{}_ankle_roll_link")]
ARMS = [
    ("{}Arm", "{}ForeArm", "{}_shoulder_yaw_link", "{}_elbow_link"),
    ("{}ForeArm", "{}Hand", "{}_elbow_link", "{}_wrist_yaw_link"),
]


def main():
    gmr_folder, model, *paths = sys.argv[1:]
    robot = footwork.Robot(model)
    clips = footwork.read_clips(paths)
    seconds = sum(len(clip.translations) / clip.rate_hz for clip in clips)
    started = time.perf_counter()
    motions, _ = footwork.retarget_robot(clips, robot, rate_hz=clips[0].rate_hz)
    took = {"footwork": time.perf_counter() - started}
    ours = [motion.qpos for motion in motions]
    places = [world(clip) for clip in clips]
    started = time.perf_counter()
    theirs = [by_gmr(gmr_folder, clip, *place) for clip, place in zip(clips, places)]
    took["GMR"] = time.perf_counter() - started
    print(f"{len(clips)} clips, {seconds:.0f} s")
    for name, poses, to_world in (("footwork", ours, TO_ROBOT), ("GMR", theirs, TO_GMR)):
        parts = [measure(robot, clip, place[0] @ to_world.T, qpos) for clip, place, qpos in zip(clips, places, poses)]
        every = {key: np.concatenate([part[key].ravel() for part in parts]) for key in parts[0]}
        print(f"{name}: {1000 * took[name] / seconds:.0f} ms per second of motion")
        print(f"  planted feet slide {100 * every['slide'].mean():.2f} cm/s (source: {100 * every['source'].mean():.2f})")
        print(f"  depth below the ground, 99 %: {100 * np.quantile(every['depth'], 0.99):.2f} cm, most {100 * every['depth'].max():.2f} cm")
        print(f"  angles out of range: {every['outside'].sum()}, hinges 99.9 %: {np.quantile(every['speed'], 0.999):.1f} rad/s")
        print(f"  greatest acceleration of the root {every['root'].max():.0f} m/s2 (source: {every['hips'].max():.0f})")
        print(f"  bones of legs {every['legs'].mean():.1f}, of arms {every['arms'].mean():.1f} degrees from the source's")


def world(clip):
    """Returns positions (frames, joints, 3) and rotations (frames x joints) of a clip in its world."""
    frames, joints = clip.translations.shape[:2]
    positions, rotations = np.zeros((frames, joints, 3)), [None] * joints
    for j, parent in enumerate(clip.parents):
        rotations[j] = Rotation.from_quat(clip.rotations[:, j])
        positions[:, j] = clip.translations[:, j]
        if parent >= 0:
            positions[:, j] = positions[:, parent] + rotations[parent].apply(positions[:, j])
            rotations[j] = rotations[parent] * rotations[j]
    return positions, rotations


def by_gmr(folder, clip, positions, rotations):
    """Returns qpos (frames, 7 + hinges) by GMR. Its package is imported without its viewer, which needs more packages."""
    package = types.ModuleType("general_motion_retargeting")
    package.__path__ = [str(Path(folder) / "general_motion_retargeting")]
    sys.modules.setdefault(package.__name__, package)
    from general_motion_retargeting.motion_retarget import GeneralMotionRetargeting

    positions = positions @ TO_GMR.T
    turn = Rotation.from_matrix(TO_GMR)
    index = {name: j for j, name in enumerate(clip.joints)}
    hips = rotations[index["Hips"]][0]
    rotations = [(turn * rotation).as_quat(scalar_first=True) for rotation in rotations]
    retargeting = GeneralMotionRetargeting(src_human="bvh", tgt_robot="unitree_g1", actual_human_height=1.75)
    start = retargeting.configuration.data.qpos.copy()
    start[:3] = positions[0, index["Hips"]]
    start[3:7] = (turn * hips * Rotation.from_quat([0.5, 0.5, 0.5, 0.5])).as_quat(scalar_first=True)
    retargeting.configuration.update(start)
    qpos = []
    for f in range(len(positions)):
        frame = {name: (positions[f, j], rotations[j][f]) for name, j in index.items()}
        for side in ("Left", "Right"):
            foot, toe = index[f"{side}Foot"], index[f"{side}Toe"]
            frame[f"{side}FootMod"] = (positions[f, foot], rotations[toe][f])
        for _ in range(SETTLES if f == 0 else 1):
            solved = retargeting.retarget(frame)
        qpos.append(solved)
    return np.array(qpos)


def measure(robot, clip, source, qpos):
    """Returns slide of planted feet and speeds of their source, depths, speeds of hinges, angles out of range, angles of bones."""
    frames = min(len(source), len(qpos))
    source, qpos, rate_hz = source[:frames], qpos[:frames], clip.rate_hz
    positions, rotations = robot.place(np.ascontiguousarray(qpos))
    body = {name: b for b, name in enumerate(robot.bodies)}
    joint = {name: j for j, name in enumerate(clip.joints)}
    slide, speeds, lowest = [], [], []
    for side in ("Left", "Right"):
        foot = body[f"{side.lower()}_ankle_roll_link"]
        turn = Rotation.from_quat(rotations[:, foot], scalar_first=True).as_matrix()
        corners = positions[:, foot, None] + np.einsum("fij,cj->fci", turn, CORNERS)
        lowest.append(corners[..., 2].min(axis=1) - RADIUS_M)
        toe = source[:, joint[f"{side}Toe"]]
        moved = np.diff(toe, axis=0) * rate_hz
        low = toe[1:, 2] < np.quantile(toe[:, 2], 0.05) + PLANTED_M
        planted = (np.linalg.norm(moved, axis=1) < PLANTED_MPS) & low
        front = np.diff(corners[:, FRONT].mean(axis=1), axis=0) * rate_hz
        slide.append(np.linalg.norm(front[planted, :2], axis=1))
        speeds.append(np.linalg.norm(moved[planted, :2], axis=1))

    def angles(bones):
        result = []
        for side in ("Left", "Right"):
            for a, b, c, d in bones:
                there = source[:, joint[b.format(side)]] - source[:, joint[a.format(side)]]
                here = positions[:, body[d.format(side.lower())]] - positions[:, body[c.format(side.lower())]]
                cosine = (there * here).sum(axis=1) / np.linalg.norm(there, axis=1) / np.linalg.norm(here, axis=1)
                result.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        return np.array(result)

    def accelerations(path):
        return np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * rate_hz**2

    low, high = robot.ranges.T
    return {
        "slide": np.concatenate(slide),
        "source": np.concatenate(speeds),
        "depth": np.maximum(0, -np.minimum(*lowest)),
        "speed": np.abs(np.diff(qpos[:, 7:], axis=0)) * rate_hz,
        "outside": (qpos[:, 7:] < low - 1e-6) | (qpos[:, 7:] > high + 1e-6),
        "root": accelerations(qpos[:, :3]),
        "hips": accelerations(source[:, joint["Hips"]]),
        "legs": angles(LEGS),
        "arms": angles(ARMS),
    }


if __name__ == "__main__":
    main()
