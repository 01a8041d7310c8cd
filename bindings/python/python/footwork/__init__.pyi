"""Motion matching: databases of captured motion as numpy arrays, exact search, crowds of characters.

Units are metres, seconds and radians. Axes are right-handed with +Y up; a character faces +Z and has its left side at +X.
Quaternions are (x, y, z, w). A yaw of 0 faces +Z, and a positive yaw turns towards +X. Every rejected input raises `Error` with
the text of the Rust library, and nothing changes.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Float: TypeAlias = NDArray[np.float32]
_Double: TypeAlias = NDArray[np.float64]
_Long: TypeAlias = NDArray[np.int64]
_Bool: TypeAlias = NDArray[np.bool_]
_Path: TypeAlias = str | PathLike[str]
_Vector: TypeAlias = Sequence[float]
_Config: TypeAlias = _Path | Mapping[str, Any]

__version__: str

class Error(Exception):
    """An input, a file or a setting was rejected. Nothing has changed."""

def build(
    paths: _Path | Sequence[_Path] | Sequence[RawClip] | None = None, config: _Config | None = None
) -> Database:
    """Builds a database.

    `paths`: motion files (.bvh, .glb, .gltf, .fbx), folders, patterns with `*`, or clips. Default: those of the configuration,
    else the built-in clips. `config`: a path of a TOML file, or its tables as a dictionary, such as
    `{"build": {"search_rate_hz": 60}}`.

    Raises `Error` if a file cannot be read, and for an unknown setting.
    """

def built_in(data: Literal["locomotion", "actions"] = "locomotion", config: _Config | None = None) -> Database:
    """Builds the database of the built-in character. `actions` adds jumps, vaults, climbs, seats and reaches."""

def built_in_clips() -> list[RawClip]:
    """Returns the clips of the built-in character."""

def read_clips(paths: _Path | Sequence[_Path], config: _Config | None = None) -> list[RawClip]:
    """Reads the clips of motion files, folders and patterns, with the table `source` of a configuration."""

def doctor(
    clips: _Path | Sequence[_Path] | Sequence[RawClip] | None = None,
    config: _Config | None = None,
    *,
    checks: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[RawClip]]:
    """Finds faults in clips.

    Returns the report (`findings`, `dance_card`, `notes`, number of `clips`, `seconds`), and copies of the clips with faults fixed
    where possible. `checks`: names of checks; default: all. The clips themselves are unchanged.
    """

def retarget(
    clips: _Path | Sequence[_Path] | Sequence[RawClip],
    onto: _Path | Sequence[_Path] | Sequence[RawClip] | None = None,
    *,
    roles: Mapping[str, str] | None = None,
    onto_roles: Mapping[str, str] | None = None,
    plant_feet: bool = True,
) -> tuple[list[RawClip], dict[str, Any]]:
    """Transfers clips to another skeleton, that of the clips `onto`. Default: the built-in one.

    Returns the clips, and a report: `scale`, `source_leg_m`, `target_leg_m`, and in `clips` the measured errors of each.
    `roles`, `onto_roles`: joints by role, such as `{"hips": "Pelvis"}`, for skeletons whose roles are not found.
    """

def retarget_robot(
    clips: _Path | Sequence[_Path] | Sequence[RawClip] | Database,
    robot: Robot,
    *,
    rate_hz: float = 50.0,
    max_speed: float = 20.0,
    roles: Mapping[str, str] | None = None,
    parts: Mapping[str, str] | None = None,
) -> tuple[list[RobotClip], dict[str, Any]]:
    """Transfers clips to the hinges of a humanoid robot: feet planted, ranges and speeds held.

    `clips`: motion files, clips, or a database. `rate_hz`: frames per second of the result. `max_speed`: maximum speed of every hinge,
    rad/s. `roles`: joints of the clips by role. `parts`: bodies and hinges of the robot by part, such as `{"left_knee": "joint_4"}`,
    where they are not found. Returns the clips, and a report: the errors of all clips together, and in `clips` those of each (keys as
    in `footwork robot --json`).

    Raises `Error` for a robot whose limbs are not found, for an unknown part, body or hinge, and for clips that do not fit together.
    """

def evaluate(
    database: Database,
    variants: Mapping[str, _Config | Networks | None] | None = None,
    *,
    courses: Sequence[str] | None = None,
    runs: int = 1,
    first_run: int = 0,
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Drives characters over courses and measures their motion.

    `variants`: a configuration or networks by name; default: the default settings. `courses`: names from "a" to "k"; default: all.
    `runs`: 1 to 64 repetitions with other seeds; `first_run`: number of the first, 0 to 100. Returns
    `{variant: {metric: {"mean", "sd"}}}`, and `mocap`, the captured motion by itself. Units are in the names of the metrics.
    """

def film(
    of: Database | Character,
    positions: _Float | None = None,
    rotations: _Float | None = None,
    contacts: _Bool | None = None,
    *,
    clip: str | None = None,
    rate_hz: float = 60.0,
    title: str | None = None,
    view: Literal["side", "front", "top", "three_quarter"] = "three_quarter",
    format: Literal["png", "webp"] = "png",
    width: int | None = None,
    every: float | None = None,
) -> Picture:
    """Draws motion: a strip of poses as PNG, or an animated picture as WebP.

    Either `clip`: name of a clip of a database. Or `positions` (frames, joints, 3) in metres and `rotations` (frames, joints, 4),
    both in the world, as `world_positions` and `world_rotations` show them, with `contacts` (frames, contact joints) if known.
    `width`: pixels, 480 to 6000 for PNG (default: 1600), 160 to 1920 for WebP (default: 480). `every`: seconds between poses.
    """

class Clip:
    """A clip of a database."""

    @property
    def name(self) -> str: ...
    @property
    def first_frame(self) -> int:
        """Its first frame in `Database.rotations`."""
    @property
    def frames(self) -> int: ...
    @property
    def first_row(self) -> int:
        """Its first row in `Database.features`."""
    @property
    def rows(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def looping(self) -> bool: ...
    @property
    def mirrored(self) -> bool: ...
    @property
    def tags(self) -> list[str]: ...

class RawClip:
    """A clip before a build: local transforms per frame, in metres, +Y up."""

    def __init__(
        self,
        name: str,
        rate_hz: float,
        joints: Sequence[str],
        parents: Sequence[int],
        translations: _Float,
        rotations: _Float,
        *,
        looping: bool = False,
    ) -> None:
        """`parents`: index of each joint's parent; -1 for joint 0. `translations` (frames, joints, 3): relative to the parent, in
        metres. `rotations` (frames, joints, 4): unit quaternions relative to the parent. The first frame is the rest pose."""
    def save(self, path: _Path) -> None:
        """Writes the clip as BVH."""
    @property
    def name(self) -> str: ...
    @property
    def rate_hz(self) -> float: ...
    @property
    def looping(self) -> bool: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def translations(self) -> _Float:
        """(frames, joints, 3), relative to the parent, in metres: a view without a copy."""
    @property
    def rotations(self) -> _Float:
        """(frames, joints, 4), relative to the parent: a view without a copy."""

class Robot:
    """A humanoid robot: bodies and hinges in the order of MuJoCo, metres, radians and seconds, +Z up. Immutable.

    `qpos` has 7 + hinges values: position and rotation (w, x, y, z) of the root, then angles. `qvel` has 6 + hinges values: velocity of
    the root in the world, angular velocity of the root about the axes of its body, then those of the hinges.
    """

    def __init__(self, path: _Path) -> None:
        """Reads a model (MJCF) with the files that it includes. Meshes are not read."""
    @property
    def name(self) -> str: ...
    @property
    def hinges(self) -> list[str]:
        """Names of the hinges, in the order of `qpos[7:]`."""
    @property
    def bodies(self) -> list[str]:
        """Names of the bodies; the first is the root."""
    @property
    def ranges(self) -> _Double:
        """(hinges, 2): least and greatest angles, radians; infinite without a range."""
    def place(self, qpos: _Double) -> tuple[_Double, _Double]:
        """Returns where bodies are in the world: positions (n, bodies, 3), and rotations (n, bodies, 4) as (w, x, y, z).

        `qpos`: (n, 7 + hinges), float64.
        """
    def qpos(self, crowd: Crowd) -> _Double:
        """Returns the poses (n, 7 + hinges) of a crowd whose database was built from clips of this robot (`RobotClip.to_clip`).

        Angles are within the ranges. Rotations of joints about other axes than that of their hinge are left out.

        Raises `Error` for a character of other joints, and for one whose legs are bent to places of feet: its joints turn about any
        axis. Create it with `{"matcher": {"feet": {"enabled": False}, "transition": {"feet_half_life_s": 0}}}`.
        """
    def plan(
        self,
        crowd: Crowd,
        sticks: _Float | None = None,
        frames: int = 25,
        rate_hz: float = 50.0,
        *,
        start: _Double | None = None,
        max_speed: float = 20.0,
        run: bool | _Bool = False,
        looks: _Float | None = None,
        strafe: bool | _Bool = False,
        camera_yaws: _Float | None = None,
        camera_yaw_rates: _Float | None = None,
        velocities: _Float | None = None,
        facings: _Float | None = None,
        tags: str | Sequence[str] = "",
        tag_costs: Sequence[tuple[str, float]] = (),
        user: _Float | None = None,
        variables: Mapping[str, float | _Float] | None = None,
        look_at: _Float | None = None,
        inputs: Sequence[Input] | None = None,
    ) -> tuple[_Double, _Double]:
        """Returns the next poses of a crowd if its input stays as it is: a reference for a tracking controller. The crowd does not move.

        Returns `qpos` (n, frames, 7 + hinges), whose first frame is the present pose, and `qvel` (n, frames, 6 + hinges), the velocities
        from each frame to the next. `frames`: 1 to 1000. `rate_hz`: 1 to 1000. `start` (n, 7 + hinges): present pose of the robot, such
        as that frame of the last plan which it has reached; default: that of the crowd. `max_speed`: of every hinge, rad/s, also from
        `start` on; a hinge that is too slow for the motion catches up with it later. The others are those of `Crowd.step`.

        Raises `Error` as `qpos` and `Crowd.step` do.
        """

class RobotClip:
    """A clip of a robot."""

    @property
    def name(self) -> str: ...
    @property
    def rate_hz(self) -> float: ...
    @property
    def qpos(self) -> _Double:
        """(frames, 7 + hinges): see `Robot`; a view without a copy."""
    @property
    def qvel(self) -> _Double:
        """(frames, 6 + hinges): velocities from each frame to the next; that of the last frame is the one before it."""
    @property
    def contacts(self) -> _Bool:
        """(frames, 2): whether the left and the right foot are planted; a view without a copy."""
    def to_clip(self) -> RawClip:
        """Returns the clip on a skeleton with one joint per hinge, for `build`."""
    def save(self, path: _Path) -> None:
        """Writes the clip: .csv (Unitree's order), .npz (BeyondMimic's arrays) or .bvh."""

class Database:
    """A motion database. Immutable; can be pickled. Its arrays are read-only views without copies that keep it alive."""

    @staticmethod
    def load(path: _Path) -> Database:
        """Reads a `.fwdb` file."""
    def save(self, path: _Path) -> None:
        """Writes a `.fwdb` file, whole or not at all. Equal content gives equal bytes."""
    def save_shards(self, folder: _Path, shards: int) -> Path:
        """Writes the database in shards, each a `.fwdb` file of about the same duration, and a manifest that lists them. Returns the path
        of the manifest.

        `folder` is created. Files of other names that are in it stay. `shards`: 1 up to the number of clips with rows.
        `footwork.ray.ShardedCharacter` searches the shards as one database.
        """
    def search(
        self, queries: _Float, k: int = 1, *, tags: str = "", weights: _Float | None = None
    ) -> tuple[_Long, _Float, _Bool]:
        """Returns the `k` (1 to 4096) rows nearest to each query: `(rows, costs, mirrored)`, each (n, k), the nearest first.

        `queries`: (n, columns) float32, normalised as `features`. `weights`: (columns,) float32; the cost of a row is the sum over
        columns of ((query - row) * weight) squared, or absolute where the schema defines it so. Default: 1. `tags`: a condition
        such as "walk & !stairs". Rows with flag 1 are excluded, and those of motion that is not locomotion unless `tags`
        requests it. Ties go to the lowest row. `mirrored`: true for the mirror image of a row (`build.mirror = "query"`).
        If there are fewer than `k` rows, the others are -1, with infinite costs.
        """
    @staticmethod
    def from_bytes(data: bytes) -> Database: ...
    def to_bytes(self) -> bytes: ...
    @property
    def features(self) -> _Float:
        """(rows, columns): normalised features. The raw value is `features * feature_scale + feature_offset`."""
    @property
    def feature_offset(self) -> _Float:
        """(columns,): means of the raw features."""
    @property
    def feature_scale(self) -> _Float:
        """(columns,): standard deviations divided by weights; positive."""
    @property
    def columns(self) -> list[str]:
        """Labels of the columns."""
    @property
    def channels(self) -> list[tuple[str, int, int]]:
        """(label, first column, first column after it) of each channel."""
    @property
    def rotations(self) -> _Float:
        """(frames, joints, 4): rotations relative to the parent. Joint 0 is the root, in the world of the capture."""
    @property
    def translations(self) -> _Float:
        """(frames, translated joints, 3): translations relative to the parent, in metres; joint 0 in the world of the capture."""
    @property
    def translated_joints(self) -> list[str]:
        """The joints of `translations`. The others keep the translation of their rest pose."""
    @property
    def row_frames(self) -> NDArray[np.uint32]:
        """(rows,): frame of each row."""
    @property
    def row_clips(self) -> NDArray[np.uint32]:
        """(rows,): clip of each row, an index into `clips`."""
    @property
    def row_flags(self) -> NDArray[np.uint8]:
        """(rows,): 1: transitions to the row are blocked; 2: its trajectory was extrapolated."""
    @property
    def contacts(self) -> NDArray[np.uint8]:
        """(frames, contact joints): 1 if the joint touches the ground, else 0."""
    @property
    def contact_joints(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def parents(self) -> list[int]:
        """Index of each joint's parent; -1 for the root."""
    @property
    def clips(self) -> list[Clip]:
        """The clips; stored mirror images share the frames of their originals."""
    @property
    def tags(self) -> list[str]: ...
    def raw_clips(self) -> list[RawClip]:
        """Returns its clips, without mirror images and without those that the build made from others."""
    @property
    def tag_spans(self) -> list[tuple[str, int, int]]:
        """(tag, first frame, first frame after it)."""
    @property
    def pose_rate_hz(self) -> float: ...
    @property
    def search_rate_hz(self) -> float: ...
    @property
    def seconds(self) -> float:
        """Duration of the motion without mirror images, in seconds."""
    @property
    def content_hash(self) -> str:
        """Hash of all content, 32 hexadecimal digits."""
    @property
    def report(self) -> dict[str, Any] | None:
        """The report of the build; `None` for a database from a file."""

class Networks:
    """Networks that replace clips and search (`.fwnet`)."""

    @staticmethod
    def load(path: _Path) -> Networks: ...
    @staticmethod
    def built_in() -> Networks: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def latents(self) -> int: ...

class Character:
    """What characters of one kind share: motion, search index, checked settings. Immutable; share it between threads."""

    def __init__(
        self, database: Database | Networks, config: _Config | None = None, *, machine: _Path | None = None
    ) -> None:
        """`config`: its table `matcher` is used. `machine`: a state machine, a path of a TOML file or "built-in"."""
    def search(self, clip: str, time: float, k: int = 8, **inputs: Any) -> dict[str, Any]:
        """Searches at a time of a clip, in seconds, and explains the result.

        `inputs`: those of `Input`; without a goal, the clip's own future. Returns `candidates` (the `k` best and the playing row, with
        `cost`, `channels`, `verdict`), the number of `rows`, and how many rows each rule `excluded`.
        """
    @property
    def joints(self) -> list[str]: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def contact_joints(self) -> list[str]: ...
    @property
    def variables(self) -> list[str]:
        """Names of the variables and triggers of its state machine."""
    @property
    def config(self) -> dict[str, Any]: ...
    @property
    def stick(self) -> dict[str, Any]:
        """Speeds of a full stick, in m/s."""

class Input:
    """The input of one character for one step. All arguments are keywords; a step rejects NaN and infinity."""

    def __init__(
        self,
        *,
        stick: _Vector | None = None,
        run: bool = False,
        look: _Vector | None = None,
        strafe: bool = False,
        camera_yaw: float = 0.0,
        camera_yaw_rate: float = 0.0,
        velocity: _Vector | None = None,
        facing: float | None = None,
        path: Sequence[_Vector] | None = None,
        path_speed: float = 1.5,
        trajectory: Sequence[tuple[float, _Vector, float]] | None = None,
        tags: str = "",
        later: tuple[str, float] | None = None,
        tag_costs: Sequence[tuple[str, float]] | None = None,
        user: Sequence[float] = (),
        variables: Mapping[str, float] | None = None,
        look_at: _Vector | None = None,
        hands: tuple[Any, Any] | None = None,
        body: tuple[_Vector, _Vector, float, float] | None = None,
        obstacles: Sequence[tuple[_Vector, _Vector, float, float, float]] = (),
        action: Mapping[str, Any] | None = None,
    ) -> None:
        """One goal at most: `stick`, `velocity`, `path` or `trajectory`. Without a goal, the clip continues as captured.

        `stick`, `look`: two numbers (right, forward) as seen from the camera, or three (x, y, z) of a direction in the world; length
        at most 1. `camera_yaw`: radians; `camera_yaw_rate`: rad/s. `velocity`: world, m/s; `facing`: its yaw, radians. `path`:
        positions in the world, metres; `path_speed`: m/s. `trajectory`: (time from now in s, position in m, yaw in rad).
        `tags`: a query such as `"(walk | run) & !stairs"`; `later`: a query and the time of the character from which it holds.
        `tag_costs`: (query, cost) pairs. `user`: values of the user channels. `variables`: those of the state machine; a trigger
        counts how often it was fired. `look_at`: world, metres. `hands`: left and right, each `None` or (position, rotation or
        `None`), world. `body`: position, velocity (m/s), yaw, turn rate (rad/s). `obstacles`: (position, half widths, yaw, radius,
        height). `action`: `kinds`, `contacts` ((position, yaw) pairs), `id`, `landing`, `window`, `go`.
        """

class Matcher:
    """One character. Its arrays are read-only views that show each new step; `.copy()` keeps values."""

    def __init__(self, character: Character, *, position: _Vector = (0.0, 0.0, 0.0), yaw: float = 0.0) -> None:
        """`position`: world, metres. `yaw`: radians."""
    def step(self, input: Input | None = None, dt: float = ..., **inputs: Any) -> None:
        """Advances by `dt` seconds (0 to 10; default: 1/60). The input is an `Input`, or its keywords."""
    def explain(self, k: int = 8) -> dict[str, Any] | None:
        """Explains the last search, as `Character.search` does; `None` before the first."""
    def teleport(self, position: _Vector, yaw: float) -> None: ...
    def state_dict(self) -> dict[str, Any]:
        """Returns the state, as `Crowd.state_dict`."""
    def load_state_dict(self, state: dict[str, Any]) -> None: ...
    @property
    def character(self) -> Character: ...
    @property
    def local_positions(self) -> _Float:
        """(joints, 3): relative to the parent, in metres; joint 0 in the world."""
    @property
    def local_rotations(self) -> _Float:
        """(joints, 4): relative to the parent; joint 0 in the world."""
    @property
    def world_positions(self) -> _Float:
        """(joints, 3): world, metres."""
    @property
    def world_rotations(self) -> _Float:
        """(joints, 4): world."""
    @property
    def root_velocity(self) -> _Float:
        """(3,): world, m/s."""
    @property
    def root_yaw_rate(self) -> float:
        """Radians per second about +Y."""
    @property
    def contacts(self) -> _Bool:
        """(contact joints,): true if the joint touches the ground."""
    @property
    def time(self) -> float:
        """Seconds since the start."""
    @property
    def clip(self) -> int:
        """The playing clip, an index into `Database.clips`."""
    @property
    def clip_name(self) -> str | None: ...
    @property
    def clip_time(self) -> float:
        """Time in the clip, in seconds."""
    @property
    def mirrored(self) -> bool: ...
    @property
    def searches(self) -> int:
        """Searches of the last step."""
    @property
    def transitions(self) -> int:
        """Transitions of the last step."""
    @property
    def events(self) -> list[tuple[str, float, str]]:
        """(name, time in s, kind) of the last step. The kinds of a range are "begin" and "end"."""
    @property
    def footsteps(self) -> list[tuple[str, float, list[float]]]:
        """(joint, time in s, position in the world in m) of the last step."""
    @property
    def actions(self) -> list[tuple[int, float, str]]:
        """(id of the request, time in s, step) of the last step."""

class Crowd:
    """Many characters of one kind. Its arrays are read-only views of one block that show each new step; `.copy()` keeps values.

    A step has the bits of `Matcher` and of Rust, with any number of threads. It runs without the interpreter's lock. A crowd that
    another thread is stepping raises `Error`. Views that are read during a step in another thread may mix two steps.
    """

    def __init__(
        self,
        character: Character,
        n: int,
        *,
        threads: int = 1,
        positions: _Float | None = None,
        yaws: _Float | None = None,
    ) -> None:
        """`n`: 1 to 100000. `threads`: 1 to 256. `positions` (n, 3): world, metres. `yaws` (n,): radians."""
    def step(
        self,
        sticks: _Float | None = None,
        dt: float = ...,
        *,
        run: bool | _Bool = False,
        looks: _Float | None = None,
        strafe: bool | _Bool = False,
        camera_yaws: _Float | None = None,
        camera_yaw_rates: _Float | None = None,
        velocities: _Float | None = None,
        facings: _Float | None = None,
        tags: str | Sequence[str] = "",
        tag_costs: Sequence[tuple[str, float]] = (),
        user: _Float | None = None,
        variables: Mapping[str, float | _Float] | None = None,
        look_at: _Float | None = None,
        inputs: Sequence[Input] | None = None,
    ) -> None:
        """Advances all characters by `dt` seconds (0 to 10; default: 1/60), or none.

        `sticks`, `looks` (n, 3): directions in the world; or (n, 2): right and forward as seen from the camera; length at most 1.
        `run`, `strafe`: for all, or (n,). `camera_yaws` (n,): radians; `camera_yaw_rates` (n,): rad/s. `velocities` (n, 3): world,
        m/s, instead of sticks; `facings` (n,): their yaws, radians. `tags`: a query for all, or one per character. `tag_costs`:
        (query, cost) pairs for all. `user` (n, user values). `variables`: by name, a number for all or (n,). `look_at` (n, 3):
        world, metres. `inputs`: one `Input` per character, instead of everything else. Arrays are float32 or bool.

        Raises `Error` for another dtype or shape, NaN, infinity, an unknown name or a time step out of range. A note of the
        exception names the character. Then no character has moved. Raises `TypeError` for an unknown keyword.
        """
    def teleport(self, i: int, position: _Vector, yaw: float) -> None: ...
    def state_dict(self) -> dict[str, Any]:
        """Returns the states: `headers`, a list of n texts, and `blocks`, float32 (n, floats). Both can be pickled."""
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues from saved states, bit for bit.

        Raises `Error` for states of another character or number, and for damaged ones. Then nothing has changed.
        """
    def __len__(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def character(self) -> Character: ...
    @property
    def local_positions(self) -> _Float:
        """(n, joints, 3): relative to the parent, in metres; joint 0 in the world."""
    @property
    def local_rotations(self) -> _Float:
        """(n, joints, 4): relative to the parent; joint 0 in the world."""
    @property
    def world_positions(self) -> _Float:
        """(n, joints, 3): world, metres."""
    @property
    def world_rotations(self) -> _Float:
        """(n, joints, 4): world."""
    @property
    def root_velocities(self) -> _Float:
        """(n, 3): world, m/s."""
    @property
    def root_yaw_rates(self) -> _Float:
        """(n,): radians per second about +Y."""
    @property
    def contacts(self) -> _Bool:
        """(n, contact joints): true if the joint touches the ground."""
    @property
    def clips(self) -> NDArray[np.int32]:
        """(n,): the playing clips, indices into `Database.clips`."""
    @property
    def clip_times(self) -> _Double:
        """(n,): times in the clips, in seconds."""
    @property
    def mirrored(self) -> _Bool:
        """(n,): true if the clip is mirrored."""
    @property
    def times(self) -> _Double:
        """(n,): seconds since the start."""
    @property
    def searches(self) -> NDArray[np.uint32]:
        """(n,): searches of the last step."""
    @property
    def transitions(self) -> NDArray[np.uint32]:
        """(n,): transitions of the last step."""
    @property
    def stranded(self) -> _Bool:
        """(n,): true while nothing can be played."""

class Course:
    """Scripted input: "standard", "random" or "none", or a course of evaluations, "a" to "k"."""

    def __init__(self, name: str = "standard", seed: int = 1) -> None: ...
    def input(self, time: float, matcher: Matcher) -> Input:
        """Returns the input at a time, in seconds. Times must not decrease."""
    def part(self, time: float) -> str:
        """Returns the name of the part of the course at a time, in seconds."""
    @property
    def name(self) -> str: ...

class PoseHash:
    """Hash of every bit of poses, in order. Equal hashes mean identical motion."""

    def __init__(self) -> None: ...
    def update(self, of: Matcher | Crowd) -> None:
        """Adds the local transforms of a character, or of all characters of a crowd in order."""
    def hexdigest(self) -> str:
        """Returns the `pose_hash` of `footwork simulate --json`."""

class Picture:
    """A picture in memory. Notebooks show it."""

    @property
    def data(self) -> bytes: ...
    @property
    def format(self) -> Literal["png", "webp"]: ...
    def save(self, path: _Path) -> None: ...
