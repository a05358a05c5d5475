"""More than one ge-py, or a `ge` of somebody else, within reach: which one works, and what is said.

Packages are copies of the installed one; `Site.version` turns a copy into one of another version, library included.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import ge
import pytest

from _onnx_models import operators

PACKAGE = pathlib.Path(ge.__file__).absolute().parent
VERSION = (PACKAGE / "passes/fallback_codegen/VERSION").read_text().strip()
OTHER = VERSION[:-1] + ("8" if VERSION[-1] == "9" else "9")
SHARED = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))
SETS = {"passes": "passes/python_pass_artifacts", "custom operators": "custom_op/python_custom_op_artifacts"}
OVERRIDES = {"passes": "GE_PY_ARTIFACT_DIR", "custom operators": "GE_PY_CUSTOM_OP_ARTIFACT_DIR"}
MODULES = {"passes": "ge.passes", "custom operators": "ge.runtime"}
NATIVES = {"passes": "ge.passes.Pattern", "custom operators": "ge.runtime.Shape"}


class Site:
    """A folder for PYTHONPATH with a whole copy of the installed packages."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        ignored = shutil.ignore_patterns("__pycache__", ".build")
        shutil.copytree(PACKAGE, root / "ge", ignore=ignored)
        shutil.copytree(PACKAGE.parent / "ge_atc", root / "ge_atc", ignore=ignored)

    @property
    def ge(self) -> pathlib.Path:
        return self.root / "ge"

    def set(self, kind: str) -> pathlib.Path:
        (folder,) = (self.ge / SETS[kind]).glob("abi3-*")
        return folder

    def library_is(self, version: str) -> Site:
        path = self.ge / "lib/libge_compiler.so"
        data = path.read_bytes()
        assert data.count(VERSION.encode() + b"\0") >= 1 and len(version) == len(VERSION)
        path.write_bytes(data.replace(VERSION.encode() + b"\0", version.encode() + b"\0"))
        return self

    def version(self, version: str) -> Site:
        (self.ge / "passes/fallback_codegen/VERSION").write_text(version + "\n")
        for kind in SETS:
            edit(self.set(kind), ge_version=version)
        return self.library_is(version)


def edit(folder: pathlib.Path, **members) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def another_ge(root: pathlib.Path) -> pathlib.Path:
    """A package `ge` as a CANN installation has one: other contents under names that ge-py has too."""
    for package in ("ge", "ge/graph", "ge/passes"):
        (root / package).mkdir(parents=True)
        (root / package / "__init__.py").write_text("VENDOR = 'CANN'\n")
    return root


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path / "site")


@pytest.fixture
def compile_sample(samples, atc):
    """Compiles a model whose operator and whose pass are in Python: atc needs both artifact sets."""

    def run(*path, command=(sys.executable, "-m", "ge.pyatc"), env=None, check=0, options=("--log=info",)):
        sample = samples / "custom_op_add"
        environment = {
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "ASCEND_CUSTOM_OPP_PATH": str(sample / "add_custom.py"),
            **(env or {}),
        }
        return atc.compile(
            sample / "model.onnx", *options, passes=[sample / "remove_add_zero.py"], command=command, env=environment, check=check
        )

    return run


def worked(done) -> bool:
    return operators(done.path)["AddCustom"] == 1


def used(done, site: Site) -> bool:
    """Whether both sets that were loaded are those of that site."""
    loaded = [line.split("'")[1] for line in done.text.splitlines() if "loaded artifact set" in line]
    return sorted(loaded) == sorted(str(site.set(kind).resolve()) for kind in SETS)


def python(code: str, *path, env=None) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GE_", "ASCEND_"))}
    environment.update(PYTHONPATH=os.pathsep.join(map(str, path)), GE_PY_FALLBACK="0", **(env or {}))
    return subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# --- a package `ge` of somebody else ----------------------------------------------------------------------------------


def test_the_command_is_ge_pys_although_another_ge_comes_first(site, compile_sample, tmp_path):
    cann = another_ge(tmp_path / "cann")
    script = tmp_path / "atc"
    script.write_text("import sys\nfrom ge_atc import main\nsys.exit(main())\n")  # as pip writes it
    done = compile_sample(cann, site.root, command=[sys.executable, str(script)])
    assert worked(done) and used(done, site), done.text
    (line,) = [line for line in done.text.splitlines() if str(cann) in line]
    assert line.startswith("[WARNING] ") and str(site.ge) in line and "PYTHONPATH" in line


def test_the_command_says_nothing_where_there_is_one_ge(site, compile_sample, tmp_path):
    script = tmp_path / "atc"
    script.write_text("import sys\nfrom ge_atc import main\nsys.exit(main())\n")
    done = compile_sample(site.root, command=[sys.executable, str(script)])
    assert worked(done) and used(done, site) and "Looking for the package" not in done.text


def test_a_copy_that_is_not_whole_is_named_and_taken_for_no_other_package(site, tmp_path):
    broken = Site(tmp_path / "broken")
    (broken.ge / "lib" / "libge_compiler.so").unlink()
    done = python("import ge_atc; ge_atc.main()", broken.root, site.root)
    assert done.returncode == 255 and "Looking for the package" not in done.stderr
    assert f"cannot load the compiler '{broken.ge}/lib/libge_compiler.so'" in done.stderr and os.uname().machine in done.stderr


def test_the_command_is_that_of_the_first_ge_py_on_the_path(site, compile_sample, tmp_path):
    first = Site(tmp_path / "first").version(OTHER)
    code = f"import sys; sys.path.append({str(site.root)!r}); sys.argv[0] = 'atc'; import ge_atc; ge_atc.main()"
    done = compile_sample(first.root, command=[sys.executable, "-c", code])
    assert worked(done) and used(done, first) and "[WARNING]" not in done.stderr, done.text


@pytest.mark.skipif(not SHARED, reason="this Python has no shared library to embed")
@pytest.mark.parametrize("known", [False, True], ids=["package not on the path", "package later on the path"])
def test_the_native_host_uses_its_own_package_although_another_ge_comes_first(known, site, compile_sample, tmp_path):
    cann = another_ge(tmp_path / "cann")
    path = [cann, site.root] if known else [cann]
    done = compile_sample(
        *path, command=[str(site.ge / "bin/atc.bin")], env={"GE_PYTHON_EXECUTABLE": sys.executable}
    )
    assert worked(done) and used(done, site), done.text


@pytest.mark.parametrize("option", ["--verify", "--report=report.html"])
def test_what_atc_asks_python_for_is_ge_pys_although_another_ge_comes_first(option, site, compile_sample, tmp_path):
    start = f"import sys; sys.path.append({str(site.root)!r}); sys.argv[0] = 'atc'; import ge_atc; ge_atc.main()"
    done = compile_sample(
        another_ge(tmp_path / "cann"), command=[sys.executable, "-c", start], options=[option]
    )
    assert worked(done), done.text
    assert "largest difference" in done.text if option == "--verify" else (tmp_path / "report.html").exists()


def test_jobs_are_compiled_by_ge_py_although_another_ge_comes_first(site, samples, tmp_path):
    code = (
        f"import sys; sys.path.insert(0, {str(site.root)!r})\n"
        "from ge.offline_compile import CompileJob, compile_many\n"
        f"job = CompileJob(model={str(samples / 'add_zero/model.onnx')!r}, output={str(tmp_path / 'out')!r}, passes=[],\n"
        "    options={'soc_version': 'Ascend910B1', 'emit': 'onnx'})\n"
        "(result,) = compile_many([job])\n"
        "print(result.ok, result.message)"
    )
    done = python(code, another_ge(tmp_path / "cann"))
    assert done.stdout.startswith("True"), done.stdout + done.stderr


LOAD = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
error = ctypes.c_void_p()
library.ge_error_message.restype = ctypes.c_char_p
library.ge_error_message.argtypes = [ctypes.c_void_p]
if library.ge_passes_load(None, ctypes.byref(error)) < 0:
    print(library.ge_error_message(error).decode())
"""


def load_passes(site: Site, before: str, *path, tmp_path) -> str:
    """What ge_passes_load of that site says in a process that did something else before."""
    plugin = tmp_path / "plugin.py"
    plugin.write_text("import ge.passes\n")
    code = before + LOAD.replace("sys.argv[1]", repr(str(site.ge / "lib/libge_compiler.so")))
    done = python(code, *path, env={"ASCEND_GE_PY_PASS_PATH": str(plugin)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_process_that_has_imported_another_ge_is_told_which_two_clash(site, tmp_path):
    cann = another_ge(tmp_path / "cann")
    said = load_passes(site, "import ge.passes\n", cann, tmp_path=tmp_path)
    assert str(cann / "ge/__init__.py") in said and str(site.ge / "__init__.py") in said and "PYTHONPATH" in said


# --- two versions of ge-py --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [OTHER, VERSION])
def test_of_two_versions_on_the_path_the_first_works_whole(first, tmp_path, compile_sample):
    one = Site(tmp_path / "one").version(first)
    two = Site(tmp_path / "two").version(VERSION if first == OTHER else OTHER)
    done = compile_sample(one.root, two.root)
    assert worked(done) and used(done, one), done.text
    quiet = compile_sample(one.root, two.root, options=())
    assert "passed over" not in quiet.text, quiet.text


@pytest.mark.skipif(not SHARED, reason="this Python has no shared library to embed")
def test_a_native_host_of_one_version_leaves_another_on_the_path_alone(site, tmp_path, compile_sample):
    other = Site(tmp_path / "other").version(OTHER)
    done = compile_sample(
        other.root, command=[str(site.ge / "bin/atc.bin")], env={"GE_PYTHON_EXECUTABLE": sys.executable}
    )
    assert worked(done) and used(done, site), done.text


def test_a_process_that_has_imported_another_version_is_told_which_two_clash(site, tmp_path):
    other = Site(tmp_path / "other").version(OTHER)
    said = load_passes(site, "import ge.passes\n", other.root, tmp_path=tmp_path)
    assert str(other.ge / "__init__.py") in said and str(site.ge / "__init__.py") in said, said


def names_both(text: str, folder: pathlib.Path) -> bool:
    """Whether some line says which set is of which version, and what it was held against."""
    lines = [line for line in text.splitlines() if str(folder) in line]
    return any(f"'{OTHER}'" in line and f"'{VERSION}'" in line for line in lines)


def test_a_set_of_another_version_that_the_variable_names_is_not_used(site, tmp_path, compile_sample):
    folder = Site(tmp_path / "other").version(OTHER).set("passes")
    done = compile_sample(site.root, env={OVERRIDES["passes"]: str(folder)})
    assert names_both(done.text, folder) and worked(done) and used(done, site), done.text


def test_a_set_of_operators_of_another_ge_py_that_the_variable_names_is_an_error(site, tmp_path, compile_sample):
    # Not passed over: a bridge of another maker, whose version is another anyway, would be used.
    folder = Site(tmp_path / "other").version(OTHER).set("custom operators")
    done = compile_sample(site.root, env={OVERRIDES["custom operators"]: str(folder)}, options=(), check=255)
    assert "E13029" in done.text and names_both(done.text, folder), done.text


# --- what an upgrade may leave behind ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_a_leftover_set_of_another_version_is_passed_over(kind, name, site, compile_sample):
    own = site.set(kind)
    left = own.with_name(f"{name}-{own.name}")
    shutil.copytree(own, left)
    edit(left, ge_version=OTHER)
    code = f"import {MODULES[kind]}; {NATIVES[kind]}; import sys; print(*[m.__file__ for n, m in sys.modules.items() if '._ge_' in n])"
    loaded = python(code, site.root)
    assert loaded.returncode == 0 and str(own.resolve()) in loaded.stdout and str(left) not in loaded.stdout, loaded.stderr
    done = compile_sample(site.root)
    assert worked(done), done.text
    assert names_both(done.text, left), done.text
    assert str(left) not in [line.split("'")[1] for line in done.text.splitlines() if "loaded artifact set" in line]


@pytest.mark.parametrize("kind", SETS)
def test_a_leftover_set_alone_is_an_error_that_names_both_versions(kind, site, compile_sample):
    edit(site.set(kind), ge_version=OTHER)
    done = compile_sample(site.root, env={"GE_PY_PASS_ON_ERROR": "fail"}, options=(), check=255)
    assert f"'{OTHER}'" in done.text and f"'{VERSION}'" in done.text and str(site.set(kind)) in done.text


def test_a_library_that_another_version_left_is_an_error_that_names_both_versions(site, compile_sample):
    site.library_is(OTHER)
    done = compile_sample(site.root, env={"GE_PY_PASS_ON_ERROR": "fail"}, options=(), check=255)
    assert f"'{OTHER}'" in done.text and f"'{VERSION}'" in done.text and "reinstall" in done.text, done.text


def test_a_manifest_that_another_version_left_says_so_in_python_too(site):
    edit(site.set("passes"), ge_version=OTHER)
    done = python("import ge.passes; ge.passes.Pattern", site.root)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and f"'{OTHER}'" in last and f"'{VERSION}'" in last and str(site.set("passes")) in last


# --- pip, there and back ----------------------------------------------------------------------------------------------


def wheel_of(site: Site, version: str, folder: pathlib.Path) -> pathlib.Path:
    """The site as a wheel of that version."""
    path = folder / f"ge_py-{version}-py3-none-any.whl"
    info = f"ge_py-{version}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: ge-py\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\natc = ge_atc:main\n",
    }
    files = {str(file.relative_to(site.root)): file.read_bytes() for file in sorted(site.root.rglob("*")) if file.is_file()}
    files.update({name: text.encode() for name, text in texts.items()})
    digests = {n: base64.urlsafe_b64encode(hashlib.sha256(d).digest()).rstrip(b"=").decode() for n, d in files.items()}
    record = "".join(f"{name},sha256={digests[name]},{len(data)}\n" for name, data in files.items())
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return path


def test_pip_puts_an_old_version_over_a_new_one_and_back(tmp_path, compile_sample):
    old = Site(tmp_path / "old").version(OTHER)
    # What only the old version has must be gone with it.
    shutil.copytree(old.set("passes"), old.set("passes").with_name("old-only"))
    shutil.move(str(old.set("passes")), str(old.ge / "moved"))
    wheels = {OTHER: wheel_of(old, OTHER, tmp_path), VERSION: wheel_of(Site(tmp_path / "new"), VERSION, tmp_path)}
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    interpreter = tmp_path / "venv/bin/python"
    (home,) = (tmp_path / "venv/lib").glob("python3*/site-packages")
    # The packages that ge-py needs come from this Python, after those of the environment.
    (home / "others.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("-packages")))
    for version in (VERSION, OTHER, VERSION):
        subprocess.run(
            [interpreter, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
            + ["--force-reinstall", wheels[version]],
            check=True,
        )
        done = compile_sample(command=[tmp_path / "venv/bin/atc"])
        assert worked(done), done.text
        loaded = [line.split("'")[1] for line in done.text.splitlines() if "loaded artifact set" in line]
        assert len(loaded) == 2 and all(str(home.resolve()) in path for path in loaded)
        assert {json.loads((pathlib.Path(p) / "manifest.json").read_text())["ge_version"] for p in loaded} == {version}
        assert (home / "ge/passes/python_pass_artifacts/old-only").exists() == (version == OTHER)


# --- the cache of compiled sets ---------------------------------------------------------------------------------------


@pytest.fixture
def stale(tmp_path):
    """A set in a cache of its own, of an earlier build of this version; stale(ge_version=...) changes it."""

    def make(site: Site, **members) -> pathlib.Path:
        from ge._internal.artifact_utils import this_abi, this_platform

        cache = tmp_path / "cache/ge-py/bridges"
        cache.mkdir(mode=0o700, parents=True)
        cache.parent.chmod(0o700)
        folder = cache / f"{this_abi()}-{this_platform()}-0123456789abcdef"
        shutil.copytree(site.set("passes"), folder)
        edit(folder, python_abi=this_abi(), core="0" * 40, **members)
        return folder

    return make


@pytest.mark.parametrize("members", [{}, {"ge_version": OTHER}], ids=["other build", "other version"])
def test_a_stale_compiled_set_is_left_alone(members, stale, site, tmp_path, compile_sample):
    folder = stale(site, **members)
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "GE_PY_FALLBACK": "1"}
    done = compile_sample(site.root, env=cache)
    assert worked(done) and used(done, site), done.text
    assert any(str(folder) in line and "passed over" in line for line in done.text.splitlines()), done.text


@pytest.mark.parametrize("members", [{}, {"ge_version": OTHER}], ids=["other build", "other version"])
def test_a_stale_compiled_set_is_not_a_last_resort(members, stale, site, tmp_path, compile_sample):
    folder = stale(site, **members)
    edit(site.set("passes"), platform="linux-pdp11")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "CXX": "/nonexistent/c++", "GE_PY_FALLBACK": "1"}
    done = compile_sample(site.root, env={**cache, "ASCEND_CUSTOM_OPP_PATH": "", "GE_PY_PASS_ON_ERROR": "fail"}, options=(), check=255)
    assert f"'{folder}' was passed over: it was compiled for another build" in done.text, done.text
    assert "linux-pdp11" in done.text
    assert ("compiled on this machine" in done.text) == (sys.version_info >= (3, 10)), done.text
