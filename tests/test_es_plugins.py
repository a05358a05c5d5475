"""Operator packages: how they are found, loaded and named; what a broken one does."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import textwrap
import types

import ge.es
import pytest
from ge.es import _plugin_loader as loader

GROUPS = ["all", "custom", "cv", "math", "nn", "transformer"]


class EntryPoint:
    def __init__(self, name, loaded, value="package:attribute"):
        self.name = name
        self.value = value
        self._loaded = loaded

    def load(self):
        if isinstance(self._loaded, BaseException):
            raise self._loaded
        return self._loaded


@pytest.fixture
def reported(monkeypatch):
    """What the loader reports, as (level, whole text)."""
    lines = []
    monkeypatch.setattr(loader, "debug_print", lambda level, text, *args: lines.append((level, text % args)))
    return lines


@pytest.fixture
def load(monkeypatch, reported):
    """load(points, reserved=()) -> what load_all_plugins gives; no trace is left."""

    def run(points, **more):
        monkeypatch.setattr(loader, "_iter_plugin_entry_points", lambda: points)
        before = set(sys.modules), set(vars(ge.es))
        try:
            return loader.load_all_plugins(**more)
        finally:
            for name in set(sys.modules) - before[0]:
                del sys.modules[name]
            for name in set(vars(ge.es)) - before[1]:
                delattr(ge.es, name)

    return run


# ---- the list ----------------------------------------------------------------------------------------------------------


def test_the_groups_are_listed_first():
    assert ge.es.list_plugins()[: len(GROUPS)] == GROUPS
    for name in ge.es.list_plugins():
        assert isinstance(ge.es.get_plugin(name), types.ModuleType)
        assert ge.es.get_plugin(name) is getattr(ge.es, name) is sys.modules[f"ge.es.{name}"]


@pytest.mark.parametrize("name", ["nope", "", None, "graph_builder", "_operators"])
def test_there_is_no_plugin_of_another_name(name):
    assert ge.es.get_plugin(name) is None


def test_names_that_are_not_there():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("ge.es.nope")
    with pytest.raises(ImportError):
        exec("from ge.es import nope")
    with pytest.raises(AttributeError):
        ge.es.nope  # noqa: B018
    with pytest.raises(ImportError):
        exec("from ge.es.math import Nope")


def test_star_import_brings_the_groups():
    scope = {}
    exec("from ge.es import *", scope)
    assert {"GraphBuilder", "TensorHolder", "list_plugins", "get_plugin", *GROUPS} <= set(scope)
    assert "InputType" not in scope and not hasattr(ge.es, "attr_scope")


def test_importing_the_operators_imports_nothing_slow():
    code = "import sys, ge.es.math; print([m for m in sys.argv[1:] if m in sys.modules])"
    slow = ["dataclasses", "importlib.metadata", "inspect", "logging", "pathlib", "platform", "sysconfig", "ge.passes.base"]
    done = subprocess.run([sys.executable, "-S", "-c", code, *slow], stdout=subprocess.PIPE, text=True, env=with_packages())
    assert done.stdout == "[]\n"


def with_packages():
    """An environment for `python -S`, which finds what this process finds."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


# ---- entry points ------------------------------------------------------------------------------------------------------


def test_an_entry_point_gives_a_module_its_name_or_a_callable(monkeypatch):
    module = types.ModuleType("given")
    imported = []
    monkeypatch.setattr(loader.importlib, "import_module", lambda name: imported.append(name) or module)
    assert loader._coerce_to_module(module) is module and imported == []
    assert loader._coerce_to_module("some.module") is module and imported == ["some.module"]
    assert loader._coerce_to_module(lambda: module) is module
    assert loader._coerce_to_module(lambda: lambda: "other") is module and imported[1:] == ["other"]
    for wrong in (7, None):
        with pytest.raises(TypeError, match="must give a module"):
            loader._coerce_to_module(wrong)


def test_entry_points_come_as_older_and_newer_pythons_give_them(monkeypatch):
    class Selectable:
        def select(self, *, group):
            return (group,)

    def answers(given):
        def entry_points(**selection):
            if selection and not isinstance(given, (list, tuple, dict)):
                raise TypeError
            return given

        return entry_points

    def only_without_arguments():
        return {"ge.es.plugins": [4], "other": [5]}

    for given, found in (([1, 2], [1, 2]), ((), []), ({"ge.es.plugins": [3]}, [3]), ({}, []), (Selectable(), ["ge.es.plugins"])):
        monkeypatch.setattr(loader, "entry_points", answers(given))
        assert list(loader._iter_plugin_entry_points()) == found
    monkeypatch.setattr(loader, "entry_points", only_without_arguments)
    assert list(loader._iter_plugin_entry_points()) == [4]


def test_what_is_loaded_is_importable(load, reported):
    module = types.ModuleType("es_mine")
    module.Op = 1
    assert load([EntryPoint("mine", module)]) == {"mine": module}
    assert [level for level, _ in reported] == ["INFO"]


@pytest.mark.parametrize(
    "point, level, text",
    [
        (EntryPoint("", None), "WARNING", "has no name"),
        (EntryPoint(None, None), "WARNING", "has no name"),
        (EntryPoint("bad", AttributeError("gone")), "ERROR", "'bad' ('package:attribute') cannot be loaded: AttributeError: gone"),
        (EntryPoint("bad", ImportError("missing")), "ERROR", "cannot be loaded: ImportError: missing"),
        (EntryPoint("bad", ZeroDivisionError("x")), "ERROR", "cannot be loaded: ZeroDivisionError: x"),
        (EntryPoint("bad", SystemExit(3)), "ERROR", "cannot be loaded: SystemExit: 3"),
        (EntryPoint("bad", 7), "ERROR", "cannot be loaded: TypeError"),
    ],
)
def test_a_broken_package_is_reported_and_left_out(load, reported, point, level, text):
    good = types.ModuleType("es_good")
    assert load([point, EntryPoint("good", good)]) == {"good": good}
    assert reported[0][0] == level and text in reported[0][1] and reported[1][0] == "INFO"


def test_a_name_is_given_once(load, reported):
    first, second = types.ModuleType("es_first"), types.ModuleType("es_second")
    points = [EntryPoint("x", first), EntryPoint("x", second, "es_second:get_module"), EntryPoint("math", second)]
    assert load(points, reserved={"math"}) == {"x": first}
    assert [level for level, _ in reported] == ["INFO", "WARNING", "WARNING"]
    assert "'es_second:get_module'" in reported[1][1] and "'es_first'" in reported[1][1] and "'ge.es'" in reported[2][1]


def test_reports_go_to_logging(caplog, capsys):
    with caplog.at_level(logging.DEBUG, logger="ge.es._plugin_loader"):
        loader.debug_print("ERROR", "text %s %d", "a", 1)
        loader.debug_print("INFO", "plain")
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("ERROR", "text a 1"), ("INFO", "plain")]
    assert capsys.readouterr().out == ""


# ---- real packages -----------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path):
    """installed({name: source}) makes distributions with an entry point each; run(code) runs Python that sees them."""

    class Site:
        def add(self, name, source, value=None):
            (tmp_path / f"es_{name}.py").write_text(textwrap.dedent(source))
            info = tmp_path / f"es_{name}-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: es-{name}\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text(f"[ge.es.plugins]\n{name} = {value or f'es_{name}:get_module'}\n")

        def run(self, code):
            path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
            return subprocess.run(
                [sys.executable, "-c", textwrap.dedent(code)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": path},
                timeout=60,
            )

    return Site()


GOOD = """
    import sys

    def get_module():
        return sys.modules[__name__]

    value = 42
"""


def test_an_installed_package_is_a_module_of_ge_es(installed):
    installed.add("mine", GOOD)
    done = installed.run(
        """
        import sys
        import ge.es
        assert "es_mine" not in sys.modules and "importlib.metadata" not in sys.modules, "nothing was asked for yet"
        from ge.es.mine import value
        import ge.es.mine as module
        import es_mine
        assert module is es_mine is ge.es.mine is ge.es.get_plugin("mine") is sys.modules["ge.es.mine"], "one module"
        assert module.__name__ == "es_mine" and module.__spec__.name == "es_mine", module.__spec__
        assert value == 42 and ge.es.list_plugins()[-1] == "mine" and "mine" in dir(ge.es)
        from ge.es import *
        assert mine is module
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_package_may_be_imported_first_and_ask_for_the_others(installed):
    installed.add("mine", textwrap.dedent(GOOD) + "import ge.es\nnames = ge.es.list_plugins()\n")
    installed.add("other", GOOD)
    done = installed.run("import es_mine, ge.es; print(sorted(ge.es.list_plugins()[6:]), ge.es.mine is es_mine)")
    assert (done.returncode, done.stdout) == (0, "['mine', 'other'] True\n"), done.stderr


def test_broken_packages_do_not_break_ge_es(installed):
    installed.add("raises", "raise RuntimeError('no good')")
    installed.add("empty", "")
    installed.add("number", "get_module = 7")
    installed.add("exits", GOOD, value="es_nowhere:get_module")
    installed.add("math", "raise AssertionError('never imported')")
    installed.add("good", GOOD)
    done = installed.run("import ge.es; print(ge.es.list_plugins()[6:], ge.es.math.Add.__name__)")
    assert (done.returncode, done.stdout) == (0, "['good'] Add\n"), done.stderr
    for text in ("'raises' ('es_raises:get_module') cannot be loaded: RuntimeError: no good", "'empty'", "'number'", "'exits'",
                 "'math' ('es_math:get_module') is left out"):  # fmt: skip
        assert text in done.stderr
    assert "never imported" not in done.stderr
