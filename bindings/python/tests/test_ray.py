"""A corpus built by Ray has the bytes of one build, for any number of workers."""

import os
import subprocess

import pytest

import footwork

pytest.importorskip("ray")
import footwork.ray  # noqa: E402

COMMAND = os.environ.get("FOOTWORK_COMMAND")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="FOOTWORK_COMMAND names no command `footwork`")


def run(folder, *words):
    subprocess.run([COMMAND, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Returns a folder with clips in `corpus`, and the bytes of the database that the command builds from them."""
    folder = tmp_path_factory.mktemp("corpus")
    run(folder, "gait", "--hours", "0.1", "--seed", "5", "-o", "corpus")
    run(folder, "build", "corpus", "-o", "one.fwdb", "--no-cache")
    return folder, (folder / "one.fwdb").read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_gives_the_bytes_of_one_build(corpus, workers):
    folder, one = corpus
    told = []
    footwork.ray.build_corpus(
        [folder / "corpus"], output=folder / "ray.fwdb", workers=workers, progress=lambda *done: told.append(done)
    )
    assert (folder / "ray.fwdb").read_bytes() == one
    shards = told[-1][1]
    assert told == [(k + 1, shards) for k in range(shards)] and shards > workers
    assert not [name for name in os.listdir(folder) if name.startswith(".footwork-corpus-")]


def test_settings_and_errors_are_those_of_a_build(corpus):
    folder, one = corpus
    config = {"build": {"search_rate_hz": 20}}
    footwork.ray.build_corpus([folder / "corpus"], output=folder / "slow.fwdb", config=config, workers=2)
    slow = footwork.Database.load(folder / "slow.fwdb")
    footwork.build([folder / "corpus"], config).save(folder / "expected.fwdb")
    assert (folder / "slow.fwdb").read_bytes() == (folder / "expected.fwdb").read_bytes() != one
    assert slow.features.shape[0] > 0
    for bad in ({"paths": ["/nonexistent"]}, {"paths": folder / "corpus", "workers": 0}):
        with pytest.raises(footwork.Error):
            footwork.ray.build_corpus(output=folder / "never.fwdb", **bad)
    assert not (folder / "never.fwdb").exists()
