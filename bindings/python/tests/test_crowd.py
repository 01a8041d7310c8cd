"""Crowds: the same bits as single characters, views of one block, states, memory."""

import gc
import threading

import numpy as np
import pytest

import footwork

ARRAYS = [
    "local_positions", "local_rotations", "world_positions", "world_rotations", "root_velocities", "root_yaw_rates",
    "contacts", "clips", "clip_times", "mirrored", "times", "searches", "transitions", "stranded",
]


def test_a_crowd_has_the_bits_of_single_characters_with_any_number_of_threads(character, sticks):
    n = 13
    crowds = [footwork.Crowd(character, n, threads=threads) for threads in (1, 2, 5)]
    matchers = [footwork.Matcher(character) for _ in range(n)]
    for step in range(240):
        given, run = sticks(step, n), np.arange(n) % 3 == 0
        for crowd in crowds:
            crowd.step(sticks=given, run=run, dt=1 / 60)
        for i, matcher in enumerate(matchers):
            matcher.step(stick=given[i].tolist(), run=bool(run[i]), dt=1 / 60)
    for crowd in crowds:
        for i, matcher in enumerate(matchers):
            assert crowd.local_rotations[i].tobytes() == matcher.local_rotations.tobytes()
            assert crowd.world_positions[i].tobytes() == matcher.world_positions.tobytes()
            assert crowd.root_velocities[i].tobytes() == matcher.root_velocity.tobytes()
            assert (crowd.contacts[i] == matcher.contacts).all()
            assert (crowd.clips[i], crowd.clip_times[i]) == (matcher.clip, matcher.clip_time)
            assert crowd.times[i] == matcher.time
    assert len({crowds[0].world_positions[i].tobytes() for i in range(n)}) == n


def test_inputs_as_objects_have_the_bits_of_arrays(character, sticks):
    n = 4
    arrays, objects = footwork.Crowd(character, n), footwork.Crowd(character, n)
    facings = np.linspace(-1, 1, n, dtype=np.float32)
    for step in range(120):
        velocities = 2 * sticks(step, n)
        arrays.step(velocities=velocities, facings=facings, tags="!crouch", tag_costs=[("walk", 0.5)])
        each = zip(velocities.tolist(), facings.tolist())
        objects.step(
            inputs=[
                footwork.Input(velocity=v, facing=f, tags="!crouch", tag_costs=[("walk", 0.5)]) for v, f in each
            ]
        )
    assert arrays.local_rotations.tobytes() == objects.local_rotations.tobytes()


def test_positions_in_the_world_follow_from_local_transforms(character, sticks):
    crowd = footwork.Crowd(character, 3)
    for step in range(100):
        crowd.step(sticks(step, 3))
    for i in range(3):
        placed = []
        for joint, parent in enumerate(character.parents):
            at, turn = crowd.local_positions[i, joint].astype(float), crowd.local_rotations[i, joint].astype(float)
            if parent >= 0:
                before, turned = placed[parent]
                at, turn = before + rotate(turned, at), product(turned, turn)
            placed.append((at, turn))
        np.testing.assert_allclose(crowd.world_positions[i], [at for at, _ in placed], atol=1e-5)
        turns = np.array([turn for _, turn in placed])
        np.testing.assert_allclose(np.abs((crowd.world_rotations[i] * turns).sum(axis=1)), 1, atol=1e-5)


def product(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return np.array([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])


def rotate(turn, v):
    return product(product(turn, np.append(v, 0)), turn * [-1, -1, -1, 1])[:3]


def test_the_velocity_of_the_root_is_what_it_moves(character):
    crowd = footwork.Crowd(character, 1)
    ahead = np.array([[0, 0, 1]], np.float32)
    for _ in range(180):
        crowd.step(ahead)
    before = crowd.world_positions[0, 0].copy()
    speeds = []
    for _ in range(60):
        crowd.step(ahead)
        speeds.append(crowd.root_velocities[0].copy())
    moved = crowd.world_positions[0, 0] - before
    np.testing.assert_allclose(np.mean(speeds, axis=0), moved, atol=0.05)
    assert moved[2] > 1


def test_arrays_are_views_of_one_block_that_outlive_the_crowd(character):
    crowd = footwork.Crowd(character, 2)
    views = {name: getattr(crowd, name) for name in ARRAYS}
    shown = views["world_positions"]
    assert shown is crowd.world_positions
    kept = shown.copy()
    crowd.step(np.array([[0, 0, 1], [1, 0, 0]], np.float32), dt=0.5)
    assert (shown != kept).any() and (shown == crowd.world_positions).all()
    joints = len(character.joints)
    assert shown.shape == (2, joints, 3) and views["local_rotations"].shape == (2, joints, 4)
    assert views["contacts"].dtype == bool and views["contacts"].shape == (2, len(character.contact_joints))
    assert views["times"].dtype == np.float64 and views["clips"].dtype == np.int32
    for array in views.values():
        assert not array.flags.writeable and not array.flags.owndata
        with pytest.raises(ValueError):
            array.setflags(write=True)
    values = {name: array.copy() for name, array in views.items()}
    del crowd
    gc.collect()
    np.zeros(10_000_000)
    for name, array in views.items():
        assert (array == values[name]).all(), name


def test_a_saved_crowd_continues_bit_for_bit(character, sticks):
    crowd, other = footwork.Crowd(character, 3), footwork.Crowd(character, 3, threads=2)
    for step in range(100):
        crowd.step(sticks(step, 3))
    saved = crowd.state_dict()
    other.load_state_dict(saved)
    assert other.world_positions.tobytes() == crowd.world_positions.tobytes()
    for step in range(100, 200):
        crowd.step(sticks(step, 3))
        other.step(sticks(step, 3))
    for name in ARRAYS:
        assert getattr(other, name).tobytes() == getattr(crowd, name).tobytes(), name
    matcher = footwork.Matcher(character)
    matcher.load_state_dict({"headers": saved["headers"][:1], "blocks": saved["blocks"][:1]})
    for step in range(100, 200):
        matcher.step(stick=sticks(step, 3)[0].tolist())
    assert matcher.local_rotations.tobytes() == crowd.local_rotations[0].tobytes()


def test_a_damaged_state_is_rejected_and_changes_nothing(character):
    crowd = footwork.Crowd(character, 2)
    crowd.step(np.ones((2, 3), np.float32), dt=0.5)
    saved, before = crowd.state_dict(), crowd.world_positions.copy()
    blocks = saved["blocks"].copy()
    blocks[1, 0] = np.nan
    header = saved["headers"][0]
    for state in [
        {},
        {"headers": saved["headers"]},
        {"headers": saved["headers"][:1], "blocks": saved["blocks"][:1]},
        {"headers": [header, "{}"], "blocks": saved["blocks"]},
        {"headers": [header, 3], "blocks": saved["blocks"]},
        {"headers": saved["headers"], "blocks": saved["blocks"][:, :-1].copy()},
        {"headers": saved["headers"], "blocks": saved["blocks"].astype(float)},
        {"headers": saved["headers"], "blocks": blocks},
        {"headers": saved["headers"], "blocks": None},
    ]:
        with pytest.raises(footwork.Error):
            crowd.load_state_dict(state)
        assert (crowd.world_positions == before).all()


def test_places_and_teleports(character):
    positions = np.array([[1, 0, 2], [-3, 0, 4]], np.float32)
    crowd = footwork.Crowd(character, 2, positions=positions, yaws=np.array([0, np.pi / 2], np.float32))
    np.testing.assert_allclose(crowd.world_positions[:, 0], positions, atol=1e-6)
    np.testing.assert_allclose(np.abs(crowd.world_rotations[1, 0]), [0, 0.5**0.5, 0, 0.5**0.5], atol=1e-6)
    crowd.teleport(1, (5, 0, 6), yaw=0)
    np.testing.assert_allclose(crowd.world_positions[:, 0], [[1, 0, 2], [5, 0, 6]], atol=1e-5)
    for place in [(np.nan, 0, 0), (0, 0, np.inf)]:
        with pytest.raises(footwork.Error):
            crowd.teleport(0, place, yaw=0)
    with pytest.raises(footwork.Error):
        crowd.teleport(2, (0, 0, 0), yaw=0)


def test_a_crowd_in_use_by_another_thread_is_an_error(character):
    crowd = footwork.Crowd(character, 400)
    ahead = np.tile(np.array([0, 0, 1], np.float32), (400, 1))
    errors, stop = [], threading.Event()

    def others():
        while not stop.is_set():
            try:
                crowd.step(ahead)
            except footwork.Error as error:
                errors.append(str(error))

    threads = [threading.Thread(target=others) for _ in range(2)]
    for thread in threads:
        thread.start()
    steps = 0
    for _ in range(100):
        try:
            crowd.step(ahead)
            steps += 1
        except footwork.Error as error:
            errors.append(str(error))
        assert np.isfinite(crowd.world_positions).all()
    stop.set()
    for thread in threads:
        thread.join()
    assert errors and all("another thread" in error for error in errors)
    crowd.step(ahead)


def test_crowds_step_in_several_threads_at_once(character):
    crowds = [footwork.Crowd(character, 50) for _ in range(4)]
    ahead = np.tile(np.array([0, 0, 1], np.float32), (50, 1))

    def drive(crowd):
        for _ in range(60):
            crowd.step(ahead)

    threads = [threading.Thread(target=drive, args=(crowd,)) for crowd in crowds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({crowd.local_rotations.tobytes() for crowd in crowds}) == 1


def test_memory_stays_constant(character):
    crowd, ahead = footwork.Crowd(character, 2), np.zeros((2, 3), np.float32)
    ahead[:, 2] = 1

    def bytes_after(steps):
        for _ in range(steps):
            crowd.step(sticks=ahead, tags="!crouch", run=True)
            crowd.world_positions.sum()
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    try:
        before = bytes_after(5_000)
    except FileNotFoundError:
        pytest.skip("no /proc")
    assert bytes_after(20_000) - before < 1 << 20


def test_variables_of_machines_are_set_by_name():
    database = footwork.built_in()
    character = footwork.Character(database, machine="built-in")
    crowd = footwork.Crowd(character, 2)
    for name in character.variables:
        crowd.step(variables={name: 0.0})
        crowd.step(variables={name: np.zeros(2, np.float32)})
    with pytest.raises(footwork.Error, match="variable"):
        crowd.step(variables={"no such name": 1.0})
