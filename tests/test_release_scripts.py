"""What is checked of a wheel before it is given away (scripts/check_manylinux.py), and what the release scripts refuse."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
CORE = "ge/lib/libge_compiler.so"


def check(folder, tag, *files):
    wheel = folder / f"ge_py-0.1.0-cp39-abi3-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in files:
            archive.writestr(name, b"")
    return subprocess.run(
        [sys.executable, str(SCRIPTS / "check_manylinux.py"), str(wheel)], stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("tag", ["manylinux_2_24_x86_64", "manylinux_2_26_aarch64.manylinux_2_28_aarch64"])
def test_a_wheel_for_an_old_glibc_with_one_core_is_fine(tmp_path, tag):
    done = check(tmp_path, tag, CORE, "ge/bin/atc.bin")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "tag, files, said",
    [
        ("linux_x86_64", [CORE], "expected manylinux_2_28 or older, found none"),
        ("manylinux_2_34_x86_64", [CORE], "expected manylinux_2_28 or older, found [(2, 34)]"),
        ("manylinux_2_24_x86_64", [], "looking for the core"),
        ("manylinux_2_24_x86_64", [CORE, "ge_py.libs/libge_compiler-1f.so"], "looking for the core"),
        ("manylinux_2_24_x86_64", [CORE, "ge_py.libs/libstdc++-1f.so.6"], "libraries that auditwheel copied in"),
    ],
)
def test_what_a_release_must_not_be_is_named(tmp_path, tag, files, said):
    done = check(tmp_path, tag, *files)
    assert done.returncode == 1
    assert said in done.stderr


@pytest.mark.parametrize("script", ["build_manylinux.sh", "test_distributions.sh", "offline_bundle.sh"])
@pytest.mark.parametrize("arguments", [["--unknown"], ["out", "--arch", "mips"]])
def test_wrong_arguments_end_with_a_word_and_code_2(tmp_path, script, arguments):
    done = subprocess.run(
        [str(SCRIPTS / script), *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 2
    assert "mips" in done.stderr or f"scripts/{script}" in done.stderr
    assert list(tmp_path.iterdir()) == []


def bundle(folder, *arguments, **environment):
    return subprocess.run(
        [str(SCRIPTS / "offline_bundle.sh"), "out", *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )


@pytest.mark.parametrize("arguments", [["--wheel"], ["--wheel", "none_x86_64.whl"]])
def test_a_bundle_of_no_wheel_ends_before_the_work(tmp_path, arguments):
    done = bundle(tmp_path, *arguments)
    assert done.returncode == 2 and "--wheel" in done.stderr and list(tmp_path.iterdir()) == []


def test_a_bundle_of_a_wheel_needs_no_compiler(tmp_path):
    wheel = tmp_path / "ge_py-0.1.0-cp39-abi3-linux_x86_64.whl"
    wheel.touch()
    done = bundle(tmp_path, "--arch", "x86_64", "--wheel", wheel, CXX="/no/such/compiler", PYTHON="/no/such/python")
    assert done.returncode == 1 and "Python from 3.9 on with venv" in done.stderr and "compiler" not in done.stderr


# The release is built with gcc 10 and runs with the libstdc++ of gcc 8; the compilers at hand would say nothing.
@pytest.mark.parametrize(
    "newer, instead",
    [
        (r"\bstd::bit_cast\b", "BitCast of base/bits.h"),
        (r"#include <filesystem>", "compiler/folders.h, or what POSIX has"),
        (r"#include <(format|source_location|latch|barrier|semaphore|syncstream|expected)>", "what C++17 has"),
        (r"\busing enum\b", "the names in full"),
        (r"\bwait_(for|until)\(\w+, [^)]*(steady_clock|Clock::now\(\) \+)", "std::chrono::system_clock"),
    ],
)
def test_sources_keep_to_what_the_release_compiler_and_old_systems_have(newer, instead):
    root = SCRIPTS.parent
    sources = [p for folder in ("csrc", "include") for p in (root / folder).rglob("*") if p.suffix in (".cc", ".h")]
    assert len(sources) > 300
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sources
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(newer, line) and not line.lstrip().startswith("//")
    ]
    assert not found, f"use {instead}"
