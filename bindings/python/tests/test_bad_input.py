"""Any input is used or rejected by an exception. Nothing crashes, and a rejected step changes nothing."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import footwork

N = 3
REJECTED = (footwork.Error, TypeError)

any_dtype = st.one_of(
    arrays.floating_dtypes(), arrays.integer_dtypes(), arrays.boolean_dtypes(), arrays.complex_number_dtypes(),
    arrays.unicode_string_dtypes(max_len=3), st.just(np.dtype(object)).filter(lambda _: False),
)
any_array = any_dtype.flatmap(lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)))
singles = arrays.arrays(np.float32, st.sampled_from([(N, 2), (N, 3), (N,), (N, 0)]))
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=4),
    st.lists(st.floats(), max_size=4), st.dictionaries(st.text(max_size=4), st.floats(), max_size=2),
    st.tuples(st.text(max_size=4), st.floats()),
)
anything = st.one_of(any_array, singles, scalars, singles.map(lambda a: a[::-1]), singles.map(np.asfortranarray))

CROWD = ["sticks", "run", "looks", "strafe", "camera_yaws", "camera_yaw_rates", "velocities", "facings", "tags", "tag_costs",
         "user", "variables", "look_at", "inputs"]
INPUT = ["stick", "run", "look", "strafe", "camera_yaw", "camera_yaw_rate", "velocity", "facing", "path", "path_speed",
         "trajectory", "tags", "later", "tag_costs", "user", "variables", "look_at", "hands", "body", "obstacles", "action"]
short = settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def crowd(character):
    return footwork.Crowd(character, N, threads=2)


@short
@given(st.dictionaries(st.sampled_from(CROWD), anything, max_size=4), st.one_of(st.floats(0, 0.1), st.floats()))
def test_a_crowd_takes_or_rejects_anything(crowd, inputs, dt):
    before, time = crowd.local_rotations.copy(), crowd.times.copy()
    try:
        crowd.step(dt=dt, **inputs)
    except REJECTED:
        assert (crowd.local_rotations == before).all() and (crowd.times == time).all()
    assert np.isfinite(crowd.world_positions).all()


@short
@given(st.dictionaries(st.sampled_from(INPUT), anything, max_size=4))
def test_a_matcher_takes_or_rejects_anything(character, inputs):
    matcher = footwork.Matcher(character)
    try:
        matcher.step(**inputs)
    except REJECTED:
        assert matcher.time == 0
    assert np.isfinite(matcher.world_positions).all()


@short
@given(anything, anything, anything)
def test_constructors_take_or_reject_anything(database, a, b, c):
    calls = [
        lambda: footwork.Character(a, b),
        lambda: footwork.Crowd(footwork.Character(database), 2, positions=a, yaws=b),
        lambda: footwork.RawClip("a", 30, ["a"], [-1], a, b),
        lambda: footwork.film(database, a, b, c),
        lambda: footwork.Course(a, b),
        lambda: footwork.Database.from_bytes(a),
        lambda: footwork.PoseHash().update(a),
        lambda: footwork.evaluate(database, a, courses=b),
        lambda: footwork.Crowd(footwork.Character(database), 1).load_state_dict(a),
    ]
    for call in calls[2:]:
        try:
            call()
        except (*REJECTED, OverflowError):
            pass


@pytest.fixture(scope="module")
def robot_crowd():
    robot = footwork.Robot(Path(__file__).parents[3] / "examples/robot/person.xml")
    clips = [clip for clip in footwork.built_in_clips() if clip.name in ("idle", "walk_175", "run_320")]
    motions, _ = footwork.retarget_robot(clips, robot)
    database = footwork.build([motion.to_clip() for motion in motions])
    character = footwork.Character(database, {"matcher": {"feet": {"enabled": False}, "transition": {"feet_half_life_s": 0}}})
    return robot, footwork.Crowd(character, N), clips


@short
@given(anything, anything, st.one_of(st.integers(-2, 3), scalars), st.one_of(st.floats(0, 100), scalars))
def test_a_robot_takes_or_rejects_anything(robot_crowd, a, b, frames, rate):
    robot, crowd, clips = robot_crowd
    before, time = crowd.local_rotations.copy(), crowd.times.copy()
    for call in [
        lambda: robot.place(a),
        lambda: robot.qpos(a),
        lambda: robot.plan(crowd, a, frames),
        lambda: robot.plan(crowd, frames=2, rate_hz=rate, velocities=a, facings=b),
        lambda: robot.plan(crowd, frames=2, start=a, max_speed=rate),
        lambda: footwork.retarget_robot(clips, a),
        lambda: footwork.retarget_robot(clips[:1], robot, rate_hz=-abs(rate)),
        lambda: footwork.retarget_robot(clips[:1], robot, max_speed=-abs(rate)),
        lambda: footwork.retarget_robot(clips[:1], robot, parts={"torso": a}),
    ]:
        try:
            call()
        except (*REJECTED, OverflowError, ValueError):
            pass
    assert (crowd.local_rotations == before).all() and (crowd.times == time).all()


@pytest.mark.parametrize("n", [0, -1, 10**9, 2**70, 1.5, "a"])
def test_a_crowd_has_a_sensible_number_of_characters(character, n):
    with pytest.raises((*REJECTED, OverflowError)):
        footwork.Crowd(character, n)


@pytest.mark.parametrize("field", ["sticks", "looks", "camera_yaws", "velocities", "look_at"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_numbers_without_sense_are_rejected_by_name(crowd, field, value):
    shape = (N,) if field == "camera_yaws" else (N, 3)
    given = {"sticks": np.zeros((N, 3), np.float32)} if field != "velocities" else {}
    given[field] = np.zeros(shape, np.float32)
    given[field][1] = value
    before = crowd.world_positions.copy()
    with pytest.raises(footwork.Error) as caught:
        crowd.step(**given)
    assert "character 1" in caught.value.__notes__
    assert (crowd.world_positions == before).all()


def test_unknown_arguments_are_type_errors(crowd, character):
    for call in [lambda: crowd.step(stick=1), lambda: footwork.Input(sticks=1), lambda: footwork.Matcher(character).step(x=1)]:
        with pytest.raises(TypeError, match="unexpected keyword"):
            call()
