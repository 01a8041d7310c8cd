"""Databases that stay in shards: actors hold one shard each, and all of them are searched as one database."""

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import ray

import footwork
from footwork._native import Error, database_join, database_part, database_within, shard_load, shards_open
from footwork.ray.cluster import RETRIES, connected

Found = tuple[np.ndarray, np.ndarray, np.ndarray]


class ShardedCharacter:
    """A database in shards, each held by a Ray actor. Searches have the rows and the bits of the costs of the whole database.

    An actor reads only its own file, when it is first used. The files must be on a disk that all machines share. An actor whose process
    is lost is replaced, and reads its file again.

    :param manifest: The manifest that :meth:`footwork.Database.save_shards` or ``footwork corpus part`` wrote.
    :param address: As for :func:`build_corpus`; the cluster that was started on this machine is shut down by :meth:`close`.
    :raises footwork.Error: The manifest cannot be read or is invalid; or, at the first use, a shard is.
    """

    def __init__(self, manifest: str | os.PathLike, *, address: str | None = None) -> None:
        manifest = self._manifest = os.path.abspath(manifest)
        #: Number of clips and of rows of the whole database.
        self.clips, self.rows, shards = shards_open(manifest)
        self._of_clips = [Numbers(shard["clips"]) for shard in shards]
        self._of_rows = [Numbers(shard["rows"]) for shard in shards]
        with contextlib.ExitStack() as stack:
            stack.enter_context(connected(None, address))
            self._actors = [_Actor.remote(manifest, shard) for shard in range(len(shards))]
            for actor in self._actors:
                stack.callback(ray.kill, actor)
            self._open = stack.pop_all()

    @property
    def shards(self) -> int:
        """Number of shards."""
        return len(self._actors)

    def search(
        self, queries: np.ndarray, k: int = 1, *, tags: str = "", weights: np.ndarray | None = None
    ) -> Found:
        """Returns the ``k`` rows nearest to each query, as :meth:`footwork.Database.search` of the whole database does.

        All queries go to each shard in one message, and the best of all shards are merged: by cost, then unmirrored rows, then
        the lowest row.

        :param queries: (n, columns) float32, normalised as ``Database.features``.
        :param k: 1 to 4096.
        :param tags: A condition such as ``"walk & !stairs"``.
        :param weights: (columns,) float32. Default: 1.
        :returns: ``(rows, costs, mirrored)``, each (n, k): rows of the whole database (-1 where there are fewer), their costs, and
            whether they are mirror images.
        :raises footwork.Error: An argument is invalid, or a shard cannot be read.
        """
        queries = ray.put(queries)
        found = self._all(lambda _, actor: actor.search.remote(queries, k, tags, weights), range(self.shards))
        rows = np.concatenate([of.whole(rows) for of, (rows, _, _) in zip(self._of_rows, found)], axis=1)
        costs = np.concatenate([costs for _, costs, _ in found], axis=1)
        mirrored = np.concatenate([mirrored for _, _, mirrored in found], axis=1)
        # Missing rows have infinite costs, and no other row has.
        best = np.lexsort((rows, mirrored, costs), axis=1)[:, :k]
        return tuple(np.take_along_axis(each, best, axis=1) for each in (rows, costs, mirrored))

    def excerpt(self, rows: Sequence[int]) -> tuple[footwork.Database, list[int]]:
        """Returns a database of the clips of some rows, fetched from their shards, and the numbers of the rows in it.

        Its features, poses and tags have the bits of the whole database. A :class:`footwork.Character` of it plays these clips.

        :param rows: Rows of the whole database, as :meth:`search` finds them, at least one.
        :raises footwork.Error: A row does not exist, or a shard cannot be read.
        """
        numbers = [int(row) for row in rows]
        if wrong := [row for row in numbers if not 0 <= row < self.rows] or not numbers and ["none"]:
            raise Error(f"`rows`: expected at least one, below {self.rows}; found {wrong[0]}")
        own = [[of.of_shard(row) for row in numbers] for of in self._of_rows]
        with_rows = [shard for shard, rows in enumerate(own) if any(row is not None for row in rows)]
        parts = self._all(lambda shard, actor: actor.part.remote(own[shard]), with_rows)
        database = database_join(self._manifest, [part for part, _ in parts])
        first_rows = {clip.name: clip.first_row for clip in database.clips}
        places = [next(place for place in of_row if place is not None) for of_row in zip(*(told for _, told in parts))]
        return database, [first_rows[clip] + row for clip, row in places]

    def close(self) -> None:
        """Ends the actors, and the cluster if it was started for them. The object cannot be used afterwards."""
        self._open.close()

    def __enter__(self) -> "ShardedCharacter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ShardedCharacter({self.clips} clips, {self.rows} rows in {self.shards} shards)"

    def _about(self) -> tuple[int, list[str]]:
        """Returns the number of columns and the names of the tags."""
        return self._all(lambda _, actor: actor.about.remote(), [0])[0]

    def _clips(self, rows: Iterable[int]) -> set[int]:
        """Returns the original clips of rows."""
        own = [[number for row in rows if (number := of.of_shard(row)) is not None] for of in self._of_rows]
        with_rows = [shard for shard, numbers in enumerate(own) if numbers]
        found = self._all(lambda shard, actor: actor.clips.remote(own[shard]), with_rows)
        return {int(clip) for shard, clips in zip(with_rows, found) for clip in self._of_clips[shard].whole(np.array(clips))}

    def _within(self, searches: list[tuple[np.ndarray, np.ndarray, float]]) -> set[int]:
        """Returns the original clips with rows that could change searches: (features, weights, highest cost of a row that could)."""
        found = self._all(lambda _, actor: actor.within.remote(searches), range(self.shards))
        return {int(clip) for of, own in zip(self._of_clips, found) for clip in of.whole(np.array(own, np.int64))}

    def _parts(self, clips: Iterable[int]) -> dict[int, footwork.Database]:
        """Returns a database of each of these original clips."""
        own = [{clip: of.of_shard(clip) for clip in clips} for of in self._of_clips]
        own = [{clip: number for clip, number in numbers.items() if number is not None} for numbers in own]
        with_clips = [shard for shard, numbers in enumerate(own) if numbers]
        parts = self._all(lambda shard, actor: actor.parts.remote(list(own[shard].values())), with_clips)
        return {clip: part for shard, found in zip(with_clips, parts) for clip, part in zip(own[shard], found)}

    def _all(self, call: Callable[[int, Any], ray.ObjectRef], shards: Iterable[int]) -> list[Any]:
        """Calls a method of the actors of some shards at the same time, and returns the results in the order of the shards."""
        calls = [call(shard, self._actors[shard]) for shard in shards]
        try:
            return ray.get(calls)
        except ray.exceptions.RayTaskError as failed:
            raise failed.cause from None
        except ray.exceptions.RayActorError as lost:
            raise Error(f"a shard was lost, and could not be started again: {lost}") from None


class Numbers:
    """The clips or rows of a shard, as numbers of the whole database: ranges ``[start, end)`` in the order of the shard."""

    def __init__(self, ranges: list[list[int]]) -> None:
        self._starts = np.array([start for start, _ in ranges], np.int64)
        #: The first number in the shard of each range, and the count of all.
        self._firsts = np.cumsum([0] + [end - start for start, end in ranges])

    def whole(self, numbers: np.ndarray) -> np.ndarray:
        """Returns numbers of the whole database for numbers of the shard; -1 stays."""
        at = np.searchsorted(self._firsts[1:-1], numbers, side="right")
        return np.where(numbers < 0, -1, numbers - self._firsts[at] + self._starts[at])

    def of_shard(self, number: int) -> int | None:
        """Returns the number of the shard for a number of the whole database; ``None`` for one of another shard."""
        at = np.searchsorted(self._starts, number, side="right") - 1
        inside = at >= 0 and number - self._starts[at] < self._firsts[at + 1] - self._firsts[at]
        return int(number - self._starts[at] + self._firsts[at]) if inside else None


class Shard:
    """What an actor holds: one shard, read when it is first used, so that an error reaches the caller."""

    def __init__(self, manifest: str, shard: int) -> None:
        self._from, self._read = (manifest, shard), None

    @property
    def _database(self) -> footwork.Database:
        if self._read is None:
            self._read = shard_load(*self._from)
        return self._read

    def search(self, queries: np.ndarray, k: int, tags: str, weights: np.ndarray | None) -> Found:
        """Searches the shard: rows are its own."""
        return self._database.search(queries, k, tags=tags, weights=weights)

    def part(self, rows: list[int | None]) -> tuple[footwork.Database, list[tuple[str, int] | None]]:
        """Returns the clips of some rows as a database, and the clip of each row with the number of the row in it."""
        database, clips = self._database, self._database.clips
        of_rows = [None if row is None else int(database.row_clips[row]) for row in rows]
        places = [None if clip is None else (clips[clip].name, row - clips[clip].first_row) for clip, row in zip(of_rows, rows)]
        return database_part(database, sorted({clip for clip in of_rows if clip is not None})), places

    def about(self) -> tuple[int, list[str]]:
        """Returns the number of columns and the names of the tags."""
        return self._database.features.shape[1], self._database.tags

    def clips(self, rows: list[int]) -> list[int]:
        """Returns the original clips of rows."""
        clips, of_rows = self._database.clips, self._database.row_clips
        first_frames = {clips[clip].first_frame for clip in of_rows[rows]}
        return [number for number, clip in enumerate(clips) if clip.first_frame in first_frames and not clip.mirrored]

    def within(self, searches: list[tuple[np.ndarray, np.ndarray, float]]) -> list[int]:
        """Returns the original clips with rows that could change searches."""
        return sorted(database_within(self._database, searches))

    def parts(self, clips: list[int]) -> list[footwork.Database]:
        """Returns a database of each clip."""
        return [database_part(self._database, [clip]) for clip in clips]


# Without `num_cpus`, Ray places an actor on a free processor but does not reserve it: there may be more shards than processors.
_Actor = ray.remote(
    max_restarts=-1,
    max_task_retries=RETRIES,
    scheduling_strategy="SPREAD",
    runtime_env={"env_vars": {"RAYON_NUM_THREADS": "1"}},
)(Shard)
