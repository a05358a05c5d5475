"""scripts/abi_audit.py against planted violations: each kind is found, and nothing is found in a clean wheel."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Callable, NamedTuple

import pytest

pytest.importorskip("abi3info", reason="abi3info needs Python 3.10 or later")
pytest.importorskip("elftools")

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "abi_audit.py"
EXPORTS = ROOT / "cmake" / "exports"
MODULES = ("abi_audit", "abi_rules", "abi_ge_rules", "abi_subject")

sys.path.insert(0, str(ROOT / "scripts"))

import abi_instead  # noqa: E402
from _other_libraries import ARM64, X86_64, mach_o, pe, universal  # noqa: E402
from abi_kinds import KINDS  # noqa: E402

SET = "ge/passes/python_pass_artifacts/abi3-linux-x86_64"
CORE = "ge/lib/libge_compiler.so"
PROGRAM = "ge/bin/atc.bin"
BRIDGE = f"{SET}/libge_python_pass_bridge.so"
NATIVE = f"{SET}/_ge_pass_native.abi3.so"
BACKEND = "ge/_backend_cp39/nanobind_backend.cpython-39-x86_64-linux-gnu.so"
MANIFEST = f"{SET}/manifest.json"
OP_SET = "ge/custom_op/python_custom_op_artifacts/abi3-linux-x86_64"
OP_BRIDGE = f"{OP_SET}/libge_python_custom_op_bridge.so"
OP_NATIVE = f"{OP_SET}/_ge_custom_op_native.abi3.so"
OP_MANIFEST = f"{OP_SET}/manifest.json"
WHEEL = "ge_py-0.1.0-cp39-abi3-linux_x86_64.whl"


def note(limited_api: str) -> str:
    """What csrc/abi3_bridge/limited_api.h leaves in a binary."""
    return (
        '__asm__(".pushsection .note.ge.abi3, \\"a\\", @note\\n.balign 4\\n.long 3, 4, 1\\n.asciz \\"ge\\"\\n'
        f'.balign 4\\n.long {limited_api}\\n.popsection\\n");\n'
    )


NOTE = note("0x03090000")
CORE_SOURCE = "int ge_answer(void) { return 42; }\n"
PROGRAM_SOURCE = "int ge_answer(void); int main(void) { return ge_answer() != 42; }\n"
BRIDGE_SOURCE = NOTE + (
    "void *PyGILState_Ensure(void); int ge_answer(void);\n"
    "int ge_python_pass_bridge(void) { return PyGILState_Ensure() != 0 && ge_answer(); }\n"
)
NATIVE_SOURCE = NOTE + (
    "void *PyLong_FromLong(long); extern int _Py_NoneStruct; int ge_answer(void);\n"
    "void *PyInit__ge_pass_native(void) { return _Py_NoneStruct ? PyLong_FromLong(ge_answer()) : 0; }\n"
)
OP_BRIDGE_SOURCE = BRIDGE_SOURCE.replace("ge_python_pass_bridge", "GeGetPythonCustomOpBridgeApi")
OP_NATIVE_SOURCE = NATIVE_SOURCE.replace("_ge_pass_native", "_ge_custom_op_native")
BACKEND_SOURCE = "void *_PyType_Lookup(void *, void *); void *PyInit_nanobind_backend(void) { return _PyType_Lookup(0, 0); }\n"


class Tree:
    """The content of a wheel in a folder, to be changed before it is audited."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wheel = WHEEL
        # What its file WHEEL says; by default what the name says.
        self.tags: list[str] | None = None

    def compile(self, path: str, source: str, *flags: str, core: bool = True) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        code = target.with_suffix(".c")
        code.write_text(source)
        kind = [] if path == PROGRAM else ["-shared", "-fPIC"]
        links = ["-Wl,-rpath," + self._origin(path), str(self.root / CORE)] if core else []
        command = ["gcc", "-O1", *kind, "-o", str(target), str(code), *flags, "-Wl,--as-needed", *links]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        code.unlink()
        assert done.returncode == 0, done.stderr

    @staticmethod
    def _origin(path: str) -> str:
        return "$ORIGIN/" + "../" * (len(Path(path).parts) - 2) + "lib"

    def edit_manifest(self, name: str = MANIFEST, **fields: object) -> None:
        path = self.root / name
        content = json.loads(path.read_text())
        content.update(fields)
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def pack(self) -> Path:
        path = self.root.parent / self.wheel
        with zipfile.ZipFile(path, "w") as wheel:
            for file in sorted(self.root.rglob("*")):
                if file.is_file():
                    wheel.write(file, file.relative_to(self.root).as_posix())
            parts = [part.split(".") for part in path.name[: -len(".whl")].split("-")[-3:]]
            tags = ["-".join(tag) for tag in itertools.product(*parts)] if self.tags is None else self.tags
            text = "".join(["Wheel-Version: 1.0\n", *(f"Tag: {tag}\n" for tag in tags)])
            if tags != ["no file"]:
                wheel.writestr("-".join(self.wheel.split("-")[:2]) + ".dist-info/WHEEL", text)
        return path


def audit(subject: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(subject), *options], capture_output=True, text=True, check=False
    )


def findings(subject: Path, *options: str) -> list[dict[str, str]]:
    done = audit(subject, "--json", *options)
    assert done.stderr == ""
    result = json.loads(done.stdout)
    assert done.returncode == (1 if result["findings"] else 0)
    return result["findings"]


@pytest.fixture(scope="session")
def clean_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = Tree(tmp_path_factory.mktemp("clean") / "tree")
    tree.compile(CORE, CORE_SOURCE, "-Wl,-soname,libge_compiler.so", core=False)
    tree.compile(PROGRAM, PROGRAM_SOURCE)
    tree.compile(BRIDGE, BRIDGE_SOURCE)
    tree.compile(NATIVE, NATIVE_SOURCE)
    tree.compile(OP_BRIDGE, OP_BRIDGE_SOURCE)
    tree.compile(OP_NATIVE, OP_NATIVE_SOURCE)
    tree.compile(BACKEND, BACKEND_SOURCE, core=False)
    manifest = {
        "format_version": 1,
        "python_abi": "abi3",
        "abi3_floor": "3.9",
        "free_threaded": False,
        "platform": "linux-x86_64",
        "bridge_abi": 2,
        "ge_version": "0.1.0",
        "artifacts": {"bridge": Path(BRIDGE).name, "native": Path(NATIVE).name},
        "backends": {"cp39": f"../../../_backend_cp39/{Path(BACKEND).name}"},
    }
    (tree.root / MANIFEST).write_text(json.dumps(manifest))
    manifest.update(bridge_abi=1, artifacts={"bridge": Path(OP_BRIDGE).name, "native": Path(OP_NATIVE).name})
    (tree.root / OP_MANIFEST).write_text(json.dumps(manifest))
    return tree.root


@pytest.fixture
def tree(clean_tree: Path, tmp_path: Path) -> Tree:
    shutil.copytree(clean_tree, tmp_path / "tree")
    return Tree(tmp_path / "tree")


class Violation(NamedTuple):
    kind: str
    file: str
    plant: Callable[[Tree], object]


def _fake_library(tree: Tree, name: str, *, into: str, source: str) -> None:
    """Makes `into` need a library called `name`."""
    stub = tree.root.parent / name
    code = tree.root.parent / "stub.c"
    code.write_text("int planted(void) { return 1; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", stub, code, f"-Wl,-soname,{name}"], check=True)
    tree.compile(into, source, "-Wl,--no-as-needed", str(stub), core=(tree.root / CORE).exists())


def _import(call: str, declaration: str) -> str:
    return (
        NATIVE_SOURCE
        + f'{declaration}\n__attribute__((visibility("hidden"))) void *planted(void) {{ return {call}; }}\n'
    )


def _core_in_bridge(tree: Tree) -> None:
    """A core inside the bridge: its function is compiled in, and the shared core isn't needed."""
    tree.compile(BRIDGE, BRIDGE_SOURCE + CORE_SOURCE, core=False)


def _change_machine(path: Path) -> None:
    """Makes an ELF file one of an ARM64 machine, as far as its header says."""
    data = bytearray(path.read_bytes())
    data[18:20] = (183).to_bytes(2, "little")
    path.write_bytes(data)


def _tag(tree: Tree, platform: str) -> None:
    """Names the wheel for another platform; its program asks for a version of glibc that this one does not have."""
    tree.wheel = WHEEL.replace("linux_x86_64", platform)


VIOLATIONS = {
    "function outside the stable ABI": Violation(
        "unstable-symbol",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("PyUnicode_AsUTF8(0)", "void *PyUnicode_AsUTF8(void *);")),
    ),
    "private function": Violation(
        "unstable-symbol",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("_PyType_Lookup(0)", "void *_PyType_Lookup(void *);")),
    ),
    "data outside the stable ABI": Violation(
        "unstable-symbol",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("&_PyRuntime", "extern int _PyRuntime;")),
    ),
    "bridge uses a function outside the stable ABI": Violation(
        "unstable-symbol",
        BRIDGE,
        lambda t: t.compile(BRIDGE, BRIDGE_SOURCE.replace("PyGILState_Ensure", "PyGILState_Check")),
    ),
    "function of 3.10": Violation(
        "above-floor",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("Py_NewRef(0)", "void *Py_NewRef(void *);")),
    ),
    "data of 3.11": Violation(
        "above-floor",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("&Py_Version", "extern unsigned long Py_Version;")),
    ),
    "bridge needs libpython": Violation(
        "libpython-needed",
        BRIDGE,
        lambda t: _fake_library(t, "libpython3.11.so.1.0", into=BRIDGE, source=BRIDGE_SOURCE),
    ),
    "native module needs libpython3": Violation(
        "libpython-needed",
        NATIVE,
        lambda t: _fake_library(t, "libpython3.so", into=NATIVE, source=NATIVE_SOURCE),
    ),
    "program needs libpython": Violation(
        "libpython-needed",
        PROGRAM,
        lambda t: _fake_library(t, "libpython3.9.so.1.0", into=PROGRAM, source=PROGRAM_SOURCE),
    ),
    "native module needs a foreign library": Violation(
        "foreign-library",
        NATIVE,
        lambda t: _fake_library(t, "libprotobuf.so.32", into=NATIVE, source=NATIVE_SOURCE),
    ),
    "core calls Python": Violation(
        "python-in-core",
        CORE,
        lambda t: t.compile(
            CORE,
            CORE_SOURCE.replace("return 42", "return Py_IsInitialized()").replace(
                "int ge", "int Py_IsInitialized(void); int ge"
            ),
            "-Wl,-soname,libge_compiler.so",
            core=False,
        ),
    ),
    "program calls Python": Violation(
        "python-in-core",
        PROGRAM,
        lambda t: t.compile(
            PROGRAM,
            PROGRAM_SOURCE.replace("return ge", "Py_Initialize(); return ge").replace(
                "int ge", "__attribute__((weak)) void Py_Initialize(void); int ge", 1
            ),
            "-Wl,-z,dynamic-undefined-weak",
        ),
    ),
    "native module with a plain suffix": Violation(
        "suffix",
        f"{SET}/_ge_pass_native.so",
        lambda t: (
            t.move(NATIVE, f"{SET}/_ge_pass_native.so"),
            t.edit_manifest(artifacts={"bridge": Path(BRIDGE).name, "native": "_ge_pass_native.so"}),
        ),
    ),
    "native module for one minor version": Violation(
        "per-minor",
        f"{SET}/_ge_pass_native.cpython-311-x86_64-linux-gnu.so",
        lambda t: (
            t.move(NATIVE, f"{SET}/_ge_pass_native.cpython-311-x86_64-linux-gnu.so"),
            t.edit_manifest(
                artifacts={
                    "bridge": Path(BRIDGE).name,
                    "native": "_ge_pass_native.cpython-311-x86_64-linux-gnu.so",
                }
            ),
        ),
    ),
    "a second backend that nobody declares": Violation(
        "per-minor",
        "ge/_backend/nanobind_backend.cpython-310-x86_64-linux-gnu.so",
        lambda t: t.compile(
            "ge/_backend/nanobind_backend.cpython-310-x86_64-linux-gnu.so", BACKEND_SOURCE, core=False
        ),
    ),
    "backend under the key of another version": Violation(
        "backend",
        MANIFEST,
        lambda t: (
            t.move(BACKEND, BACKEND.replace("-39-", "-310-")),
            t.edit_manifest(
                backends={"cp39": f"../../../_backend_cp39/{Path(BACKEND).name.replace('-39-', '-310-')}"}
            ),
        ),
    ),
    "floor 3.9 without its backend": Violation(
        "backend",
        WHEEL,
        lambda t: (
            (t.root / BACKEND).unlink(),
            t.edit_manifest(backends={}),
            t.edit_manifest(OP_MANIFEST, backends={}),
        ),
    ),
    "compiled for a later limited API": Violation(
        "limited-api", NATIVE, lambda t: t.compile(NATIVE, NATIVE_SOURCE.replace("0x03090000", "0x030A0000"))
    ),
    "one file compiled for a later limited API": Violation(
        "limited-api", BRIDGE, lambda t: t.compile(BRIDGE, BRIDGE_SOURCE + note("0x030C0000"))
    ),
    "compiled without the limited API": Violation(
        "limited-api", NATIVE, lambda t: t.compile(NATIVE, NATIVE_SOURCE.replace(NOTE, ""))
    ),
    "wheel tag below the floor": Violation(
        "wheel-tag",
        "ge_py-0.1.0-cp38-abi3-linux_x86_64.whl",
        lambda t: setattr(t, "wheel", "ge_py-0.1.0-cp38-abi3-linux_x86_64.whl"),
    ),
    "wheel tag above the floor": Violation(
        "wheel-tag",
        "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl",
        lambda t: setattr(t, "wheel", "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl"),
    ),
    "wheel of one minor version": Violation(
        "wheel-tag",
        "ge_py-0.1.0-cp39-cp39-linux_x86_64.whl",
        lambda t: setattr(t, "wheel", "ge_py-0.1.0-cp39-cp39-linux_x86_64.whl"),
    ),
    "wheel that says another version inside": Violation(
        "wheel-tag", WHEEL, lambda t: setattr(t, "tags", ["cp311-cp311-linux_x86_64"])
    ),
    "wheel without its file WHEEL": Violation("wheel-tag", WHEEL, lambda t: setattr(t, "tags", ["no file"])),
    "native module that is empty": Violation("unreadable", NATIVE, lambda t: (t.root / NATIVE).write_bytes(b"")),
    "bridge that is a text": Violation("unreadable", BRIDGE, lambda t: (t.root / BRIDGE).write_text("no bridge")),
    "core that is empty": Violation("unreadable", CORE, lambda t: (t.root / CORE).write_bytes(b"")),
    "wheel without a core": Violation("missing-file", WHEEL, lambda t: (t.root / CORE).unlink()),
    "wheel without atc.bin": Violation("missing-file", WHEEL, lambda t: (t.root / PROGRAM).unlink()),
    "atc.bin that is a script": Violation("unreadable", PROGRAM, lambda t: (t.root / PROGRAM).write_text("#!/bin/sh\n")),
    "wheel with a name of its own": Violation("wheel-tag", "ge.whl", lambda t: setattr(t, "wheel", "ge.whl")),
    "artifacts of another platform": Violation(
        "wheel-tag", MANIFEST, lambda t: t.edit_manifest(platform="linux-aarch64")
    ),
    "artifacts of another version": Violation(
        "manifest", MANIFEST, lambda t: t.edit_manifest(ge_version="0.0.9")
    ),
    "manifest that is not JSON": Violation(
        "manifest", MANIFEST, lambda t: (t.root / MANIFEST).write_text('{"format_version": 1,')
    ),
    "manifest that lacks a field": Violation(
        "manifest", MANIFEST, lambda t: t.edit_manifest(bridge_abi=None)
    ),
    "manifest with a number as text": Violation(
        "manifest", MANIFEST, lambda t: t.edit_manifest(bridge_abi="1")
    ),
    "manifest with a floor that is none": Violation(
        "manifest", MANIFEST, lambda t: t.edit_manifest(abi3_floor="39")
    ),
    "manifest without the native module": Violation(
        "manifest", MANIFEST, lambda t: t.edit_manifest(artifacts={"bridge": Path(BRIDGE).name})
    ),
    "artifact outside of its set": Violation(
        "manifest",
        MANIFEST,
        lambda t: (
            t.move(BRIDGE, "ge/lib/libge_python_pass_bridge.so"),
            t.edit_manifest(
                artifacts={"bridge": "../../../lib/libge_python_pass_bridge.so", "native": Path(NATIVE).name}
            ),
        ),
    ),
    "two floors": Violation(
        "manifest", WHEEL, lambda t: t.edit_manifest(OP_MANIFEST, abi3_floor="3.11")
    ),
    "wheel without custom operators": Violation(
        "missing-file", WHEEL, lambda t: shutil.rmtree(t.root / OP_SET)
    ),
    "custom operators of another version": Violation(
        "manifest", OP_MANIFEST, lambda t: t.edit_manifest(OP_MANIFEST, ge_version="0.0.9")
    ),
    "native module of custom operators uses a private function": Violation(
        "unstable-symbol",
        OP_NATIVE,
        lambda t: t.compile(
            OP_NATIVE,
            _import("_PyType_Lookup(0)", "void *_PyType_Lookup(void *);").replace("pass", "custom_op"),
        ),
    ),
    "bridge without its entry": Violation(
        "exports",
        OP_BRIDGE,
        lambda t: t.compile(OP_BRIDGE, OP_BRIDGE_SOURCE.replace("int GeGet", "static int GeGet")),
    ),
    "set for another machine": Violation(
        "machine", NATIVE, lambda t: _change_machine(t.root / NATIVE)
    ),
    "glibc later than the tag": Violation(
        "symbol-version", PROGRAM, lambda t: _tag(t, "manylinux_2_5_x86_64")
    ),
    "glibc in a wheel for musl": Violation("symbol-version", PROGRAM, lambda t: _tag(t, "musllinux_1_2_x86_64")),
    "functions of CPython inside": Violation(
        "python-inside",
        NATIVE,
        lambda t: t.compile(NATIVE, NATIVE_SOURCE + "void *PyList_New(long n) { return 0; }\n"),
    ),
    "wheel without a manifest": Violation(
        "manifest", WHEEL, lambda t: ((t.root / MANIFEST).unlink(), (t.root / OP_MANIFEST).unlink())
    ),
    "manifest names a file that is not there": Violation(
        "missing-file", MANIFEST, lambda t: (t.root / BRIDGE).unlink()
    ),
    "core exports a helper": Violation(
        "exports",
        CORE,
        lambda t: t.compile(
            CORE,
            CORE_SOURCE + "int helper(void) { return 1; }\n",
            "-Wl,-soname,libge_compiler.so",
            core=False,
        ),
    ),
    "bridge exports a second function": Violation(
        "exports",
        BRIDGE,
        lambda t: t.compile(BRIDGE, BRIDGE_SOURCE + "int ge_python_pass_bridge_2(void) { return 1; }\n"),
    ),
    "program exports its functions": Violation(
        "exports", PROGRAM, lambda t: t.compile(PROGRAM, PROGRAM_SOURCE, "-rdynamic")
    ),
    "library without an export map": Violation(
        "exports",
        f"{SET}/libother_bridge.so",
        lambda t: (
            t.move(BRIDGE, f"{SET}/libother_bridge.so"),
            t.edit_manifest(artifacts={"bridge": "libother_bridge.so", "native": Path(NATIVE).name}),
        ),
    ),
    "a second copy of the core": Violation(
        "two-cores",
        f"{SET}/libge_compiler.so",
        lambda t: shutil.copy(t.root / CORE, t.root / SET / "libge_compiler.so"),
    ),
    "a core inside the bridge": Violation("two-cores", BRIDGE, _core_in_bridge),
    "native module that doesn't need the core it calls": Violation(
        "two-cores", NATIVE, lambda t: t.compile(NATIVE, NATIVE_SOURCE, core=False)
    ),
    "absolute run path": Violation(
        "two-cores",
        NATIVE,
        lambda t: t.compile(NATIVE, NATIVE_SOURCE, str(t.root / CORE), "-Wl,-rpath,/usr/lib", core=False),
    ),
    "no run path": Violation(
        "two-cores", NATIVE, lambda t: t.compile(NATIVE, NATIVE_SOURCE, str(t.root / CORE), core=False)
    ),
    "function that the core doesn't export": Violation(
        "unresolved",
        NATIVE,
        lambda t: t.compile(NATIVE, _import("_ZN2ge4GoneEv()", "void *_ZN2ge4GoneEv(void);")),
    ),
    "library that nobody names": Violation(
        "unknown-binary",
        "ge/lib/libge_extra.so",
        lambda t: t.compile("ge/lib/libge_extra.so", NOTE, core=False),
    ),
    "truncated library": Violation(
        "unreadable", NATIVE, lambda t: (t.root / NATIVE).write_bytes((t.root / NATIVE).read_bytes()[:300])
    ),
    "no binary at all": Violation(
        "no-binary", WHEEL, lambda t: [file.unlink() for file in t.root.rglob("*") if file.is_file()]
    ),
}


def test_a_clean_wheel_passes(tree: Tree) -> None:
    wheel = tree.pack()
    done = audit(wheel)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r".*: 7 binaries, floor 3\.9, needs .*GLIBC \d+\.\d+.*, 0 findings\n", done.stdout)


def test_a_clean_folder_passes(tree: Tree) -> None:
    assert findings(tree.root) == []


def test_binaries_without_a_manifest_are_held_to_their_own_floor(tree: Tree) -> None:
    folder = tree.root / SET
    (folder / "manifest.json").unlink()
    assert findings(folder) == []
    tree.compile(NATIVE, _import("Py_NewRef(0)", "void *Py_NewRef(void *);"))
    assert [found["kind"] for found in findings(folder)] == ["above-floor"]
    assert {found["kind"] for found in findings(folder, "--floor", "3.10")} == {"limited-api"}


def test_floor_3_10_needs_no_backend(tree: Tree) -> None:
    later = {"0x03090000": "0x030A0000"}
    tree.compile(BRIDGE, BRIDGE_SOURCE.replace(*next(iter(later.items()))))
    tree.compile(
        NATIVE, _import("Py_NewRef(0)", "void *Py_NewRef(void *);").replace(*next(iter(later.items())))
    )
    (tree.root / BACKEND).unlink()
    tree.compile(OP_BRIDGE, OP_BRIDGE_SOURCE.replace(*next(iter(later.items()))))
    tree.compile(OP_NATIVE, OP_NATIVE_SOURCE.replace(*next(iter(later.items()))))
    for manifest in (MANIFEST, OP_MANIFEST):
        tree.edit_manifest(manifest, abi3_floor="3.10", backends={})
    tree.wheel = "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl"
    assert findings(tree.pack()) == []


def test_sets_for_free_threaded_interpreters_have_a_floor_of_their_own(tree: Tree) -> None:
    later = "void *PyType_GetBaseByToken(void *, void *, void *);"
    for name, source in {"bridge": BRIDGE_SOURCE, "native": NATIVE_SOURCE}.items():
        path = {"bridge": BRIDGE, "native": NATIVE.replace(".abi3.so", ".abi3t.so")}[name].replace("/abi3-", "/abi3t-")
        call = "void *later(void) { return PyType_GetBaseByToken(0, 0, 0); }"
        tree.compile(path, source.replace("0x03090000", "0x030F0000") + later + f'__attribute__((visibility("hidden"))) {call}\n')
    manifest = tree.root / MANIFEST.replace("/abi3-", "/abi3t-")
    manifest.write_text((tree.root / MANIFEST).read_text().replace("_native.abi3.so", "_native.abi3t.so"))
    tree.edit_manifest(manifest.relative_to(tree.root).as_posix(), python_abi="abi3t", abi3_floor="3.15", free_threaded=True)
    assert findings(tree.pack()) == []
    tree.edit_manifest(manifest.relative_to(tree.root).as_posix(), abi3_floor="3.13")
    assert {found["kind"] for found in findings(tree.pack())} == {"above-floor", "limited-api"}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_planted_violation_is_found(tree: Tree, name: str) -> None:
    violation = VIOLATIONS[name]
    violation.plant(tree)
    wheel = tree.pack()
    done = audit(wheel)
    *lines, summary = done.stdout.splitlines()
    assert done.returncode == 1
    planted = [line for line in lines if line.startswith(f"{violation.file}: {violation.kind}: ")]
    assert planted, done.stdout
    assert f"{len(lines)} findings" in summary
    # Four parts: what was tried, expected, found, what to do.
    for line in lines:
        assert re.match(r"\S+: [a-z-]+: .+: expected .+, found .+; .+[^.]$", line)
    assert [found["message"] for found in findings(wheel)] == lines


def test_a_single_fault_is_a_single_finding(tree: Tree) -> None:
    tree.compile(NATIVE, _import("PyUnicode_AsUTF8(0)", "void *PyUnicode_AsUTF8(void *);"))
    assert len(findings(tree.pack())) == 1


def test_every_kind_of_finding_has_a_planted_violation_and_an_explanation() -> None:
    sources = "".join((ROOT / "scripts" / f"{name}.py").read_text() for name in MODULES)
    kinds = set(re.findall(r'(?:subject|self)\.report\(\s*"([a-z-]+)"', sources))
    assert kinds == {violation.kind for violation in VIOLATIONS.values()} == set(KINDS)


def test_a_remedy_names_only_symbols_that_are_stable_and_older() -> None:
    for name, ways in abi_instead._INSTEAD.items():
        added = abi_instead.since(name)
        for way in ways:
            for symbol in way:
                stable = abi_instead.since(symbol)
                assert stable is not None, f"{name}: {symbol}"
                assert added is None or stable < added, f"{name}: {symbol} of 3.{stable}"


@pytest.mark.parametrize(
    ("name", "floor", "expected"),
    [
        ("PyUnicode_AsUTF8", 10, "use 'PyUnicode_AsUTF8AndSize' (3.10)"),
        ("PyUnicode_AsUTF8", 9, "use 'PyUnicode_AsUTF8String' (3.2) and 'PyBytes_AsString' (3.2)"),
        ("Py_NewRef", 9, "use 'Py_IncRef' (3.2), or raise the floor to 3.10"),
        ("PyBuffer_Release", 9, "do without it, or raise the floor to 3.11"),
        ("_PyRuntime", 9, "it is private to CPython: use a function of the limited API"),
        ("PyUnstable_Long_IsCompact", 9, "it may change with every minor version: use a function of the limited API"),
        ("PyCode_New", 9, "use a function of the limited API"),
    ],
)
def test_a_remedy_is_one_that_the_floor_has(name: str, floor: int, expected: str) -> None:
    assert abi_instead.remedy(name, floor) == expected


class Other:
    """A wheel of somebody else's with one module, to be made as a test needs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = Tree(folder / "tree")

    def module(self, source: str = "", *flags: str, path: str = "other/_module.abi3.so", needs: str = "") -> None:
        if needs:
            _fake_library(self.tree, needs, into=path, source=source or OTHER_SOURCE)
        else:
            self.tree.compile(path, source or OTHER_SOURCE, *flags, core=False)

    def findings(self, tag: str = "cp39-abi3-linux_x86_64", *options: str) -> list[tuple[str, str]]:
        self.tree.wheel = f"other-1.0-{tag}.whl"
        found = findings(self.tree.pack(), *options)
        return [(finding["kind"], finding["found"]) for finding in found]


OTHER_SOURCE = (
    "void *PyLong_FromLong(long); __attribute__((visibility(\"default\"))) void *PyInit__module(void) "
    "{ return PyLong_FromLong(1); }\n"
)


@pytest.fixture
def other(tmp_path: Path) -> Other:
    (tmp_path / "tree").mkdir()
    return Other(tmp_path)


def test_a_clean_wheel_of_somebody_else_passes(other: Other) -> None:
    other.module()
    # Its manifest is none of ours, whatever is in it.
    (other.tree.root / "manifest.json").write_text("{")
    assert other.findings() == []


@pytest.mark.parametrize("path", ["other/_module.so", "other/_module.abi3.so"])
def test_both_suffixes_that_every_version_looks_for_are_fine(other: Other, path: str) -> None:
    other.module(path=path)
    assert other.findings() == []


def test_the_floor_of_another_wheel_is_that_of_its_tag(other: Other) -> None:
    other.module(OTHER_SOURCE + "void *Py_NewRef(void *); void *own(void) { return Py_NewRef(0); }\n")
    assert other.findings("cp310-abi3-linux_x86_64") == []
    assert other.findings("cp39-abi3-linux_x86_64") == [("above-floor", "one added in '3.10'")]
    assert other.findings("cp38.cp310-abi3-linux_x86_64") == [("above-floor", "one added in '3.10'")]
    assert other.findings("cp39-abi3-linux_x86_64", "--floor", "3.11") == []


def test_a_helper_with_a_name_like_pythons_is_no_symbol_of_python(other: Other) -> None:
    other.module(
        OTHER_SOURCE + "int PyOther_Help(void); int own(void) { return PyOther_Help(); }\n", path="other/a.abi3.so"
    )
    assert other.findings() == [("unstable-symbol", "none")]
    other.module("int PyOther_Help(void) { return 1; }\n", path="other/libhelp.so")
    assert other.findings() == []


def test_a_symbol_that_may_be_missing_is_said_to_be_weak(other: Other) -> None:
    other.module(
        OTHER_SOURCE + "__attribute__((weak)) int PyCode_Addr2Line(void *, int);\n"
        "int own(void) { return PyCode_Addr2Line ? PyCode_Addr2Line(0, 0) : 0; }\n"
    )
    assert other.findings() == [("unstable-symbol", "none, called only where it is there (weak)")]


@pytest.mark.parametrize(
    ("library", "kinds"),
    [
        ("libpython3.11.so.1.0", ["libpython-needed"]),
        ("libqux.so.3", ["foreign-library"]),
        ("libexpat.so.1", []),
        ("libGL.so.1", []),
    ],
)
def test_libraries_that_another_wheel_needs(other: Other, library: str, kinds: list[str]) -> None:
    other.module(needs=library)
    assert [kind for kind, _ in other.findings()] == kinds
    if kinds == ["foreign-library"]:
        assert other.findings("cp39-abi3-linux_x86_64", "--ignore", "foreign-library") == []
        (other.tree.root / "other.libs").mkdir()
        shutil.copy(other.folder / library, other.tree.root / "other.libs" / library)
        assert other.findings() == []


@pytest.mark.parametrize(
    ("tag", "kinds"),
    [
        ("cp39-abi3-manylinux_2_999_x86_64", []),
        ("cp39-abi3-manylinux1_x86_64.manylinux_2_999_x86_64", ["symbol-version"]),
        ("cp39-abi3-musllinux_1_2_x86_64", ["symbol-version", "foreign-library"]),
        ("cp39-abi3-manylinux_2_999_aarch64", ["machine"]),
        ("cp315-abi3.abi3t-linux_x86_64", []),
        ("cp311-cp311-linux_x86_64", ["wheel-tag"]),
        ("py3-none-any", ["wheel-tag"]),
    ],
)
def test_the_platform_tag_of_another_wheel_is_a_promise(other: Other, tag: str, kinds: list[str]) -> None:
    # pow has a new version since glibc 2.29.
    other.module(
        OTHER_SOURCE + "double pow(double, double); double own(double x) { return pow(x, x); }\n", "-Wl,--no-as-needed", "-lm"
    )
    assert {kind for kind, _ in other.findings(tag)} == set(kinds)


def test_a_wheel_for_another_machine_is_read_here(other: Other) -> None:
    other.module(OTHER_SOURCE + "void *Py_NewRef(void *); void *own(void) { return Py_NewRef(0); }\n")
    _change_machine(other.tree.root / "other/_module.abi3.so")
    assert other.findings("cp39-abi3-linux_aarch64") == [("above-floor", "one added in '3.10'")]


# --- macOS and Windows ------------------------------------------------------------------------------------------------


@pytest.fixture
def foreign(other: Other) -> Callable[..., list[tuple[str, str]]]:
    """foreign(tag, file, its bytes) -> kinds and what was found."""
    pytest.importorskip("lief", reason="reads libraries of macOS and Windows")

    def run(tag: str, path: str, data: bytes) -> list[tuple[str, str]]:
        (other.tree.root / path).write_bytes(data)
        return other.findings(tag)

    return run


SYSTEM = "/usr/lib/libSystem.B.dylib"
FRAMEWORK = "/Library/Frameworks/Python.framework/Versions/3.11/Python"


@pytest.mark.parametrize(
    ("tag", "path", "symbols", "libraries", "expected"),
    [
        ("cp39-abi3-macosx_11_0_arm64", "m.abi3.so", ["PyLong_FromLong"], [SYSTEM], []),
        ("cp310-abi3-macosx_11_0_arm64", "m.abi3.so", ["Py_NewRef"], [SYSTEM], []),
        ("cp39-abi3-macosx_11_0_arm64", "m.abi3.so", ["Py_NewRef"], [SYSTEM], [("above-floor", "one added in '3.10'")]),
        ("cp39-abi3-macosx_11_0_arm64", "m.abi3.so", ["_PyType_Lookup"], [SYSTEM], [("unstable-symbol", "none")]),
        ("cp39-abi3-macosx_11_0_arm64", "m.abi3.so", [], [FRAMEWORK], [("libpython-needed", f"'{FRAMEWORK}'")]),
        ("cp39-abi3-macosx_11_0_x86_64", "m.abi3.so", [], [SYSTEM], [("machine", "'arm64'")]),
        (
            "cp39-abi3-macosx_11_0_arm64",
            "m.cpython-311-darwin.so",
            [],
            [SYSTEM],
            [("per-minor", "'.cpython-311-'")],
        ),
    ],
)
def test_a_wheel_for_macos(
    foreign: Callable[..., list[tuple[str, str]]],
    tag: str,
    path: str,
    symbols: list[str],
    libraries: list[str],
    expected: list[tuple[str, str]],
) -> None:
    assert foreign(tag, path, mach_o(symbols, libraries)) == expected


def test_every_machine_of_a_universal_library_is_audited(foreign: Callable[..., list[tuple[str, str]]]) -> None:
    slices = [(ARM64, mach_o([], [SYSTEM])), (X86_64, mach_o(["Py_NewRef"], [SYSTEM], X86_64))]
    found = foreign("cp39-abi3-macosx_11_0_universal2", "m.abi3.so", universal(slices))
    assert found == [("above-floor", "one added in '3.10'")]
    # The same fault in both is one fault.
    slices[0] = (ARM64, mach_o(["Py_NewRef"], [SYSTEM]))
    assert foreign("cp39-abi3-macosx_11_0_universal2", "m.abi3.so", universal(slices)) == found


@pytest.mark.parametrize(
    ("tag", "path", "imports", "expected"),
    [
        ("cp39-abi3-win_amd64", "m.pyd", {"python3.dll": ["PyLong_FromLong"], "KERNEL32.dll": ["Sleep"]}, []),
        ("cp39-abi3-win_amd64", "m.pyd", {"python3.dll": ["Py_NewRef"]}, [("above-floor", "one added in '3.10'")]),
        ("cp39-abi3-win_amd64", "m.pyd", {"python311.dll": []}, [("libpython-needed", "'python311.dll'")]),
        ("cp39-abi3-win_arm64", "m.pyd", {"python3.dll": []}, [("machine", "'amd64'")]),
        ("cp39-abi3-win_amd64", "m.cp311-win_amd64.pyd", {"python3.dll": []}, [("per-minor", "'.cp311-win'")]),
    ],
)
def test_a_wheel_for_windows(
    foreign: Callable[..., list[tuple[str, str]]],
    tag: str,
    path: str,
    imports: dict[str, list[str]],
    expected: list[tuple[str, str]],
) -> None:
    assert foreign(tag, path, pe(imports)) == expected


@pytest.mark.parametrize(("path", "data"), [("m.abi3.so", mach_o([], [])[:20]), ("m.pyd", b"MZ" + b"\0" * 40)])
def test_a_cut_library_of_another_system_is_a_finding(
    foreign: Callable[..., list[tuple[str, str]]], path: str, data: bytes
) -> None:
    tag = "cp39-abi3-win_amd64" if path.endswith("pyd") else "cp39-abi3-macosx_11_0_arm64"
    assert "unreadable" in [kind for kind, _ in foreign(tag, path, data)]


def test_without_lief_a_library_of_another_system_is_no_audit(other: Other, tmp_path: Path) -> None:
    (other.tree.root / "m.abi3.so").write_bytes(mach_o([], [SYSTEM]))
    other.tree.wheel = "other-1.0-cp39-abi3-macosx_11_0_arm64.whl"
    (tmp_path / "lief.py").write_text("raise ImportError\n")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(other.tree.pack())],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "pip install lief" in done.stderr and done.stdout == ""


def test_one_library_can_be_audited(other: Other) -> None:
    other.module(OTHER_SOURCE + "void *Py_NewRef(void *); void *own(void) { return Py_NewRef(0); }\n")
    library = other.tree.root / "other/_module.abi3.so"
    assert findings(library) == []
    assert [found["kind"] for found in findings(library, "--floor", "3.9")] == ["above-floor"]


def test_a_finding_in_json_has_its_symbol_and_since_when_that_is_stable(other: Other) -> None:
    other.module(OTHER_SOURCE + "void *Py_NewRef(void *); void *own(void) { return Py_NewRef(0); }\n")
    other.tree.wheel = "other-1.0-cp39-abi3-linux_x86_64.whl"
    (found,) = findings(other.tree.pack())
    assert (found["symbol"], found["since"], found["level"]) == ("Py_NewRef", "3.10", "error")
    assert found["remedy"] == "use 'Py_IncRef' (3.2), or raise the floor to 3.10"
    assert found["why"] == KINDS["above-floor"].why


def test_sarif_is_as_the_standard_has_it(tree: Tree) -> None:
    """Sections 3.13 to 3.52 of SARIF 2.1.0, as far as the log uses them."""
    tree.compile(NATIVE, _import("PyUnicode_AsUTF8(0)", "void *PyUnicode_AsUTF8(void *);"))
    tree.wheel = "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl"
    wheel = tree.pack()
    report = tree.root.parent / "report.sarif"
    done = audit(wheel, "--sarif", "--output", str(report))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    log = json.loads(report.read_text())
    assert set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] and [rule["id"] for rule in driver["rules"]] == sorted(KINDS)
    for rule in driver["rules"]:
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note", "none")
        for text in ("shortDescription", "fullDescription", "help"):
            assert rule[text]["text"].endswith(".")
    expected = findings(wheel)
    assert [result["message"]["text"] for result in run["results"]] == [found["message"] for found in expected]
    places = []
    for result, found in zip(run["results"], expected):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == found["kind"]
        assert result["level"] in ("error", "warning")
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"[\w./%+~-]+", artifact["uri"]) and not artifact["uri"].startswith("/")
        assert location["physicalLocation"]["region"] == {"startLine": 1}
        places.append((artifact["uri"], [logical["name"] for logical in location.get("logicalLocations", [])]))
    assert (f"{wheel.name}/{NATIVE}", ["PyUnicode_AsUTF8"]) in places
    assert (wheel.name, []) in places
    prints = [result["partialFingerprints"]["finding/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


def test_several_wheels_are_audited_at_once(tree: Tree) -> None:
    clean = tree.pack()
    tree.wheel = "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl"
    other = tree.pack()
    done = audit(clean, str(other), "--json")
    first, second = json.loads(done.stdout)
    assert done.returncode == 1 and first["findings"] == [] and second["findings"]
    assert audit(clean, str(clean)).returncode == 0
    assert len(json.loads(audit(clean, str(other), "--sarif").stdout)["runs"][0]["results"]) == len(second["findings"])


def test_sarif_of_a_clean_wheel_has_no_results(tree: Tree) -> None:
    done = audit(tree.pack(), "--sarif")
    assert done.returncode == 0 and json.loads(done.stdout)["runs"][0]["results"] == []


def test_a_report_that_cannot_be_written_is_misuse(tree: Tree, tmp_path: Path) -> None:
    done = audit(tree.pack(), "--output", str(tmp_path / "nowhere" / "report"))
    assert done.returncode == 2 and "--output" in done.stderr


def test_the_exit_codes_are_in_the_help() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=True)
    assert re.search(r"exit codes:\n +0 .*\n +1 .*\n +2 ", done.stdout)


# --- docs/audit.md ----------------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "audit.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_the_page_lists_every_kind_and_every_option() -> None:
    assert sorted(re.findall(r"^\| `([a-z][a-z-]+)` \|", PAGE, re.M)) == sorted(KINDS)
    shown = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True, check=True).stdout
    for option in re.findall(r"^\| `(--\w+)", PAGE, re.M):
        assert f"  {option}" in shown, option


def test_the_output_on_the_page_is_what_the_audit_prints(other: Other) -> None:
    other.module(OTHER_SOURCE + "void *Py_NewRef(void *); void *own(void) { return Py_NewRef(0); }\n", "-nostdlib")
    other.tree.wheel = "other-1.0-cp39-abi3-linux_x86_64.whl"
    assert blocks("text") == [audit(other.tree.pack()).stdout]


@pytest.mark.parametrize(("tag", "code"), [("cp39", 0), ("cp310", 1)])
def test_the_shell_step_of_the_page_works(tree: Tree, tmp_path: Path, tag: str, code: int) -> None:
    tree.wheel = WHEEL.replace("cp39", tag)
    (tmp_path / "dist").mkdir()
    tree.pack().rename(tmp_path / "dist" / tree.wheel)
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "cmake").symlink_to(ROOT / "cmake")
    (step,) = blocks("sh")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", step], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "findings" in done.stdout and json.loads((tmp_path / "audit.sarif").read_text())["version"] == "2.1.0"


def test_the_workflow_and_the_hooks_of_the_page_are_sound() -> None:
    yaml = pytest.importorskip("yaml")
    workflow, hooks = (yaml.safe_load(block) for block in blocks("yaml"))
    steps = workflow["jobs"]["audit"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert any("scripts/abi_audit.py" in run and "--sarif --output audit.sarif" in run for run in runs)
    # The upload comes after, also when the audit found something, and takes the same file.
    assert steps[-1]["with"]["sarif_file"] == "audit.sarif" and steps[-1]["if"] == "always()"
    for hook in hooks["repos"][0]["hooks"]:
        assert "scripts/abi_audit.py" in hook["entry"] and hook["stages"] == ["pre-push"]
        assert {"abi3info", "pyelftools"} == set(hook["additional_dependencies"])
    pattern = hooks["repos"][0]["hooks"][0]["files"]
    assert re.search(pattern, f"dist/{WHEEL}") and not re.search(pattern, "dist/other-1.0-cp39-abi3-win_amd64.whl")


@pytest.mark.parametrize(
    "arguments", [[], ["no-such-file.whl"], ["no-such-folder"], [str(SCRIPT)], [".", "--floor", "4"], [".", "--ignore", "all"], [".", "--json", "--sarif"]]
)
def test_misuse_is_told_from_findings(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "error: " in done.stderr and done.stdout == ""


def test_a_wheel_that_is_no_archive_is_misuse(tmp_path: Path) -> None:
    path = tmp_path / WHEEL
    path.write_bytes(b"not a zip file")
    done = audit(path)
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_every_export_map_says_what_it_keeps_back() -> None:
    for path in EXPORTS.glob("*.map"):
        assert re.search(r"local:\s*\*;", path.read_text()), path
