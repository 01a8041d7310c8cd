"""The examples run, and their motion is that of the command line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent


def command_line():
    """Returns the command `footwork`: that of FOOTWORK_COMMAND, else the one in the path."""
    return os.environ.get("FOOTWORK_COMMAND") or shutil.which("footwork")


def run(example):
    done = subprocess.run([sys.executable, PACKAGE / "examples" / example], capture_output=True, text=True, check=True)
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


def test_a_stick_drives_a_robot_in_mujoco():
    pytest.importorskip("mujoco")
    plan, walked = run("robot_stick.py")[-2:]
    assert plan.startswith("plan: 25 frames of 32 values")
    assert float(plan.split()[-2]) < 60, plan
    assert walked.startswith("the robot walked to"), walked
