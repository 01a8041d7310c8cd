"""One character that plays a database in shards."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import footwork
from footwork._native import Error, database_join
from footwork.ray.shards import ShardedCharacter

# Inputs that depend on clips which no search of features finds.
_NOT_IN_SHARDS = ("action", "later", "tag_costs")
# Rows that are looked at first for a search that found too few.
_NEAREST = 256


class ShardedMatcher:
    """A :class:`footwork.Matcher` of a database in shards: its decisions and poses have the bits of the whole database.

    It plays an excerpt of the database: clips that it has fetched from the shards. After each step, the shards look for rows that could
    have changed a search of the step. If there are any, their clips are fetched, and the step is made once more. Such a step takes
    as long as the building of a :class:`footwork.Character` of the excerpt; most steps need no search, or find nothing.

    All attributes of :class:`footwork.Matcher` that show the character can be read, such as ``world_positions`` and ``clip_name``. The
    arrays are other ones after clips were fetched: read the attribute after each step. ``clip`` is a number of the excerpt.

    State machines, ``search.foresight_cost`` and the inputs ``action``, ``later`` and ``tag_costs`` are not possible.

    :param shards: The shards.
    :param config: As for :class:`footwork.Character`.
    :param position: World, metres.
    :param yaw: Radians.
    :param clips: Number of clips to hold. Those that no search of the current step needs are dropped first.
    :raises footwork.Error: A setting is invalid or not possible, or a shard cannot be read.
    """

    def __init__(
        self,
        shards: ShardedCharacter,
        config: Any = None,
        *,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        yaw: float = 0.0,
        clips: int = 256,
    ) -> None:
        self._shards, self._config, self._most = shards, config, clips
        self._place = {"position": position, "yaw": yaw}
        self._columns, self._tags = shards._about()
        #: Databases of one clip each, by the number of the clip in the whole database.
        self._parts: dict[int, footwork.Database] = {}
        #: Number of the step in which a search last needed each clip; infinity for clips that are never dropped.
        self._used: dict[int, float] = {}
        self._steps, self._seeded = 0, set()
        self._seed([""])
        config = footwork.Character(self._joined(), self._config).config
        if config["search"]["foresight_cost"] > 0.0:
            raise Error("`search.foresight_cost`: expected 0 for a database in shards")
        own = [tag for tag in config["ground"]["own_ground_tags"] if tag in self._tags]
        self._level = f"!({' | '.join(own)})" if own else ""
        self._seed([self._level])
        self._renew(None)
        while missing := self._missing():
            self._fetch(missing)
            self._renew(None)

    def step(self, dt: float = 1.0 / 60.0, **inputs: Any) -> None:
        """Advances by ``dt`` seconds. The inputs are the keywords of :class:`footwork.Input`.

        :raises footwork.Error: An input is invalid or not possible; the character is unchanged.
        """
        if given := [name for name in _NOT_IN_SHARDS if inputs.get(name)]:
            raise Error(f"`{given[0]}`: not possible for a database in shards")
        before = self._named(self._matcher.state_dict())
        self._seed_tags(inputs.get("tags") or "", before)
        self._steps += 1
        while True:
            self._matcher.step(dt=dt, **inputs)
            if not (missing := self._missing()):
                return
            self._fetch(missing, before)
            self._renew(before)

    @property
    def clips(self) -> int:
        """Number of clips that are held."""
        return len(self._parts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("load_state_dict", "teleport", "explain"):
            raise AttributeError(name)
        return getattr(self._matcher, name)

    def _seed_tags(self, tags: str, state: dict) -> None:
        """Fetches clips for a condition that is used for the first time. A matcher checks whether any row fulfils it."""
        if not tags or tags in self._seeded:
            return
        self._seeded.add(tags)
        names = [f"({tags})", *([f"({tags}) & {self._level}"] if self._level else [])]
        if self._seed([*names, *(tag for tag in self._tags if tag in tags)], state):
            self._renew(state)

    def _seed(self, conditions: Iterable[str], state: dict | None = None) -> bool:
        """Fetches a clip with a row for each condition of tags, which is never dropped. Returns whether there are new clips."""
        found = set()
        for tags in conditions:
            rows, _, _ = self._shards.search(np.zeros((1, self._columns), np.float32), tags=tags)
            found |= self._shards._clips(rows[rows >= 0])
        new = found - self._parts.keys()
        self._fetch(new, state)
        self._used.update({clip: np.inf for clip in found})
        return bool(new)

    def _missing(self) -> set[int]:
        """Returns the clips outside of the excerpt that could have changed the searches since the last call."""
        searches = self._notes.take()
        # A search that found too few rows would need every row of the database: try the nearest rows before.
        open_ones = [search for search in searches if search[2] >= np.finfo(np.float32).max]
        near = {clip for search in open_ones for clip in self._nearest(search)}
        if near <= self._parts.keys():
            near = set()
        else:
            searches = [search for search in searches if search[2] < np.finfo(np.float32).max]
        needed = near | (self._shards._within(searches) if searches else set())
        self._used.update({clip: max(self._steps, self._used.get(clip, 0)) for clip in needed})
        return needed - self._parts.keys()

    def _nearest(self, search: tuple[np.ndarray, np.ndarray, float]) -> set[int]:
        """Returns the clips of the rows nearest to a search."""
        features, weights, _ = search
        rows, _, _ = self._shards.search(features[None], _NEAREST, weights=weights)
        return self._shards._clips(rows[rows >= 0])

    def _fetch(self, clips: set[int], state: dict | None = None) -> None:
        """Fetches clips, and drops those that were not needed for the longest time."""
        self._parts.update(self._shards._parts(clips))
        names = _clips_of(state["header"]) if state else set()
        droppable = [
            clip
            for clip, part in self._parts.items()
            if self._used.get(clip, 0) < self._steps and clip not in clips and not names & {c.name for c in part.clips}
        ]
        droppable.sort(key=lambda clip: (self._used.get(clip, 0), clip))
        for clip in droppable[: max(0, len(self._parts) - self._most)]:
            del self._parts[clip]

    def _joined(self) -> footwork.Database:
        return database_join(self._shards._manifest, [self._parts[clip] for clip in sorted(self._parts)])

    def _renew(self, state: dict | None) -> None:
        """Makes the matcher of the excerpt again, in a state with names of clips."""
        database = self._joined()
        character, self._notes = footwork.Character(database, self._config)._noting()
        self._matcher = footwork.Matcher(character, **self._place)
        self._names = [clip.name for clip in database.clips]
        if state is None:
            return
        numbers = {name: number for number, name in enumerate(self._names)}
        header = json.loads(json.dumps(state["header"]))
        for of_clip in _of_clips(header):
            of_clip["clip"] = numbers.get(of_clip["clip"], 0)
        header["database"] = int(database.content_hash, 16) & (2**64 - 1)
        # With clips of actions, a state ends with the memory of their director, which no input here changes.
        blocks = self._matcher.state_dict()["blocks"].copy()
        width = min(blocks.shape[1], state["blocks"].shape[1])
        blocks[:, :width] = state["blocks"][:, :width]
        self._matcher.load_state_dict({"headers": [json.dumps(header)], "blocks": blocks})
        self._notes.take()

    def _named(self, state: dict) -> dict:
        """Returns a state with names of clips in place of their numbers."""
        header = json.loads(state["headers"][0])
        for of_clip in _of_clips(header):
            of_clip["clip"] = self._names[of_clip["clip"]]
        return {"header": header, "blocks": state["blocks"]}


def _of_clips(header: dict) -> list[dict]:
    """Returns the parts of a state that name a clip."""
    return [header["playback"]["playing"], *header["playback"]["played"]]


def _clips_of(header: dict) -> set[str]:
    """Returns the names of clips that a state needs: that of the playing clip, and of those that were played. Others are empty."""
    playing, *played = _of_clips(header)
    return {playing["clip"], *(stretch["clip"] for stretch in played if stretch["from_s"] != stretch["to_s"])}
