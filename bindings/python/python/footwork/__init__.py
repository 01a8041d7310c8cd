"""Motion matching: databases of captured motion as numpy arrays, exact search, crowds of characters.

Units are metres, seconds and radians. Axes are right-handed with +Y up; a character faces +Z and has its left side at +X.
Quaternions are (x, y, z, w). Every rejected input raises :class:`footwork.Error`, and nothing changes.
"""

from footwork._native import (
    Character,
    Clip,
    Course,
    Crowd,
    Database,
    Error,
    Input,
    Matcher,
    Networks,
    Picture,
    PoseHash,
    RawClip,
    Robot,
    RobotClip,
    __version__,
    build,
    built_in,
    built_in_clips,
    doctor,
    evaluate,
    film,
    read_clips,
    retarget,
    retarget_robot,
)

__all__ = [
    "Character",
    "Clip",
    "Course",
    "Crowd",
    "Database",
    "Error",
    "Input",
    "Matcher",
    "Networks",
    "Picture",
    "PoseHash",
    "RawClip",
    "Robot",
    "RobotClip",
    "__version__",
    "build",
    "built_in",
    "built_in_clips",
    "doctor",
    "evaluate",
    "film",
    "read_clips",
    "retarget",
    "retarget_robot",
]
