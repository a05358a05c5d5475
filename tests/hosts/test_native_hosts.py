"""Processes that run compiles: who starts CPython, who ends it, and in which order."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from _onnx_models import operators
from _programs import PACKAGE, ROOT, SANITIZED, SWAP, Host, build, host_flags, needs_shared_python

NEG, RELU = {"Neg": 1}, {"Relu": 1}


def test_the_headers_are_c99_and_complete_by_themselves(tmp_path):
    for header in sorted((ROOT / "include" / "ge" / "c").glob("*.h")):
        source = tmp_path / "header.c"
        source.write_text(f'#include "ge/c/{header.name}"\nint main(void) {{ return 0; }}\n')
        build(tmp_path / "header", source, "-std=c99", "-pedantic-errors", f"-I{ROOT / 'include'}")


# --- Python processes -------------------------------------------------------------------------------------------------


def test_the_console_script_runs_passes(model, plugin, atc):
    places = [pathlib.Path(sys.executable).parent / "atc", PACKAGE.parent / "bin" / "atc"]
    script = next((place for place in places if place.is_file()), None)
    command = [str(script)] if script else [sys.executable, "-c", "from ge.pyatc.__main__ import main; main()"]
    assert operators(atc.compile(model, passes=[plugin], command=command).path) == NEG


CALL = """
import ctypes, pathlib, sys
import ge
library = ctypes.CDLL(str(pathlib.Path(ge.__file__).parent / "lib" / "libge_compiler.so"))
words = [b"atc", b"--framework=5", b"--model=" + sys.argv[1].encode(), b"--emit=onnx", b"--soc_version=Ascend910B1"]
library.ge_atc_main.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
def compile(output):
    argv = (ctypes.c_char_p * 6)(*words, b"--output=" + output.encode())
    return library.ge_atc_main(6, argv)
"""


def run_python(code, *arguments, passes=(), env=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_"))}
    if passes:
        environment["ASCEND_GE_PY_PASS_PATH"] = os.pathsep.join(map(str, passes))
    environment.update(env or {})
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_python_process_calls_the_compiler_with_ctypes(model, plugin, tmp_path):
    code = CALL + (
        "import os; os.chdir(sys.argv[2])\n"
        "assert compile('a') == 0 and compile('b') == 0\n"
        "library.ge_runtime_shutdown(); library.ge_runtime_shutdown()\n"
        "assert compile('c') == 0 and sum([1, 2]) == 3\n"
    )
    text = run_python(code, model, tmp_path, passes=[plugin])
    assert [operators(tmp_path / f"{name}.onnx") for name in "abc"] == [NEG, NEG, RELU], text
    assert text.count("have been shut down in this process") == 1, text


@needs_shared_python
def test_a_python_process_starts_the_native_program(model, plugin, atc):
    """As a wrapper script does: atc.bin is a process of its own then, with an interpreter of its own."""
    code = f"import subprocess, sys; sys.exit(subprocess.call([{str(PACKAGE / 'bin' / 'atc.bin')!r}, *sys.argv[1:]]))"
    done = atc.compile(
        model, passes=[plugin], command=[sys.executable, "-c", code], env={"GE_PYTHON_EXECUTABLE": sys.executable}
    )
    assert operators(done.path) == NEG, done.text


@needs_shared_python
def test_the_native_program_alone_starts_python(model, plugin, atc):
    plugin.write_text(
        plugin.read_text() + "\nimport sys, threading\nprint('in', sys.prefix, threading.active_count())\n"
    )
    done = atc.compile(
        model, passes=[plugin], command=[str(PACKAGE / "bin" / "atc.bin")], env={"GE_PYTHON_EXECUTABLE": sys.executable}
    )
    assert operators(done.path) == NEG and f"in {sys.prefix} 1" in done.text, done.text


# --- the component and the bridge -------------------------------------------------------------------------------------


@needs_shared_python
@pytest.mark.parametrize("start", ["start", "start-local"])
def test_the_interpreter_of_another_component_is_borrowed(start, host, model, plugin):
    """The component finalises after the compiler's shutdown, which leaves the interpreter alone."""
    done = host(
        start,
        "compile",
        model,
        "out",
        "python",
        "seen = 1",
        "shutdown",
        "python",
        "print('alive', seen)",
        "finalize",
        passes=[plugin],
    )
    assert operators(host.folder / "out.onnx") == NEG, done.text
    assert "alive 1" in done.text and "finalize 0" in done.text and done.text.endswith("end\n"), done.text


@needs_shared_python
@pytest.mark.parametrize("start", ["start", "start-local"])
def test_the_component_finalises_first(start, host, model, plugin):
    done = host(
        start,
        "load",
        "compile",
        model,
        "a",
        "finalize",
        "compile",
        model,
        "b",
        "unload",
        "shutdown",
        "shutdown",
        "load",
        passes=[plugin],
    )
    assert operators(host.folder / "a.onnx") == NEG and operators(host.folder / "b.onnx") == RELU, done.text
    assert "finalised" in done.text and done.text.endswith("end\n"), done.text


@needs_shared_python
def test_a_component_that_starts_python_anew_is_refused_with_the_reason(host, model, plugin):
    done = host(
        "start",
        "compile",
        model,
        "a",
        "finalize",
        "start",
        "compile",
        model,
        "b",
        "acquire",
        "me",
        "shutdown",
        "python",
        "print('second')",
        "finalize",
        passes=[plugin],
    )
    assert operators(host.folder / "a.onnx") == NEG and operators(host.folder / "b.onnx") == RELU, done.text
    assert "acquire -1" in done.text and "start a new process" in done.text and "second" in done.text, done.text


@needs_shared_python
def test_an_interpreter_that_ended_before_the_first_compile_does_no_harm(host, model, plugin):
    done = host("start", "finalize", "start", "compile", model, "out", "shutdown", "finalize", passes=[plugin])
    assert operators(host.folder / "out.onnx") == NEG, done.text


@needs_shared_python
def test_a_component_uses_the_interpreter_that_the_bridge_started(host, model, plugin):
    done = host(
        "compile",
        model,
        "out",
        "acquire",
        "component",
        "python",
        "import json; print(json.dumps([1]))",
        "shutdown",
        "python",
        "import atexit; atexit.register(print, 'python ends')",
        "release",
        "component",
        "shutdown",
        passes=[plugin],
    )
    assert operators(host.folder / "out.onnx") == NEG, done.text
    # A counted user keeps it; the shutdown after its release finalises.
    assert "[1]\npython 0\nshutdown\npython 0\npython ends\nshutdown\n" in done.text, done.text


@needs_shared_python
def test_shutdown_finalises_what_the_bridge_started(host, model, plugin):
    plugin.write_text(plugin.read_text() + "\nimport atexit; atexit.register(print, 'python ends')\n")
    done = host("compile", model, "out", "shutdown", "shutdown", passes=[plugin])
    assert done.text.index("python ends") < done.text.index("shutdown\n"), done.text


@needs_shared_python
def test_a_component_may_finalise_what_the_bridge_started(host, model, plugin):
    done = host(
        "compile", model, "out", "python", "x = 1", "finalize", "compile", model, "b", "shutdown", passes=[plugin]
    )
    assert operators(host.folder / "out.onnx") == NEG and operators(host.folder / "b.onnx") == RELU, done.text
    assert "finalize 0" in done.text and done.text.endswith("end\n"), done.text


@needs_shared_python
def test_acquire_starts_python_and_counts(host, model, plugin):
    done = host(
        "acquire", "one", "python", "print('runs')", "release", "one", "release", "one", "shutdown", "acquire", "two"
    )
    assert "acquire 0" in done.text and "runs" in done.text and "acquire -1" in done.text, done.text


@needs_shared_python
@pytest.mark.parametrize(
    "ends", [["shutdown", "shutdown"], ["unload", "shutdown", "shutdown"], [], ["unload", "unload"]]
)
def test_every_way_to_the_end_is_a_clean_one(ends, host, model, plugin):
    done = host("load", "compile", model, "out", *ends, passes=[plugin])
    assert operators(host.folder / "out.onnx") == NEG and done.text.endswith("end\n"), done.text


# --- load and unload --------------------------------------------------------------------------------------------------


@needs_shared_python
def test_load_tells_what_was_wrong_and_keeps_the_rest(host, model, plugin, tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise ValueError('at import')\n")
    done = host(
        "load",
        "compile",
        model,
        "out",
        "unload",
        "unset",
        "ASCEND_GE_PY_PASS_PATH",
        "compile",
        model,
        "none",
        passes=[plugin, broken],
    )
    assert "problem import: ValueError: at import" in done.text and "load 1" in done.text, done.text
    assert operators(host.folder / "out.onnx") == NEG and operators(host.folder / "none.onnx") == RELU


@needs_shared_python
def test_passes_stay_loaded_over_many_compiles(host, model, plugin):
    plugin.write_text(plugin.read_text() + "\nprint('imported')\n")
    done = host("load", "compile", model, "a", "compile", model, "b", "unload", "compile", model, "c", passes=[plugin])
    assert done.text.count("imported") == 2, done.text  # the last compile loads it for itself
    assert [operators(host.folder / f"{name}.onnx") for name in "abc"] == [NEG, NEG, NEG]


@needs_shared_python
def test_loading_from_another_path_a_hundred_times_keeps_memory_flat(host, model, plugin, tmp_path):
    other = tmp_path / "other" / "package"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("from . import swap\n")
    (other / "swap.py").write_text(SWAP.format(old="Relu", new="Exp"))
    done = host("cycle", 100, model, "out", plugin, other.parent, "unload", "shutdown")
    assert operators(host.folder / "out.onnx") == {"Exp": 1} and "failed" not in done.text, done.text
    grown = int(next(line for line in done.text.splitlines() if line.startswith("grown")).split()[1])
    assert grown < 1024 or SANITIZED, f"{grown} KiB over 75 loads"


# --- where things lie -------------------------------------------------------------------------------------------------


@pytest.fixture
def odd_package(tmp_path):
    """The package in a folder with a blank and letters beyond ASCII."""
    home = tmp_path / "ein Ort für π"
    shutil.copytree(PACKAGE, home / "ge", ignore=shutil.ignore_patterns("__pycache__"))
    return home / "ge"


@needs_shared_python
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_paths_with_blanks_and_letters_beyond_ascii(locale, odd_package, model, plugin, tmp_path):
    plugin = plugin.rename(odd_package.parent / "päss mit Leerzeichen.py")
    model = model.rename(odd_package.parent / "modèle 1.onnx")
    host = Host(build(odd_package.parent / "wirt ß", "host.c", *host_flags(odd_package)), odd_package.parent)
    env = {"PYTHONPATH": None, "LC_ALL": locale}
    done = host("compile", model, "résultat", "shutdown", passes=[plugin], env=env)
    assert operators(odd_package.parent / "résultat.onnx") == NEG, done.text


@needs_shared_python
@pytest.mark.parametrize("chosen", ["VIRTUAL_ENV", "PATH", "GE_PYTHON_EXECUTABLE"])
def test_the_virtual_environment_that_is_active_is_used(chosen, host, model, plugin, tmp_path):
    home = tmp_path / "an env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(home)], check=True)
    site = next((home / "lib").glob("python*/site-packages"))
    (site / "only_there.py").write_text("NAME = 'from the environment'\n")
    plugin.write_text("import only_there; print(only_there.NAME)\n" + plugin.read_text())
    env = {"GE_PYTHON_EXECUTABLE": None, "VIRTUAL_ENV": None}
    if chosen == "PATH":
        env["PATH"] = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    else:
        env[chosen] = home if chosen == "VIRTUAL_ENV" else home / "bin" / "python"
    done = host("compile", model, "out", "shutdown", passes=[plugin], env=env)
    assert "from the environment" in done.text and operators(host.folder / "out.onnx") == NEG, done.text
