"""Compiling the C programs of this folder, and running the native host."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import ge
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = pathlib.Path(ge.__file__).parent
LIBPYTHON = pathlib.Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
SHARED = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))
SANITIZED = any(name in os.environ.get("LD_PRELOAD", "") for name in ("libasan", "libtsan"))

needs_shared_python = pytest.mark.skipif(not SHARED, reason="this Python has no shared library to embed")

# One pass that turns every operator of one type into another.
SWAP = """
from ge.es.all import {old}, {new}
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="{old}To{new}", stage=PassStage.BEFORE_INFER_SHAPE)
class Swap(PatternFusionPass):
    @pattern
    def old(self, inputs):
        return {old}(inputs[0])

    def replacement(self, inputs):
        return {new}(inputs[0])
"""


def build(target, source, *flags):
    """Compiles a C file of this folder to `target`."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    assert compiler, "the tests of native hosts need a C compiler"
    command = [
        compiler,
        "-std=gnu11",
        "-Wall",
        "-Werror",
        "-g",
        "-o",
        str(target),
        str(HERE / source),
        *map(str, flags),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return target


def host_flags(package):
    """To use the core that is in `package`."""
    library = package / "lib"
    return [f"-I{ROOT / 'include'}", f"-L{library}", "-lge_compiler", "-ldl", "-lpthread", f"-Wl,-rpath,{library}"]


class Host:
    """The compiled host; calling it takes its steps."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def __call__(self, *steps, passes=(), env=None, check=0, timeout=120):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_", "DUMP_"))}
        environment.update(GE_PY_FALLBACK="0", GE_PYTHON_EXECUTABLE=sys.executable, HOST_LIBPYTHON=str(LIBPYTHON))
        # A component that starts CPython on its own has no environment to take packages from but these.
        paths = [str(PACKAGE.parent), sysconfig.get_path("purelib"), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
        if passes:
            environment["ASCEND_GE_PY_PASS_PATH"] = os.pathsep.join(map(str, passes))
        for name, value in (env or {}).items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = str(value)
        done = subprocess.run(
            [str(self.program), *map(str, steps)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env=environment,
            timeout=timeout,
        )
        done.text = done.stdout
        assert done.returncode == check, f"exit code {done.returncode}\n{done.text}"
        return done
