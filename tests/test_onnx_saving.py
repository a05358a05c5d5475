"""Saving at the worst moment: killed, out of space, out of permission. The old output or the new one, never a mixture."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import ge.onnx
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from _onnx_models import Net

COUNT = 2**19  # 2 MiB of weights


def source(folder, value):
    """A model whose every weight is `value`, three of them."""
    net = Net()
    y = net.input("x", [COUNT])
    for i in range(3):
        y = net.op("Add", y, net.const(np.full(COUNT, value, np.float32), f"w{i}"))
    net.output(y, [COUNT])
    path = folder / f"source{value}.onnx"
    path.write_bytes(net.build(producer_version=str(value)).SerializeToString())
    return path


def values(path):
    """The values that the weights of a saved model have; all of them are there."""
    model = onnx.load(str(path))
    arrays = [numpy_helper.to_array(t) for t in model.graph.initializer]
    assert len(arrays) == 3 and all(a.size == COUNT for a in arrays)
    return {float(model.producer_version), *(float(v) for a in arrays for v in (a.min(), a.max()))}


WRITER = textwrap.dedent(
    """
    import sys
    import ge.onnx
    folder, threshold = sys.argv[1], int(sys.argv[2])
    graphs = [ge.onnx.load(f"{folder}/source{v}.onnx") for v in (1, 2)]
    print("ready", flush=True)
    while True:
        for graph in graphs:
            ge.onnx.save(graph, f"{folder}/out/target.onnx", external_data_threshold=threshold)
    """
)


@pytest.mark.parametrize("threshold", [-1, 0], ids=["inline", "external"])
def test_a_killed_save_leaves_the_old_model_or_the_new_one(threshold, tmp_path):
    for value in (1, 2):
        source(tmp_path, value)
    out = tmp_path / "out"
    out.mkdir()
    rng = random.Random(threshold)
    seen = set()
    for number in range(40):
        if number >= 12 and len(seen) == 2:
            break
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(threshold)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        while not (out / "target.onnx").exists():
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.06 + 0.01 * number))  # longer and longer: the machine may be slow
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = values(out / "target.onnx")
        assert len(found) == 1, f"a mixture of both models: {found}"
        seen |= found
    assert seen == {1.0, 2.0}
    # What a killed process left of a data file is gone after the next save.
    ge.onnx.save(ge.onnx.load(tmp_path / "source1.onnx"), out / "target.onnx", external_data_threshold=threshold)
    data = [name for name in os.listdir(out) if name.startswith("target.onnx.data")]
    assert len(data) == (threshold == 0)


STEPS = textwrap.dedent(
    """
    import sys
    import ge.onnx
    graph = ge.onnx.load(sys.argv[1])
    ge.onnx.save(graph, sys.argv[2], external_data_threshold=0)
    """
)
# Takes the place of the calls that change a folder, and ends the process instead of the n-th.
KILLER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void count(void) {
  static int n;
  if (++n == atoi(getenv("KILL_AT"))) kill(getpid(), SIGKILL);
}
int linkat(int a, const char* b, int c, const char* d, int e) {
  count();
  return ((int (*)(int, const char*, int, const char*, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
}
int rename(const char* a, const char* b) {
  count();
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(a, b);
}
int unlink(const char* a) {
  count();
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "unlink"))(a);
}
"""


def test_a_save_that_ends_before_any_step_leaves_a_whole_model(tmp_path):
    (tmp_path / "killer.c").write_text(KILLER)
    library = tmp_path / "killer.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "killer.c"), "-ldl"], check=True)
    new, old = source(tmp_path, 2), ge.onnx.load(source(tmp_path, 1))
    found = []
    for step in range(1, 20):
        out = tmp_path / str(step)
        out.mkdir()
        ge.onnx.save(old, out / "target.onnx", external_data_threshold=0)
        done = subprocess.run(
            [sys.executable, "-c", STEPS, str(new), str(out / "target.onnx")],
            env={**os.environ, "LD_PRELOAD": str(library), "KILL_AT": str(step)},
        )
        found.append(values(out / "target.onnx"))
        assert found[-1] in ({1.0}, {2.0}), f"a mixture after step {step}: {found[-1]}"
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    # Steps before the new model is in place, and steps after.
    assert found.count({1.0}) >= 2 and found.count({2.0}) >= 2
    assert sorted(os.listdir(out)) == ["target.onnx", "target.onnx.data1"]


def test_the_data_file_changes_between_two_names_and_goes_when_nothing_uses_it(tmp_path):
    graph, target = ge.onnx.load(source(tmp_path, 1)), tmp_path / "out" / "target.onnx"
    target.parent.mkdir()
    for data in ("target.onnx.data", "target.onnx.data1", "target.onnx.data"):
        ge.onnx.save(graph, target, external_data_threshold=0)
        assert sorted(os.listdir(target.parent)) == ["target.onnx", data]
        assert values(target) == {1.0}
    ge.onnx.save(ge.onnx.load(target), target, external_data_threshold=-1)
    assert os.listdir(target.parent) == ["target.onnx"] and values(target) == {1.0}
    # A data file of somebody else stays.
    (tmp_path / "out" / "target.onnx.data").write_bytes(b"mine")
    ge.onnx.save(graph, target, external_data_threshold=-1)
    assert (tmp_path / "out" / "target.onnx.data").read_bytes() == b"mine"


LIMITED = textwrap.dedent(
    """
    import resource, signal, sys
    import ge.onnx
    graph = ge.onnx.load(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for size in map(int, sys.argv[3].split(",")):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            ge.onnx.save(graph, sys.argv[2], external_data_threshold=int(sys.argv[4]))
            print(size, "saved")
        except RuntimeError as error:
            print(size, error)
    """
)


@pytest.mark.parametrize("threshold", [-1, 0], ids=["inline", "external"])
def test_a_file_that_may_not_grow_is_an_error_that_leaves_the_old_one(threshold, tmp_path):
    old, new = source(tmp_path, 1), source(tmp_path, 2)
    out = tmp_path / "out"
    out.mkdir()
    ge.onnx.save(ge.onnx.load(old), out / "target.onnx", external_data_threshold=threshold)
    before = sorted(os.listdir(out))
    whole = 3 * COUNT * 4
    sizes = [0, 1, 100, 4096, 100_000, whole // 3, whole // 2, whole - 1]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(new), str(out / "target.onnx"), ",".join(map(str, sizes)), str(threshold)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(sizes)
    for line in lines:
        assert "cannot write file" in line and "File too large" in line and "free some space" in line, line
    assert values(out / "target.onnx") == {1.0} and sorted(os.listdir(out)) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
@pytest.mark.parametrize("threshold", [-1, 0], ids=["inline", "external"])
def test_a_full_disk_is_an_error_that_leaves_the_old_output(threshold, tmp_path):
    old, new = source(tmp_path, 1), source(tmp_path, 2)
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", str(disk)], stderr=subprocess.PIPE)
    if mounted.returncode != 0:
        pytest.skip(f"mount: {mounted.stderr.decode().strip()}")
    try:
        ge.onnx.save(ge.onnx.load(old), disk / "target.onnx", external_data_threshold=threshold)
        before = sorted(os.listdir(disk))
        with pytest.raises(RuntimeError, match="No space left on device; free some space"):
            ge.onnx.save(ge.onnx.load(new), disk / "target.onnx", external_data_threshold=threshold)
        assert values(disk / "target.onnx") == {1.0} and sorted(os.listdir(disk)) == before
        for name in before:
            os.remove(disk / name)
        ge.onnx.save(ge.onnx.load(new), disk / "new.onnx", external_data_threshold=-1)
        assert values(disk / "new.onnx") == {2.0}  # and between file systems at all
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_two_writers_of_one_model_leave_one_of_them(tmp_path):
    for value in (1, 2):
        source(tmp_path, value)
    (tmp_path / "out").mkdir()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "0"], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    while not (tmp_path / "out" / "target.onnx").exists():
        time.sleep(0.01)
    time.sleep(1)
    for writer in writers:
        writer.kill()
        writer.wait()
    assert len(values(tmp_path / "out" / "target.onnx")) == 1


def test_an_output_that_is_a_link_is_replaced_not_followed(tmp_path):
    path = source(tmp_path, 1)
    (tmp_path / "other").write_bytes(b"mine")
    (tmp_path / "target.onnx").symlink_to("other")
    ge.onnx.save(ge.onnx.load(path), tmp_path / "target.onnx")
    assert (tmp_path / "other").read_bytes() == b"mine" and values(tmp_path / "target.onnx") == {1.0}
