"""A database in shards is searched as one: rows, bits of costs and ties are those of a comparison of every row."""

import json
import os
import signal

import numpy as np
import pytest

import footwork

pytest.importorskip("ray")
import footwork.ray  # noqa: E402


def brute(features, queries, k, weights=None, allowed=None):
    """Returns the `k` nearest rows and their costs, by the definition: float32, column by column, ties by the lowest row."""
    rows, costs = [], []
    weights = np.ones(features.shape[1], np.float32) if weights is None else weights
    for query in queries:
        cost = np.zeros(len(features), np.float32)
        for column in range(features.shape[1]):
            difference = (query[column] - features[:, column]) * weights[column]
            cost += difference * difference
        if allowed is not None:
            cost[~allowed] = np.inf
        best = np.argsort(cost, kind="stable")[:k]
        rows.append(best)
        costs.append(cost[best])
    return np.array(rows), np.array(costs)


def same(found, expected):
    rows, costs = expected
    assert np.array_equal(found[0], rows)
    assert np.array_equal(found[1].view(np.uint32), costs.view(np.uint32))


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Returns a database with a tag, and with clips that exist twice: ties lie in different shards."""
    folder = tmp_path_factory.mktemp("clips")
    for k, clip in enumerate(footwork.built_in_clips()[::5]):
        clip.save(folder / f"{clip.name}.bvh")
        if k % 3 == 0:
            clip.save(folder / f"z_{clip.name}.bvh")
    config = {"build": {"multiply": {"mode": "off"}, "clips": [{"name": "*walk*", "tags": [{"name": "walk"}]}]}}
    return footwork.build(folder, config)


@pytest.fixture(scope="module")
def cluster():
    """Starts Ray once for all tests."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def queries_of(database, n, seed=1):
    """Returns rows, rows with noise, and points far from all rows."""
    random = np.random.default_rng(seed)
    rows = database.features[random.integers(len(database.features), size=n)]
    noise = random.normal(size=rows.shape).astype(np.float32)
    return (rows + noise * np.array([0, 0.1, 3], np.float32)[np.arange(n) % 3, None]).astype(np.float32)


def open_rows(database):
    """Returns the rows that a search without tags may return: those of locomotion that are not blocked."""
    rows = database.row_flags & 1 == 0
    for tag, start, end in database.tag_spans:
        if tag == "no_locomotion":
            rows &= (database.row_frames < start) | (database.row_frames >= end)
    return rows


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_2000_queries_find_what_a_comparison_of_every_row_finds(database, cluster, tmp_path, shards):
    queries = queries_of(database, 2000)
    expected = brute(database.features, queries, 4, allowed=open_rows(database))
    manifest = database.save_shards(tmp_path / "shards", shards)
    with footwork.ray.ShardedCharacter(manifest) as character:
        assert (character.shards, character.rows, character.clips) == (shards, len(database.features), len(database.clips))
        found = character.search(queries, 4)
    same(found, expected)
    same(database.search(queries, 4), expected)
    assert not found[2].any()
    rows, costs = expected
    ties = costs[:, 0] == costs[:, 1]
    far = np.abs(rows[:, 0] - rows[:, 1]) > len(database.features) // 10
    assert np.count_nonzero(ties & far) > 100, "the oracle has ties between copies"


def test_tags_weights_and_missing_rows(database, cluster, tmp_path):
    queries = queries_of(database, 60, seed=2)
    weights = np.linspace(0, 2, database.features.shape[1], dtype=np.float32)
    walks = np.array(["walk" in clip.tags for clip in database.clips])[database.row_clips]
    allowed = walks & open_rows(database)
    assert 0 < np.count_nonzero(allowed) < np.count_nonzero(open_rows(database))
    manifest = database.save_shards(tmp_path, 3)
    with footwork.ray.ShardedCharacter(manifest) as character:
        found = character.search(queries, 3, tags="walk", weights=weights)
        same(found, brute(database.features, queries, 3, weights, allowed))
        for tags in ("walk", "!walk", "walk & !walk"):
            found, expected = (each.search(queries[:2], 4096, tags=tags) for each in (character, database))
            assert all(np.array_equal(a, b) for a, b in zip(found, expected))
        assert np.all(found[0] == -1) and np.all(np.isinf(found[1]))
        assert character.search(queries[:0]).__class__ is tuple and character.search(queries[:0])[0].shape == (0, 1)
        for bad in (
            {"k": 0},
            {"k": 4097},
            {"tags": "nowhere"},
            {"weights": weights[1:]},
            {"queries": queries[:, 1:]},
            {"queries": queries.astype(np.float64)},
            {"queries": np.full_like(queries, np.nan)},
        ):
            for each in (character, database):
                with pytest.raises(footwork.Error):
                    each.search(**{"queries": queries, **bad})


def test_each_clip_may_be_a_shard(cluster, tmp_path):
    database = footwork.build(footwork.built_in_clips()[:3], {"build": {"multiply": {"mode": "off"}}})
    queries = queries_of(database, 100, seed=4)
    with footwork.ray.ShardedCharacter(database.save_shards(tmp_path, len(database.clips))) as character:
        same(character.search(queries, 8), brute(database.features, queries, 8, allowed=open_rows(database)))


@pytest.mark.parametrize("mirror", ["stored", "query"])
def test_mirror_images_are_found(cluster, tmp_path, mirror):
    clips = footwork.built_in_clips()[::12]
    database = footwork.build(clips, {"build": {"multiply": {"mode": "off"}, "mirror": mirror}})
    queries = queries_of(database, 200, seed=3)
    expected = database.search(queries, 6)
    with footwork.ray.ShardedCharacter(database.save_shards(tmp_path, 3)) as character:
        for found, of_whole in zip(character.search(queries, 6), expected):
            assert np.array_equal(found, of_whole)
    rows, costs, mirrored = expected
    assert mirrored.any() == (mirror == "query")
    if mirror == "stored":
        same(expected, brute(database.features, queries, 6, allowed=open_rows(database)))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the processes of actors in /proc")
def test_a_killed_actor_is_replaced(database, cluster, tmp_path):
    queries = queries_of(database, 50)
    with footwork.ray.ShardedCharacter(database.save_shards(tmp_path, 3)) as character:
        before = character.search(queries, 2)
        for _ in range(2):
            actors = []
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{process}/cmdline", "rb") as file:
                        if b"ray::Shard" in file.read():
                            actors.append(int(process))
                except OSError:
                    continue
            assert len(actors) == 3
            os.kill(actors[1], signal.SIGKILL)
            for found, same in zip(character.search(queries, 2), before):
                assert np.array_equal(found, same)


def test_shards_that_do_not_fit_are_rejected(database, cluster, tmp_path):
    manifest = database.save_shards(tmp_path / "a", 3)
    text = manifest.read_text()

    def fails(change, *parts):
        told = json.loads(text)
        change(told)
        manifest.write_text(json.dumps(told))
        with pytest.raises(footwork.Error) as error:
            with footwork.ray.ShardedCharacter(manifest) as character:
                character.search(queries_of(database, 1))
        manifest.write_text(text)
        assert all(part in str(error.value) for part in parts), error.value

    fails(lambda told: told["shards"].pop(), "in none")
    fails(lambda told: told["shards"].append(told["shards"][0]), "in several")
    fails(lambda told: told["shards"][1].update(file="gone.fwdb"), "gone.fwdb")
    fails(lambda told: told.update(shared_hash="0"), "hash of skeleton, schema and names")
    other = footwork.built_in().save_shards(tmp_path / "b", 3)
    file = tmp_path / "a" / json.loads(text)["shards"][1]["file"]
    file.write_bytes((other.parent / json.loads(other.read_text())["shards"][1]["file"]).read_bytes())
    fails(lambda told: None, "content hash", "write the shards again")
    with pytest.raises(footwork.Error, match="number of shards: expected 1 to"):
        database.save_shards(tmp_path / "c", 1000)
    with pytest.raises(footwork.Error, match="nowhere.json"):
        footwork.ray.ShardedCharacter(tmp_path / "nowhere.json")
    assert not (tmp_path / "c").exists()


def test_a_cluster_that_was_started_for_the_shards_ends_with_them(database, tmp_path):
    # In a process of its own: the other tests share a cluster.
    manifest = database.save_shards(tmp_path, 2)
    code = (
        "import footwork.ray, ray, sys, numpy\n"
        "database = footwork.Database.load(sys.argv[2])\n"
        "with footwork.ray.ShardedCharacter(sys.argv[1]) as character:\n"
        "    found = character.search(database.features[:9].copy())\n"
        "assert numpy.all(found[1] == 0) and not ray.is_initialized()\n"
        "character.close()\n"
    )
    import subprocess
    import sys

    database.save(tmp_path / "whole.fwdb")
    done = subprocess.run([sys.executable, "-c", code, manifest, tmp_path / "whole.fwdb"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mirror", ["off", "stored"])
def test_clips_of_rows_are_fetched_and_played(cluster, tmp_path, mirror):
    clips = footwork.built_in_clips()[::8]
    database = footwork.build(clips, {"build": {"multiply": {"mode": "off"}, "mirror": mirror}})
    with footwork.ray.ShardedCharacter(database.save_shards(tmp_path, 4)) as character:
        rows, _, _ = character.search(queries_of(database, 12))
        rows = [*rows[:, 0], len(database.features) - 1, 0]
        excerpt, own = character.excerpt(rows)
        names = {database.clips[database.row_clips[row]].name.removesuffix(" (mirrored)") for row in rows}
        assert {clip.name for clip in excerpt.clips if not clip.mirrored} == names
        for row, at in zip(rows, own):
            assert np.array_equal(excerpt.features[at], database.features[row])
            assert np.array_equal(excerpt.rotations[excerpt.row_frames[at]], database.rotations[database.row_frames[row]])
            assert np.array_equal(excerpt.contacts[excerpt.row_frames[at]], database.contacts[database.row_frames[row]])
        everything, own = character.excerpt(range(len(database.features)))
        assert own == list(range(len(database.features)))
        for view in ("features", "rotations", "translations", "contacts", "row_frames", "row_clips", "row_flags"):
            assert np.array_equal(getattr(everything, view), getattr(database, view)), view
        for bad in ([], [-1], [character.rows]):
            with pytest.raises(footwork.Error, match="`rows`: expected at least one"):
                character.excerpt(bad)
    player = footwork.Matcher(footwork.Character(excerpt))
    for _ in range(60):
        player.step(stick=(0.0, 1.0))
    assert player.world_positions[0, 2] > 0.1


SHOWN = ("local_rotations", "local_positions", "world_positions", "root_velocity", "contacts")


@pytest.mark.parametrize("mirror", ["off", "stored", "query"])
@pytest.mark.parametrize("held", [256, 4])
def test_a_character_of_shards_plays_as_one_of_the_whole(cluster, tmp_path, mirror, held):
    rule = {"name": "*run*", "tags": [{"name": "run"}]}
    build = {"multiply": {"mode": "off"}, "mirror": mirror, "clips": [rule]}
    database = footwork.build(footwork.built_in_clips()[::4], {"build": build})
    whole = footwork.Matcher(footwork.Character(database), position=(1, 0, 2), yaw=0.5)
    random = np.random.default_rng(5)
    with footwork.ray.ShardedCharacter(database.save_shards(tmp_path, 3)) as shards:
        sharded = footwork.ray.ShardedMatcher(shards, position=(1, 0, 2), yaw=0.5, clips=held)
        most, jumps = 0, 0
        for step in range(600):
            if step % 20 == 0:
                angle, length = random.uniform(0, 2 * np.pi), random.uniform(0, 1)
                inputs = {"stick": (length * np.sin(angle), length * np.cos(angle)), "run": bool(random.integers(2))}
                inputs["tags"] = "!run" if 200 <= step < 300 else ""
            whole.step(**inputs)
            sharded.step(**inputs)
            assert (sharded.clip_name, sharded.clip_time) == (whole.clip_name, whole.clip_time), step
            for name in SHOWN:
                assert getattr(sharded, name).tobytes() == getattr(whole, name).tobytes(), (step, name)
            most, jumps = max(most, sharded.clips), jumps + whole.transitions
        assert jumps > 20 and most < len(database.clips)
        with pytest.raises(footwork.Error, match="`later`: not possible"):
            sharded.step(later=("run", 0.5))
        with pytest.raises(footwork.Error):
            sharded.step(tags="nowhere")
        sharded.step(**inputs)
        whole.step(**inputs)
        assert sharded.local_rotations.tobytes() == whole.local_rotations.tobytes()
        with pytest.raises(footwork.Error, match="foresight_cost"):
            footwork.ray.ShardedMatcher(shards, {"matcher": {"search": {"foresight_cost": 1.0}}})
