"""The examples run, and their motion is that of the command line."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent


def command_line():
    """Returns the command `footwork`: that of FOOTWORK_COMMAND, else the one in the path."""
    return os.environ.get("FOOTWORK_COMMAND") or shutil.which("footwork")


def run(example, *arguments):
    command = [sys.executable, PACKAGE / "examples" / example, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_standard_course_has_the_bits_of_the_command_line():
    lines = run("standard_course.py")
    assert lines[-2].startswith(" 56.0 s  stop")
    command = command_line()
    if command is None:
        pytest.skip("no command `footwork`: set FOOTWORK_COMMAND")
    arguments = ["simulate", "--course", "standard", "--seconds", "60", "--seed", "1", "--json"]
    told = subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout
    assert lines[-1] == json.loads(told)["pose_hash"]


def test_a_stick_drives_a_robot_in_mujoco(tmp_path):
    pytest.importorskip("mujoco")
    lines = run("robot_stick.py", "--pictures", tmp_path)
    bodies, hinges, controller, walked = (re.findall(r"-?\d+\.\d+", line) for line in lines[-4:])
    assert float(bodies[0]) < 0.1
    assert float(hinges[0]) <= float(hinges[1]) <= 20
    assert float(controller[0]) < 3
    # Ahead for three seconds, then in a circle.
    assert 2 < float(walked[0]) < 5, walked
    for picture in ("robot.png", "ranges.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
