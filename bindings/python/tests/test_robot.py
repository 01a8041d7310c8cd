"""Robots: poses agree with MuJoCo's kinematics, files hold them, and a crowd over a robot's database plans within its limits."""

import gc
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import footwork

MODEL = Path(__file__).parents[3] / "examples/robot/person.xml"
NAMES = ["walk_100", "walk_175", "run_320", "idle", "strafe_walk_90_left", "curve_175_radius_150_left"]
RATE_HZ = 50
FREE_FEET = {"matcher": {"feet": {"enabled": False}, "transition": {"feet_half_life_s": 0}}}


@pytest.fixture(scope="module")
def robot():
    return footwork.Robot(MODEL)


@pytest.fixture(scope="module")
def retargeted(robot):
    clips = [clip for clip in footwork.built_in_clips() if clip.name in NAMES]
    assert len(clips) >= 5
    return footwork.retarget_robot(clips, robot)


@pytest.fixture(scope="module")
def walker(robot):
    """Returns the clips of a robot that walks, and a character of them."""
    some = [c for c in footwork.built_in_clips() if c.name.startswith(("idle", "walk", "run", "plant", "stop", "turn"))]
    clips, _ = footwork.retarget_robot(some, robot, rate_hz=RATE_HZ)
    return clips, footwork.Character(footwork.build([clip.to_clip() for clip in clips]), FREE_FEET)


def meets_mujoco(robot, model, poses):
    """Checks positions and rotations of all bodies."""
    mujoco = pytest.importorskip("mujoco")
    data = mujoco.MjData(model)
    assert robot.bodies == [model.body(b).name for b in range(1, model.nbody)]
    assert robot.hinges == [model.joint(j).name for j in range(1, model.njnt)]
    np.testing.assert_allclose(robot.ranges, model.jnt_range[1:], atol=1e-12)
    positions, rotations = robot.place(poses)
    for pose, at, turned in zip(poses, positions, rotations):
        data.qpos = pose
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(at, data.xpos[1:], atol=1e-9)
        np.testing.assert_allclose(np.abs((turned * data.xquat[1:]).sum(axis=1)), 1, atol=1e-9)


def test_bodies_are_where_mujoco_has_them(robot, retargeted):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    for clip in retargeted[0]:
        meets_mujoco(robot, model, clip.qpos[::5])
        speeds = np.zeros(model.nv)
        for before, after, speed in zip(clip.qpos, clip.qpos[1:], clip.qvel):
            mujoco.mj_differentiatePos(model, speeds, 1 / clip.rate_hz, before, after)
            np.testing.assert_allclose(speed, speeds, atol=1e-6)
        assert (clip.qvel[-1] == clip.qvel[-2]).all() and clip.qvel.shape == (len(clip.qpos), model.nv)


def test_bodies_of_a_real_robot_are_where_mujoco_has_them(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    given = os.environ.get("FOOTWORK_DATA")
    if given is None:
        pytest.skip("no FOOTWORK_DATA: no model of a real robot")
    # Its meshes are not there. Bodies without shapes have no mass, of which kinematics makes no use.
    text = re.sub(r'<mesh [^>]*/>|<geom [^>]*type="mesh"[^>]*/>', "", (Path(given) / "robot/g1_29dof.xml").read_text())
    (tmp_path / "g1.xml").write_text(text)
    robot = footwork.Robot(tmp_path / "g1.xml")
    clips = [clip for clip in footwork.built_in_clips() if clip.name in NAMES]
    clips, report = footwork.retarget_robot(clips, robot)
    assert (report["limit_violations"], report["speed_violations"]) == (0, 0)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "g1.xml"))
    meets_mujoco(robot, model, np.concatenate([clip.qpos[::5] for clip in clips]))


def test_ranges_speeds_and_the_ground_hold(robot, retargeted):
    clips, report = retargeted
    assert (report["limit_violations"], report["speed_violations"]) == (0, 0)
    assert report["planted_slide_cm_s"] < report["source_planted_slide_cm_s"] + 1
    assert report["penetration_p99_cm"] < 0.1
    low, high = robot.ranges.T
    for clip in clips:
        angles = clip.qpos[:, 7:]
        assert (angles >= low).all() and (angles <= high).all(), clip.name
        assert np.abs(np.diff(angles, axis=0)).max() * clip.rate_hz <= 20, clip.name
        assert clip.contacts.shape == (len(angles), 2)


def test_files_hold_the_poses(robot, retargeted, tmp_path):
    clip = retargeted[0][0]
    clip.save(tmp_path / "q.csv")
    rows = np.loadtxt(tmp_path / "q.csv", delimiter=",")
    np.testing.assert_array_equal(np.c_[rows[:, :3], rows[:, 6], rows[:, 3:6], rows[:, 7:]], clip.qpos)
    clip.save(tmp_path / "q.npz")
    arrays = np.load(tmp_path / "q.npz")
    assert list(arrays["joint_names"]) == robot.hinges and list(arrays["body_names"]) == robot.bodies
    np.testing.assert_array_equal(arrays["qpos"], clip.qpos)
    np.testing.assert_allclose(arrays["joint_pos"], clip.qpos[:, 7:], atol=1e-6)
    np.testing.assert_allclose(arrays["body_pos_w"], robot.place(clip.qpos)[0], atol=1e-6)
    speeds = np.gradient(clip.qpos[:, 7:], 1 / clip.rate_hz, axis=0)
    np.testing.assert_allclose(arrays["joint_vel"], speeds, atol=1e-4)
    assert arrays["fps"] == [clip.rate_hz] and arrays["body_ang_vel_w"].shape == arrays["body_lin_vel_w"].shape
    with pytest.raises(footwork.Error, match="q.txt"):
        clip.save(tmp_path / "q.txt")


def test_clips_of_a_database_move_a_robot(robot):
    clips = [clip for clip in footwork.built_in_clips() if clip.name in NAMES]
    database = footwork.build(clips)
    own = database.raw_clips()
    assert {clip.name for clip in own} <= {clip.name for clip in database.clips if not clip.mirrored}
    walk = next(clip for clip in own if clip.name == "walk_175")
    stored = next(clip for clip in database.clips if clip.name == "walk_175" and not clip.mirrored)
    frames = slice(stored.first_frame, stored.first_frame + stored.frames)
    np.testing.assert_array_equal(walk.rotations, database.rotations[frames])
    moved = [walk.joints.index(joint) for joint in database.translated_joints]
    np.testing.assert_array_equal(walk.translations[:, moved], database.translations[frames])
    motions, report = footwork.retarget_robot(database, robot)
    assert {motion.name for motion in motions} == {clip.name for clip in own}
    assert (report["limit_violations"], report["speed_violations"]) == (0, 0)


def test_a_plan_is_what_the_crowd_does_next(robot, walker, sticks):
    for threads in (1, 3):
        crowd = footwork.Crowd(walker[1], 4, threads=threads)
        for step in range(0, 120, 30):
            stick = sticks(step, 4)
            before = crowd.world_positions.copy(), crowd.times.copy()
            qpos, qvel = robot.plan(crowd, stick, frames=30, rate_hz=RATE_HZ, max_speed=np.inf, run=True)
            assert qpos.shape == (4, 30, 7 + len(robot.hinges)) and qvel.shape == (4, 30, 6 + len(robot.hinges))
            assert (crowd.world_positions == before[0]).all() and (crowd.times == before[1]).all()
            for frame in range(30):
                np.testing.assert_array_equal(robot.qpos(crowd), qpos[:, frame])
                crowd.step(stick, dt=1 / RATE_HZ, run=True)
            np.testing.assert_allclose(qvel[:, :-1, 6:], np.diff(qpos[:, :, 7:], axis=1) * RATE_HZ, atol=1e-9)


def test_a_random_stick_stays_within_ranges_and_speeds(robot, walker):
    clips, character = walker
    source = np.concatenate([np.abs(clip.qvel[:, 6:]) for clip in clips])
    fastest = np.quantile(source, 0.999, axis=0).max() * 1.2
    qpos, qvel, limited = random_stick(robot, footwork.Crowd(character, 8, threads=2), seconds=8, fastest=fastest)
    low, high = robot.ranges.T
    assert (qpos[..., 7:] >= low).all() and (qpos[..., 7:] <= high).all()
    assert np.abs(qvel[..., 6:]).max() <= fastest * (1 + 1e-9)
    # From plan to plan as well; and it is rare that a hinge has to wait.
    assert np.abs(np.diff(qpos[..., 7:], axis=0)).max() * RATE_HZ <= fastest * (1 + 1e-9)
    assert limited < 0.002
    heights = lowest_points(robot, qpos.reshape(-1, qpos.shape[-1]))
    assert heights.min() > -0.001 and np.quantile(heights, 0.99) < 0.15


def lowest_points(robot, poses):
    """Returns the height of the lowest corner of the boxes of both feet, for each pose."""
    corners = np.array([(x, y, -0.05) for x in (-0.055, 0.145) for y in (-0.035, 0.035)])
    positions, rotations = robot.place(poses)
    heights = []
    for foot in ("left_foot", "right_foot"):
        body = robot.bodies.index(foot)
        w, x, y, z = rotations[:, body].T
        # The last row of the matrix of a rotation.
        up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
        heights.append(positions[:, body, 2, None] + up @ corners.T)
    return np.concatenate(heights, axis=1).min(axis=1)


def random_stick(robot, crowd, seconds, fastest, seed=1):
    """Drives a crowd by sticks that change at random. Returns qpos and qvel (steps, n, values), and the share of limited angles."""
    random = np.random.default_rng(seed)
    qpos, qvel, limited = [], [], []
    left = np.zeros(crowd.n, int)
    stick, run = np.zeros((crowd.n, 3), np.float32), np.zeros(crowd.n, bool)
    start = robot.qpos(crowd)
    for _ in range(int(seconds * 10)):
        for i in np.flatnonzero(left == 0):
            angle, push = random.uniform(0, 2 * np.pi), random.choice([0, random.uniform(0.2, 1), 1])
            stick[i] = push * np.sin(angle), 0, push * np.cos(angle)
            run[i], left[i] = random.random() < 0.3, random.integers(3, 30)
        left -= 1
        plan, speeds = robot.plan(crowd, stick, frames=10, rate_hz=RATE_HZ, start=start, max_speed=fastest, run=run)
        qpos.extend(plan[:, :5].swapaxes(0, 1))
        qvel.extend(speeds[:, :5].swapaxes(0, 1))
        start = plan[:, 5]
        for _ in range(5):
            crowd.step(stick, dt=1 / RATE_HZ, run=run)
        limited.append((start != robot.qpos(crowd)).mean())
    return np.array(qpos), np.array(qvel), np.mean(limited)


def test_arrays_outlive_their_clips_and_a_crowd_has_one_user(robot, walker, retargeted):
    clips, _ = footwork.retarget_robot([clip for clip in footwork.built_in_clips() if clip.name == "walk_175"], robot)
    poses, contacts, copy = clips[0].qpos, clips[0].contacts, clips[0].qpos.copy()
    del clips
    gc.collect()
    assert (poses == copy).all() and contacts.shape == (len(copy), 2) and not poses.flags.writeable
    crowd, errors, stop = footwork.Crowd(walker[1], 8), [], threading.Event()

    def plans():
        while not stop.is_set():
            try:
                assert np.isfinite(robot.plan(crowd, frames=50)[0]).all()
            except footwork.Error as error:
                errors.append(str(error))

    threads = [threading.Thread(target=plans) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors and all("another thread" in error for error in errors)


def test_mistakes_are_exceptions(robot, walker, character, retargeted, tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody>\n<body><joint type='ball'/></body></worldbody></mujoco>")
    with pytest.raises(footwork.Error, match="bad.xml"):
        footwork.Robot(tmp_path / "bad.xml")
    with pytest.raises(footwork.Error, match="none.xml"):
        footwork.Robot(tmp_path / "none.xml")
    poses = retargeted[0][0].qpos[:3].copy()
    for wrong in [np.zeros((2, 3)), poses.astype(np.float32), poses[0], poses.tolist(), None]:
        with pytest.raises(footwork.Error, match="qpos"):
            robot.place(wrong)
    for row in [np.nan, np.inf], [0, 0], [1e400]:
        broken = poses.copy()
        broken[1, 3 : 3 + len(row)] = row
        broken[1, 5:7] = 0
        with pytest.raises(footwork.Error, match="row 1"):
            robot.place(broken)
    clips = footwork.built_in_clips()[:1]
    for options, match in [
        ({"max_speed": -1.0}, "maximum speed"),
        ({"max_speed": np.nan}, "maximum speed"),
        ({"rate_hz": np.nan}, "rate"),
        ({"rate_hz": -5.0}, "rate"),
        ({"parts": {"left_knee": "no_such_hinge"}}, "no_such_hinge"),
        ({"parts": {"left_wing": "left_knee"}}, "left_wing"),
        ({"roles": {"hips": "NoSuchJoint"}}, "NoSuchJoint"),
    ]:
        with pytest.raises(footwork.Error, match=match):
            footwork.retarget_robot(clips, robot, **options)
    other = footwork.Crowd(character, 1)
    with pytest.raises(footwork.Error, match="joints of robot `person`"):
        robot.qpos(other)
    crowd = footwork.Crowd(walker[1], 2)
    with pytest.raises(footwork.Error, match="joints of robot"):
        robot.plan(other)
    locked = footwork.Character(footwork.build([clip.to_clip() for clip in retargeted[0]]))
    with pytest.raises(footwork.Error, match="not bent to places of feet"):
        robot.qpos(footwork.Crowd(locked, 1))
    for options, match in [
        ({"frames": 0}, "frames"),
        ({"frames": 10**6}, "frames"),
        ({"max_speed": 0.0}, "max_speed"),
        ({"max_speed": np.nan}, "max_speed"),
        ({"start": np.zeros((2, 3))}, "start"),
        ({"start": np.zeros((2, 7 + len(robot.hinges)))}, "start"),
        ({"rate_hz": 0.0}, "rate_hz"),
        ({"rate_hz": np.nan}, "rate_hz"),
        ({"sticks": np.zeros((3, 3), np.float32)}, "sticks"),
        ({"sticks": np.zeros((2, 3))}, "float32"),
        ({"sticks": np.full((2, 3), np.nan, np.float32)}, "stick"),
    ]:
        with pytest.raises(footwork.Error, match=match):
            robot.plan(crowd, **options)
    for wrong in [lambda: robot.plan(crowd, stick=1), lambda: robot.qpos(1), lambda: robot.plan(None)]:
        with pytest.raises(TypeError):
            wrong()
