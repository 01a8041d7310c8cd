"""Databases from many files: the files are read by tasks, and merged in a fixed order."""

import os
import tempfile
from collections.abc import Sequence

from footwork._native import corpus_extract, corpus_merge, corpus_survey
from footwork.ray.cluster import Progress, connected, run_all

# Shards per worker: a shard that is repeated after the loss of its worker is small.
_SHARDS_PER_WORKER = 4


def build_corpus(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    output: str | os.PathLike,
    config: str | os.PathLike | dict | None = None,
    workers: int | None = None,
    address: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Builds a database from motion files and writes it, with the same bytes as ``footwork build``.

    The BVH files are read by Ray tasks, one file at a time each, into a folder beside ``output``, which is removed at the end.
    That folder and the files must be on a disk that all machines share. A task whose worker is lost is started again. The calling
    process then builds from the folder: it needs memory for the whole motion.

    :param paths: Motion files, folders or patterns, as for :func:`footwork.build`.
    :param output: Database file (``.fwdb``). An existing file is kept if the build fails.
    :param config: A TOML file, or its tables as a dictionary.
    :param workers: Number of tasks that run at the same time, at least 1. Default: the number of processors of the cluster.
    :param address: Address of a running cluster, or ``"auto"``. Default: the cluster that this process is connected to, else
        one on this machine, which is shut down at the end.
    :param progress: Called with the number of shards that are done and the number of all shards.
    :raises footwork.Error: Clips or settings are invalid, or ``workers`` is below 1.
    """
    beside = os.path.dirname(os.path.abspath(output))
    with tempfile.TemporaryDirectory(prefix=".footwork-corpus-", dir=beside) as folder:
        files = corpus_survey(folder, paths, config)
        with connected(workers, address) as at_once:
            shards = min(files, at_once * _SHARDS_PER_WORKER)
            run_all(extract_task, [(folder, shard, shards) for shard in range(shards)], at_once, progress)
        corpus_merge(folder, output)


def extract_task(folder: str, shard: int, shards: int) -> int:
    """Reads one shard."""
    return corpus_extract(folder, shard, shards)
