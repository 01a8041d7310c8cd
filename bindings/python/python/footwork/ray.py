"""Builds a database from many files with Ray: the files are read by tasks, and merged in a fixed order.

The extra ``footwork[ray]`` installs Ray. The module is not loaded by ``import footwork``.
"""

import os
import tempfile
from collections.abc import Callable, Sequence

from footwork._native import Error, corpus_extract, corpus_merge, corpus_survey

try:
    import ray
except ImportError as missing:
    raise ImportError("footwork.ray needs Ray: pip install 'footwork[ray]'") from missing

__all__ = ["build_corpus"]

# Shards per worker: a shard that is repeated after the loss of its worker is small.
_SHARDS_PER_WORKER = 4
# Number of times that Ray starts a shard again after its worker was lost.
_RETRIES = 10


def build_corpus(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    output: str | os.PathLike,
    config: str | os.PathLike | dict | None = None,
    workers: int | None = None,
    address: str | None = None,
    progress: Callable[[int, int], None] | None = None,
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
    if workers is not None and workers < 1:
        raise Error(f"`workers`: expected at least 1, found {workers}")
    beside = os.path.dirname(os.path.abspath(output))
    with tempfile.TemporaryDirectory(prefix=".footwork-corpus-", dir=beside) as folder:
        files = corpus_survey(folder, paths, config)
        starts = not ray.is_initialized()
        if starts:
            local = {"num_cpus": workers, "include_dashboard": False} if address is None else {"address": address}
            ray.init(log_to_driver=False, **local)
        try:
            at_once = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
            _extract_all(folder, min(files, at_once * _SHARDS_PER_WORKER), at_once, progress)
        finally:
            if starts:
                ray.shutdown()
        corpus_merge(folder, output)


def _extract_all(folder: str, shards: int, at_once: int, progress: Callable[[int, int], None] | None) -> None:
    """Runs all shards, at most ``at_once`` at the same time."""
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(corpus_extract_task)
    waiting, running, done = list(range(shards)), [], 0
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(task.remote(folder, waiting.pop(0), shards))
        finished, running = ray.wait(running)
        ray.get(finished)
        done += len(finished)
        if progress is not None:
            progress(done, shards)


def corpus_extract_task(folder: str, shard: int, shards: int) -> int:
    """Reads one shard. Workers find it by its name in this module."""
    return corpus_extract(folder, shard, shards)
