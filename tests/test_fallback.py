"""Compiling an artifact set where no prebuilt one serves: nanobind's backend is taken away in a virtual environment."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import ge
import pytest

from _onnx_models import Net, operators

nanobind = pytest.importorskip("nanobind", reason="a set is compiled with nanobind, from Python 3.10 on")
HEADERS = pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file()
COMPILER = shutil.which("g++") or shutil.which("c++")
SANITIZED = any(name in os.environ.get("LD_PRELOAD", "") for name in ("libasan", "libtsan"))
pytestmark = [
    pytest.mark.fallback,
    pytest.mark.skipif(not HEADERS or not COMPILER, reason="needs a C++ compiler and the headers of this Python"),
    pytest.mark.skipif(SANITIZED, reason="what is compiled here has no sanitizer in it"),
    pytest.mark.skipif(sys.version_info < (3, 10), reason="nanobind needs Python 3.10"),
]
PACKAGE = pathlib.Path(ge.__file__).parent
SHARED = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))

# Compiles each source once for all tests of this file; linking is always done.
KEEPING_COMPILER = textwrap.dedent(
    """\
    #!{python}
    import os, shutil, subprocess, sys
    words = sys.argv[1:]
    if "-c" not in words:
        sys.exit(subprocess.call([{compiler!r}, *words]))
    output = words[words.index("-o") + 1]
    kept = os.path.join({store!r}, os.path.basename(output))
    if not os.path.exists(kept):
        # ccache has its own cache there, the one that earlier runs filled.
        os.environ.pop("XDG_CACHE_HOME")
        os.environ.update({cache!r})
        failed = subprocess.call([*{launcher!r}, {compiler!r}, *words])
        if failed:
            sys.exit(failed)
        shutil.copy(output, f"{{kept}}.{{os.getpid()}}")
        os.rename(f"{{kept}}.{{os.getpid()}}", kept)
    shutil.copy(kept, output)
    """
)


class Environment:
    """A virtual environment that has ge-py and nanobind but not nanobind-backend."""

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
        self.python = folder / "env" / "bin" / "python"
        site = next((folder / "env" / "lib").glob("python*/site-packages"))
        self.package = site / "ge"
        # Not linked: the core would find the other site-packages, and the backend in it.
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (site / "nanobind").symlink_to(pathlib.Path(nanobind.__file__).parent)
        import typing_extensions

        shutil.copy(typing_extensions.__file__, site)
        self.compiler = folder / "keeping-c++"
        (folder / "objects").mkdir()
        text = KEEPING_COMPILER.format(
            python=sys.executable,
            compiler=COMPILER,
            store=str(folder / "objects"),
            cache={k: v for k, v in os.environ.items() if k == "XDG_CACHE_HOME"},
            launcher=[shutil.which("ccache")] if shutil.which("ccache") else [],
        )
        self.compiler.write_text(text)
        self.compiler.chmod(0o755)

    def start(self, cache, *words, env=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "GE_", "PYTHON"))}
        environment.update(XDG_CACHE_HOME=str(cache), CXX=str(self.compiler), GE_PY_FALLBACK_CXXFLAGS="-O0")
        environment.update(GE_PYTHON_EXECUTABLE=str(self.python), VIRTUAL_ENV="")
        environment.update(CCACHE_BASEDIR="/", CCACHE_NOHASHDIR="1")
        for name, value in (env or {}).items():
            environment[name] = str(value)
        return subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=self.folder,
        )

    def run(self, cache, *words, env=None, check=0):
        process = self.start(cache, *words, env=env)
        text, _ = process.communicate(timeout=900)
        assert process.returncode == check, f"exit code {process.returncode}\n{text}"
        return text

    def runtime(self, cache, *words, **more):
        return self.run(cache, self.python, "-m", "ge.passes.runtime", *words, **more)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("fallback"))


@pytest.fixture(scope="module")
def built(environment):
    """A cache that two processes filled at once, and what they said."""
    cache = environment.folder / "cache"
    command = [environment.python, "-m", "ge.passes.runtime", "build"]
    processes = [environment.start(cache, *command) for _ in range(2)]
    texts = [process.communicate(timeout=900)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], texts
    return cache, texts


@pytest.fixture
def cache(built, tmp_path):
    """A copy of that cache."""
    return pathlib.Path(shutil.copytree(built[0], tmp_path / "cache"))


@pytest.fixture
def model(tmp_path):
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    path = tmp_path / "model.onnx"
    path.write_bytes(net.build().SerializeToString())
    return path


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "relu_to_neg.py"
    path.write_text(
        textwrap.dedent(
            """
            from ge.es.all import Neg, Relu
            from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

            @register_fusion_pass(name="ReluToNeg", stage=PassStage.BEFORE_INFER_SHAPE)
            class ReluToNeg(PatternFusionPass):
                @pattern
                def relu(self, inputs):
                    return Relu(inputs[0])

                def meet_requirements(self, match_result):
                    return match_result.get_captured_tensor(1).node.type == "Relu"

                def replacement(self, inputs):
                    return Neg(inputs[0])
            """
        )
    )
    return path


def entries(cache):
    return [path for path in (cache / "ge-py" / "bridges").iterdir() if path.name != ".lock"]


IMPORT = "import ge.passes, ge.passes.runtime as r; ge.passes.Pattern; print('set', r.artifact_dir())"


def compile_command(environment, host, model, output):
    command = {"python": [environment.python, "-m", "ge.pyatc"], "native": [environment.package / "bin" / "atc.bin"]}[host]
    options = ["--framework=5", f"--model={model}", f"--output={output}", "--soc_version=Ascend910B1", "--emit=onnx"]
    return [*command, *options]


hosts = pytest.mark.parametrize(
    "host",
    ["python", pytest.param("native", marks=pytest.mark.skipif(not SHARED, reason="no shared library to embed"))],
)


def test_two_processes_build_one_set(built):
    cache, texts = built
    (entry,) = entries(cache)
    assert all(str(entry) in text for text in texts)
    manifest = json.loads((entry / "manifest.json").read_text())
    assert manifest["python_abi"] == "cp{}{}".format(*sys.version_info) and manifest["free_threaded"] is False
    for folder in (cache / "ge-py", cache / "ge-py" / "bridges", entry):
        assert folder.stat().st_mode & 0o777 == 0o700, folder


def test_what_is_there_is_not_built_again(environment, cache):
    text = environment.runtime(cache, "build", env={"CXX": "/nonexistent"})
    assert str(entries(cache)[0]) in text


def test_a_python_process_uses_it(environment, cache):
    text = environment.run(cache, environment.python, "-c", IMPORT, env={"CXX": "/nonexistent"})
    assert f"set {entries(cache)[0]}" in text


@hosts
def test_compiles_use_it(host, environment, cache, model, plugin, tmp_path):
    env = {"ASCEND_GE_PY_PASS_PATH": plugin, "CXX": "/nonexistent"}
    text = environment.run(cache, *compile_command(environment, host, model, tmp_path / "out"), env=env)
    assert operators(tmp_path / "out.onnx") == {"Neg": 1}, text


def test_passes_and_compiles_share_it_in_one_process(environment, cache, model, plugin, tmp_path):
    words = list(map(str, compile_command(environment, "python", model, tmp_path / "out")[3:]))
    code = f"{IMPORT}; from ge.pyatc.__main__ import main; main('atc', {words!r})"
    text = environment.run(cache, environment.python, "-c", code, env={"ASCEND_GE_PY_PASS_PATH": plugin})
    assert operators(tmp_path / "out.onnx") == {"Neg": 1}, text


@hosts
def test_it_is_built_when_it_is_needed(host, environment, built, model, plugin, tmp_path):
    env = {"ASCEND_GE_PY_PASS_PATH": plugin}
    text = environment.run(tmp_path / "new", *compile_command(environment, host, model, tmp_path / "out"), env=env)
    assert operators(tmp_path / "out.onnx") == {"Neg": 1}, text
    assert "compiling one into" in text and len(entries(tmp_path / "new")) == 1


def damage_truncated(entry):
    path = next(entry.glob("_ge_pass_native*"))
    path.write_bytes(path.read_bytes()[:5000])


def damage_bits(entry):
    path = entry / "libge_python_pass_bridge.so"
    content = bytearray(path.read_bytes())
    content[:4] = b"\0\0\0\0"
    path.write_bytes(content)


def damage_missing(entry):
    (entry / "libge_python_pass_bridge.so").unlink()


def damage_manifest(entry):
    (entry / "manifest.json").write_text("{")


def damage_emptied(entry):
    shutil.rmtree(entry)
    entry.mkdir(mode=0o700)


@hosts
@pytest.mark.parametrize("damage", [damage_truncated, damage_bits, damage_missing, damage_manifest, damage_emptied])
def test_a_damaged_set_is_built_again(damage, host, environment, cache, model, plugin, tmp_path):
    (entry,) = entries(cache)
    damage(entry)
    env = {"ASCEND_GE_PY_PASS_PATH": plugin}
    text = environment.run(cache, *compile_command(environment, host, model, tmp_path / "out"), env=env)
    assert operators(tmp_path / "out.onnx") == {"Neg": 1}, text
    assert entries(cache) == [entry]


def test_a_set_of_another_build_of_the_core_is_not_used(environment, cache, model, plugin, tmp_path):
    (entry,) = entries(cache)
    manifest = json.loads((entry / "manifest.json").read_text())
    (entry / "manifest.json").write_text(json.dumps({**manifest, "core": "00" * 20}))
    text = environment.runtime(cache, "status", check=1)
    assert "compiled for another build" in text


def off(environment, cache, model, plugin, tmp_path, **env):
    """Python passes are off in every host; the reasons that the hosts give."""
    env = {"ASCEND_GE_PY_PASS_PATH": plugin, **env}
    for host in ["python", "native"] if SHARED else ["python"]:
        text = environment.run(cache, *compile_command(environment, host, model, tmp_path / host), env=env)
        assert operators(tmp_path / f"{host}.onnx") == {"Relu": 1}
        (line,) = [line for line in text.splitlines() if "Python passes are not available" in line]
        yield line
    text = environment.run(cache, environment.python, "-c", IMPORT, env=env, check=1)
    yield text.strip().splitlines()[-1]


def test_it_can_be_turned_off(environment, cache, model, plugin, tmp_path):
    for reason in off(environment, cache, model, plugin, tmp_path, GE_PY_FALLBACK="0"):
        assert "GE_PY_FALLBACK=0" in reason and "pip install nanobind-backend" in reason, reason


@pytest.mark.parametrize(
    "env, words",
    [
        ({"CXX": "/nonexistent/c++"}, "there is no C++ compiler: looked for '/nonexistent/c++' of CXX"),
        ({"CXX": "", "PATH": "/nonexistent"}, "there is no C++ compiler: looked for 'c++'"),
        ({"CXX": "/bin/false"}, "the compiler '/bin/false' failed with code '1'"),
    ],
)
def test_without_a_compiler_there_is_one_clear_reason(env, words, environment, built, model, plugin, tmp_path):
    for reason in off(environment, tmp_path / "new", model, plugin, tmp_path, **env):
        assert words in reason, reason
    assert not (tmp_path / "new" / "ge-py").exists() or entries(tmp_path / "new") == []


def test_without_nanobind_there_is_one_clear_reason(environment, tmp_path, model, plugin):
    link = environment.package.parent / "nanobind"
    target = os.readlink(link)
    link.unlink()
    try:
        for reason in off(environment, tmp_path / "new", model, plugin, tmp_path):
            assert "nanobind is not installed" in reason and "nanobind-backend" in reason, reason
    finally:
        link.symlink_to(target)


@pytest.mark.parametrize("folder, mode", [("ge-py/bridges", 0o755), ("ge-py/bridges", 0o770), ("ge-py", 0o777)])
def test_a_cache_that_others_can_reach_is_not_used(folder, mode, environment, cache, model, plugin, tmp_path):
    (cache / folder).chmod(mode)
    for reason in off(environment, cache, model, plugin, tmp_path):
        assert str(cache / folder) in reason, reason
    assert str(cache / folder) in environment.runtime(cache, "status", check=1)


def test_a_cache_that_is_a_link_is_not_used(environment, cache, model, plugin, tmp_path):
    (cache / "ge-py" / "bridges").rename(tmp_path / "elsewhere")
    (cache / "ge-py" / "bridges").symlink_to(tmp_path / "elsewhere")
    for reason in off(environment, cache, model, plugin, tmp_path):
        assert "is no folder" in reason, reason


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_cache_of_another_user_is_not_used(environment, cache, model, plugin, tmp_path):
    os.chown(cache / "ge-py" / "bridges", 12345, 12345)
    for reason in off(environment, cache, model, plugin, tmp_path):
        assert "belongs to user '12345'" in reason, reason


def test_status_and_clean(environment, cache):
    (entry,) = entries(cache)
    left = cache / "ge-py" / "bridges" / ".work-of-the-dead"
    left.mkdir()
    text = environment.runtime(cache, "status")
    assert f"{entry}: for this Python and package" in text and f"in use      {entry}" in text
    other = environment.runtime(cache, "status", env={"GE_PY_FALLBACK_CXXFLAGS": "-O2"}, check=1)
    assert f"{entry}: for another one" in other
    assert "removed 1 sets" in environment.runtime(cache, "clean")
    assert entries(cache) == [] and "removed 0 sets" in environment.runtime(cache, "clean")
    assert "in use      none" in environment.runtime(cache, "status", check=1)


def test_what_a_dead_process_left_is_cleared_at_the_next_build(environment, built, tmp_path):
    folder = tmp_path / "new" / "ge-py" / "bridges"
    (folder / ".work-of-the-dead" / "objects").mkdir(parents=True)
    for path in (folder.parent, folder):
        path.chmod(0o700)
    environment.runtime(tmp_path / "new", "build")
    assert len(entries(tmp_path / "new")) == 1
    environment.runtime(tmp_path / "new", "build", "--force")
    assert len(entries(tmp_path / "new")) == 1
