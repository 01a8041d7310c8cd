"""Evaluations of many configurations at the same time."""

import os
from collections.abc import Iterable, Sequence

import numpy as np
import ray

import footwork
from footwork.ray.cluster import Progress, connected, run_all

Config = str | os.PathLike | dict | None
Figures = dict[str, float | None]


def evaluate_many(
    database: footwork.Database,
    configs: Sequence[Config],
    *,
    courses: Sequence[str] | None = None,
    runs: Iterable[int] = (0,),
    workers: int | None = None,
    address: str | None = None,
    progress: Progress | None = None,
) -> list[list[Figures]]:
    """Evaluates configurations as :func:`footwork.evaluate` does, in Ray tasks of one configuration and one run each.

    A task whose worker is lost is started again. The figures are the same for any number of workers.

    :param configs: TOML files, or their tables as dictionaries; ``None`` stands for the default settings.
    :param courses: Names from "a" to "k". Default: all.
    :param runs: Numbers of the runs, 0 to 100: each has its own random numbers.
    :param workers: Number of tasks that run at the same time, at least 1. Default: the number of processors of the cluster.
    :param address: As for :func:`build_corpus`.
    :param progress: Called with the number of tasks that are done and the number of all tasks.
    :returns: ``[configs][runs]`` metrics by name, with units in their names. A metric that does not apply is absent.
    :raises footwork.Error: A configuration does not fit the database, or an argument is out of range.
    """
    with connected(workers, address) as at_once:
        return Evaluator(database, courses).run(configs, list(runs), at_once, progress)


class Evaluator:
    """Evaluates configurations for one database, which the object store of the cluster holds."""

    def __init__(self, database: footwork.Database, courses: Sequence[str] | None) -> None:
        self._data = ray.put(np.frombuffer(database.to_bytes(), np.uint8))
        self._hash, self._courses = database.content_hash, None if courses is None else list(courses)

    def run(
        self, configs: Sequence[Config], runs: Sequence[int], at_once: int, progress: Progress | None = None
    ) -> list[list[Figures]]:
        """Returns ``[configs][runs]`` metrics."""
        calls = [(self._hash, self._data, config, self._courses, run) for config in configs for run in runs]
        figures = run_all(evaluate_task, calls, at_once, progress)
        return [figures[k * len(runs) : (k + 1) * len(runs)] for k in range(len(configs))]


# The database that this worker evaluated last, by its hash.
_opened: dict[str, footwork.Database] = {}


def evaluate_task(content_hash: str, data: np.ndarray, config: Config, courses: list[str] | None, run: int) -> Figures:
    """Evaluates one configuration in one run."""
    if content_hash not in _opened:
        _opened.clear()
        _opened[content_hash] = footwork.Database.from_bytes(data.tobytes())
    variants = {"evaluated": config}
    rows = footwork.evaluate(_opened[content_hash], variants, courses=courses, runs=1, first_run=run)
    return {name: value["mean"] for name, value in rows["evaluated"].items()}
