"""scripts/abi_audit.py against planted violations: each kind is found, and nothing is found in a clean wheel."""

from __future__ import annotations

import json
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

SET = "ge/passes/python_pass_artifacts/abi3-linux-x86_64"
CORE = "ge/lib/libge_compiler.so"
PROGRAM = "ge/bin/atc.bin"
BRIDGE = f"{SET}/libge_python_pass_bridge.so"
NATIVE = f"{SET}/_ge_pass_native.abi3.so"
BACKEND = "ge/_backend_cp39/nanobind_backend.cpython-39-x86_64-linux-gnu.so"
MANIFEST = f"{SET}/manifest.json"
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

    def edit_manifest(self, **fields: object) -> None:
        path = self.root / MANIFEST
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
            tags = ["-".join(path.stem.split("-")[-3:])] if self.tags is None else self.tags
            text = "".join(["Wheel-Version: 1.0\n", *(f"Tag: {tag}\n" for tag in tags)])
            if tags != ["no file"]:
                wheel.writestr("ge_py-0.1.0.dist-info/WHEEL", text)
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
    tree.compile(into, source, "-Wl,--no-as-needed", str(stub))


def _import(call: str, declaration: str) -> str:
    return (
        NATIVE_SOURCE
        + f'{declaration}\n__attribute__((visibility("hidden"))) void *planted(void) {{ return {call}; }}\n'
    )


def _core_in_bridge(tree: Tree) -> None:
    """A core inside the bridge: its function is compiled in, and the shared core isn't needed."""
    tree.compile(BRIDGE, BRIDGE_SOURCE + CORE_SOURCE, core=False)


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
        "backend", WHEEL, lambda t: ((t.root / BACKEND).unlink(), t.edit_manifest(backends={}))
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
        "manifest",
        WHEEL,
        lambda t: (
            shutil.copytree(t.root / SET, t.root / SET.replace("pass", "custom_op")),
            (t.root / SET.replace("pass", "custom_op") / "manifest.json").write_text(
                (t.root / MANIFEST).read_text().replace('"3.9"', '"3.11"')
            ),
        ),
    ),
    "wheel without a manifest": Violation("manifest", WHEEL, lambda t: (t.root / MANIFEST).unlink()),
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
    assert re.fullmatch(r".*: 5 binaries, floor 3\.9, needs .*GLIBC \d+\.\d+.*, 0 findings\n", done.stdout)


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
    tree.edit_manifest(abi3_floor="3.10", backends={})
    tree.wheel = "ge_py-0.1.0-cp310-abi3-linux_x86_64.whl"
    assert findings(tree.pack()) == []


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


def test_every_kind_of_finding_has_a_planted_violation() -> None:
    kinds = set(
        re.findall(
            r'(?:subject|self)\.report\(\s*"([a-z-]+)"',
            (ROOT / "scripts" / "abi_rules.py").read_text()
            + (ROOT / "scripts" / "abi_subject.py").read_text(),
        )
    )
    assert kinds == {violation.kind for violation in VIOLATIONS.values()}


@pytest.mark.parametrize(
    "arguments", [[], ["no-such-file.whl"], ["no-such-folder"], [str(SCRIPT)], [".", "--floor", "4"]]
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
