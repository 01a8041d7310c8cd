"""Robots: poses agree with MuJoCo's kinematics, files hold them, and a crowd over a robot's database gives them back."""

from pathlib import Path

import numpy as np
import pytest

import footwork

MODEL = Path(__file__).parents[3] / "examples/robot/person.xml"
NAMES = ["walk_100", "walk_175", "run_320", "idle", "strafe_walk_90_left", "curve_175_radius_150_left"]


@pytest.fixture(scope="module")
def robot():
    return footwork.Robot(MODEL)


@pytest.fixture(scope="module")
def retargeted(robot):
    clips = [clip for clip in footwork.built_in_clips() if clip.name in NAMES]
    assert len(clips) >= 5
    return footwork.retarget_robot(clips, robot)


def test_bodies_are_where_mujoco_has_them(robot, retargeted):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    data = mujoco.MjData(model)
    assert robot.bodies == [model.body(b).name for b in range(1, model.nbody)]
    assert robot.hinges == [model.joint(j).name for j in range(1, model.njnt)]
    np.testing.assert_allclose(robot.ranges, model.jnt_range[1:], atol=1e-12)
    for clip in retargeted[0]:
        positions, rotations = robot.place(clip.qpos)
        for frame in range(0, len(clip.qpos), 5):
            data.qpos = clip.qpos[frame]
            mujoco.mj_kinematics(model, data)
            np.testing.assert_allclose(positions[frame], data.xpos[1:], atol=1e-9)
            np.testing.assert_allclose(np.abs((rotations[frame] * data.xquat[1:]).sum(axis=1)), 1, atol=1e-9)


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


def test_a_crowd_on_the_robot_gives_its_poses(robot, retargeted, sticks):
    database = footwork.build([clip.to_clip() for clip in retargeted[0]])
    crowd = footwork.Crowd(footwork.Character(database), 4)
    low, high = robot.ranges.T
    heights = []
    for step in range(150):
        crowd.step(sticks=sticks(step, 4), dt=1 / 50)
        qpos = robot.qpos(database.joints, database.parents, crowd.local_positions, crowd.local_rotations)
        assert np.isfinite(qpos).all() and (qpos[:, 7:] >= low).all() and (qpos[:, 7:] <= high).all()
        heights.append(qpos[:, 2])
    heights = np.concatenate(heights)
    standing = retargeted[0][0].qpos[:, 2].mean()
    assert (np.abs(heights - standing) < 0.2).all()


def test_mistakes_are_exceptions(robot, tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody>\n<body><joint type='ball'/></body></worldbody></mujoco>")
    with pytest.raises(footwork.Error, match="bad.xml"):
        footwork.Robot(tmp_path / "bad.xml")
    with pytest.raises(footwork.Error, match="qpos"):
        robot.place(np.zeros((2, 3)))
    with pytest.raises(footwork.Error, match="maximum speed"):
        footwork.retarget_robot(footwork.built_in_clips()[:1], robot, max_speed=-1.0)
