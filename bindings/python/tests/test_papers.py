"""The Python of README and guide runs, and so do the notebooks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import footwork

PACKAGE = Path(__file__).parent.parent
GUIDE = PACKAGE.parent.parent / "docs/guide"
PAGES = [PACKAGE / "README.md", GUIDE / "python.md", GUIDE / "fit.md", GUIDE / "corpora.md"]
COMMAND = os.environ.get("FOOTWORK_COMMAND")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page, tmp_path):
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE))
    assert code.count("\n") >= 10
    shutil.copy(PACKAGE.parent.parent / "examples/robot/person.xml", tmp_path)
    if page.name == "fit.md":
        # A part of what `footwork gait -o mocap` writes.
        (tmp_path / "mocap").mkdir()
        for clip in footwork.built_in_clips()[::4]:
            clip.save(tmp_path / "mocap" / f"{clip.name}.bvh")
    if page.name == "corpora.md":
        if COMMAND is None:
            pytest.skip("FOOTWORK_COMMAND names no command `footwork`")
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
            for line in block.splitlines():
                subprocess.run([COMMAND, *line.split()[1:]], cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["data", "why"])
def test_a_notebook_runs(name, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(PACKAGE / "notebooks" / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    kinds = [kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert "image/png" in kinds
