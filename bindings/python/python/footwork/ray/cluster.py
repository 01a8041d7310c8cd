"""The connection to a cluster, and the tasks on it."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ray

from footwork._native import Error

# Number of times that Ray starts a task, or a call of an actor, again after its worker was lost.
RETRIES = 10

Progress = Callable[[int, int], None]


@contextlib.contextmanager
def connected(workers: int | None, address: str | None) -> Iterator[int]:
    """Connects to a cluster, or starts one on this machine for the time of the block. Yields how many tasks run at the same time."""
    if workers is not None and workers < 1:
        raise Error(f"`workers`: expected at least 1, found {workers}")
    starts = not ray.is_initialized()
    if starts:
        local = {"num_cpus": workers, "include_dashboard": False} if address is None else {"address": address}
        ray.init(log_to_driver=False, **local)
    try:
        yield workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    finally:
        if starts:
            ray.shutdown()


def run_all(
    function: Callable[..., Any],
    calls: Sequence[tuple],
    at_once: int,
    progress: Progress | None = None,
) -> list[Any]:
    """Calls a function with each of ``calls`` as arguments, in tasks of one thread each, and returns the results in their order.

    Workers find the function by its name in its module. A task whose worker is lost is started again.
    """
    one_thread = {"env_vars": {"RAYON_NUM_THREADS": "1"}}
    task = ray.remote(num_cpus=1, max_retries=RETRIES, runtime_env=one_thread)(function)
    results: list[Any] = [None] * len(calls)
    running: dict[ray.ObjectRef, int] = {}
    waiting, done = iter(enumerate(calls)), 0
    try:
        while True:
            while len(running) < at_once and (call := next(waiting, None)) is not None:
                running[task.remote(*call[1])] = call[0]
            if not running:
                return results
            finished, _ = ray.wait(list(running))
            for ref in finished:
                results[running.pop(ref)] = ray.get(ref)
                done += 1
            if progress is not None:
                progress(done, len(calls))
    except ray.exceptions.RayTaskError as failed:
        raise failed.cause from None
    finally:
        for ref in running:
            ray.cancel(ref)
