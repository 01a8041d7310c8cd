"""The stubs describe what exists, and what exists is described."""

import ast
import inspect
from pathlib import Path

import footwork

STUBS = ast.parse((Path(footwork.__file__).parent / "__init__.pyi").read_text())


def test_stubs_and_package_have_the_same_names():
    described = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert set(described) == set(footwork.__all__) - {"__version__"}
    for name, node in described.items():
        assert ast.get_docstring(node), name
        if isinstance(node, ast.ClassDef):
            stubbed = {child.name for child in node.body if isinstance(child, ast.FunctionDef)}
            real = {member for member in vars(getattr(footwork, name)) if not member.startswith("_")}
            assert {member for member in stubbed if not member.startswith("_")} == real, name


def test_functions_take_the_arguments_of_the_stubs():
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef):
            described = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            real = getattr(footwork, node.name).__text_signature__
            given = [part.split("=")[0].strip() for part in real.strip("()").split(", ")]
            assert described == [name for name in given if name.isidentifier()], node.name


def test_docstrings_are_those_of_the_stubs():
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef):
            assert inspect.getdoc(getattr(footwork, node.name)) == ast.get_docstring(node), node.name
        if isinstance(node, ast.ClassDef) and node.name != "Error":
            of_class = getattr(footwork, node.name)
            members = {child.name: ast.get_docstring(child) for child in node.body if isinstance(child, ast.FunctionDef)}
            described = [ast.get_docstring(node), members.pop("__init__", None)]
            assert inspect.getdoc(of_class) == "\n\n".join(text for text in described if text), node.name
            for name, text in members.items():
                assert text is None or inspect.getdoc(getattr(of_class, name)) == text, (node.name, name)
