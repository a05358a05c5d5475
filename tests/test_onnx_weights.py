"""Weights outside of the model: any layout in, one file out, and nothing that is not the model's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import ge.onnx
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from _onnx_models import Net, random_feeds, run


def pointer(name, dims, location, offset=None, length=None, data_type=TensorProto.FLOAT):
    tensor = TensorProto(name=name, data_type=data_type, dims=dims, data_location=TensorProto.EXTERNAL)
    entries = {"location": location, "offset": offset, "length": length}
    for key, value in entries.items():
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    return tensor


def adding(*tensors, count=4):
    """A model that adds all these tensors to its input."""
    net = Net()
    value = net.input("x", [count])
    net.constants.extend(tensors)
    for tensor in tensors:
        value = net.op("Add", value, tensor.name)
    net.output(value, [count])
    return net.build()


def written(model, folder, name="source.onnx"):
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def moved(path, folder, **options):
    """The model saved alone into a folder of its own; the old files are gone when it is looked at."""
    graph = ge.onnx.load(path)
    other = folder / "elsewhere"
    other.mkdir()
    ge.onnx.save(graph, other / "target.onnx", **options)
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()
    onnx.checker.check_model(str(other / "target.onnx"))
    return other / "target.onnx"


def locations(model):
    """Location and length of every tensor with external data, wherever in the model it is."""
    from onnx.external_data_helper import _get_all_tensors, uses_external_data

    found = {}
    for tensor in _get_all_tensors(model):
        if uses_external_data(tensor):
            found[tensor.name] = {e.key: e.value for e in tensor.external_data}
    return found


@pytest.mark.smoke
def test_a_file_for_each_tensor_becomes_one_file(tmp_path):
    rows = {f"w{i}": np.arange(400, dtype=np.float32) + i for i in range(5)}
    (tmp_path / "deep").mkdir()
    for name, values in rows.items():
        (tmp_path / "deep" / name).write_bytes(values.tobytes())
    model = adding(*(pointer(n, [400], f"deep/{n}") for n in rows), count=400)
    target = moved(written(model, tmp_path), tmp_path)
    assert sorted(os.listdir(target.parent)) == ["target.onnx", "target.onnx.data"]
    places = locations(onnx.load(str(target), load_external_data=False))
    assert {p["location"] for p in places.values()} == {"target.onnx.data"} and len(places) == 5
    x = np.ones(400, np.float32)
    np.testing.assert_array_equal(run(target, {"x": x})[0], x + sum(rows.values()))


def test_more_files_than_a_process_may_usually_open(tmp_path):
    code = f"""
        import resource, sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import ge.onnx
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        ge.onnx.save(ge.onnx.load("source.onnx"), "target.onnx")
    """
    for i in range(200):
        (tmp_path / f"w{i}").write_bytes(np.full(300, i, np.float32).tobytes())
    written(adding(*(pointer(f"w{i}", [300], f"w{i}") for i in range(200)), count=300), tmp_path)
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, cwd=tmp_path)
    x = np.zeros(300, np.float32)
    assert run(tmp_path / "target.onnx", {"x": x})[0][0] == sum(range(200))


def test_tensors_may_share_all_of_their_bytes_but_not_a_part(tmp_path):
    (tmp_path / "w").write_bytes(np.arange(8, dtype=np.float32).tobytes())
    model = adding(pointer("a", [4], "w", 0, 16), pointer("b", [4], "w", 0, 16), pointer("c", [4], "w", 16, 16))
    path = written(model, tmp_path)
    ge.onnx.save(ge.onnx.load(path), tmp_path / "target.onnx")
    np.testing.assert_array_equal(run(tmp_path / "target.onnx", {"x": np.zeros(4, np.float32)})[0], [4, 7, 10, 13])
    path = written(adding(pointer("a", [4], "w", 0, 16), pointer("b", [4], "w", 12, 16)), tmp_path)
    with pytest.raises(ValueError, match=r"do not overlap, found 'a' at bytes 0 to 16 and 'b' at 12 to 28"):
        ge.onnx.load(path)


@pytest.mark.parametrize("other", ["./w", "folder/w", "symbolic", "hard"])
def test_tensors_overlap_under_whatever_names_of_the_file(other, tmp_path):
    (tmp_path / "w").write_bytes(np.arange(8, dtype=np.float32).tobytes())
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "symbolic").symlink_to("w")
    os.link(tmp_path / "w", tmp_path / "hard")
    path = written(adding(pointer("a", [4], "w", 0, 16), pointer("b", [4], other, 12, 16)), tmp_path)
    with pytest.raises(ValueError, match=r"do not overlap, found 'a' at bytes 0 to 16 and 'b' at 12 to 28"):
        ge.onnx.load(path)
    path = written(adding(pointer("a", [4], "w", 0, 16), pointer("b", [4], other, 0, 16)), tmp_path)
    assert ge.onnx.load(path).name  # the very same bytes may be shared


NOWHERE = {
    "past the end": (pointer("t", [4], "w", 4, 16), "'.*w', the file has 16 bytes"),
    "offset past the end": (pointer("t", [4], "w", 2**62, 16), "the file has 16 bytes"),
    "negative length": (pointer("t", [4], "w", 0, -16), "length '-16', expected a number from 0 on"),
    "another length than the shape says": (pointer("t", [4], "w", 0, 8), "expected 16 bytes of external data"),
    "no length and too short": (pointer("t", [5], "w"), "expected 20 bytes at 0"),
    "up": (pointer("t", [4], "../w", 0, 16), "a path with '..'"),
    "up and down": (pointer("t", [4], "a/../w", 0, 16), "a path with '..'"),
    "absolute": (pointer("t", [4], "/etc/hostname", 0, 16), "an absolute path"),
    "link out": (pointer("t", [4], "link", 0, 16), "a link to '.*outside"),
    "link of a folder out": (pointer("t", [4], "folder/outside", 0, 16), "a link to '.*outside"),
    "link to nothing": (pointer("t", [4], "dangling", 0, 16), "dangling.*No such file"),
    "a folder": (pointer("t", [4], "real", 0, 16), "not a regular file"),
    "zero byte": (pointer("t", [4], "w\0x", 0, 16), "a zero byte"),
}


@pytest.mark.parametrize("what", NOWHERE)
def test_data_that_is_not_there_is_refused_with_the_reason(what, tmp_path):
    tensor, reason = NOWHERE[what]
    (tmp_path / "outside").write_bytes(bytes(16))
    folder = tmp_path / "model"
    (folder / "real").mkdir(parents=True)
    (folder / "w").write_bytes(bytes(16))
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "folder").symlink_to(tmp_path)
    (folder / "dangling").symlink_to("nowhere")
    with pytest.raises(ValueError, match=reason):
        ge.onnx.load(written(adding(tensor), folder))


def test_a_link_inside_the_folder_is_followed(tmp_path):
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "1").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (tmp_path / "w").symlink_to("blobs/1")
    target = moved(written(adding(pointer("t", [4], "w", 0, 16)), tmp_path), tmp_path)
    np.testing.assert_array_equal(run(target, {"x": np.zeros(4, np.float32)})[0], [0, 1, 2, 3])


def branch(name, *nodes, constants=()):
    return helper.make_graph(
        list(nodes), name, [], [helper.make_tensor_value_info(nodes[-1].output[0], 1, None)], list(constants)
    )


def test_data_of_bodies_functions_and_constants_comes_along(tmp_path):
    (tmp_path / "w").write_bytes(np.arange(1600, dtype=np.float32).tobytes())
    places = {name: pointer(name, [400], "w", 1600 * i, 1600) for i, name in enumerate(["a", "b", "c", "d"])}
    net = Net(my_ops=1)
    x = net.input("x", [400])
    flag = net.input("flag", [], TensorProto.BOOL)
    y = net.op(
        "If",
        flag,
        then_branch=branch("yes", helper.make_node("Add", ["x", "a"], ["p"]), constants=[places["a"]]),
        else_branch=branch(
            "no",
            helper.make_node("Constant", [], ["k"], value=places["b"]),
            helper.make_node("Mul", ["x", "k"], ["q"]),
        ),
    )
    z = net.op("Add", y, net.op("Constant", value=places["c"]))
    net.output(net.op("Shift", z, domain="my.ops"), [400])
    function = helper.make_function(
        "my.ops",
        "Shift",
        ["v"],
        ["r"],
        [helper.make_node("Constant", [], ["k"], value=places["d"]), helper.make_node("Add", ["v", "k"], ["r"])],
        [helper.make_opsetid("", 13)],
    )
    path = written(net.build(functions=[function]), tmp_path)
    before = onnx.load(str(path))
    target = moved(path, tmp_path)
    assert set(locations(onnx.load(str(target), load_external_data=False))) >= {"a"}
    after = onnx.load(str(target))
    for value in (True, False):
        feeds = {"x": np.ones(400, np.float32), "flag": np.array(value)}
        wanted, found = (ReferenceEvaluator(m).run(None, feeds)[0] for m in (before, after))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(run(target, feeds)[0], wanted)


def test_missing_data_of_a_body_is_an_error_at_load(tmp_path):
    net = Net()
    net.input("x", [4])
    body = branch("b", helper.make_node("Add", ["x", "t"], ["p"]), constants=[pointer("t", [4], "nowhere", 0, 16)])
    net.output(net.op("If", net.input("flag", [], TensorProto.BOOL), then_branch=body, else_branch=body), None)
    with pytest.raises(ValueError, match="nowhere"):
        ge.onnx.load(written(net.build(), tmp_path))


def three_sizes(folder):
    net = Net()
    value = net.input("x", [64, 64])
    for shape in ([1], [64], [64, 64]):
        size = int(np.prod(shape))
        value = net.op("Add", value, net.const(np.full(shape, size, np.float32), f"w{size}"))
    net.output(value, [64, 64])
    return written(net.build(), folder)


@pytest.mark.parametrize(
    "threshold, external",
    [(None, set()), (-1, set()), (0, {"w1", "w64", "w4096"}), (256, {"w64", "w4096"}), (257, {"w4096"}), (10**9, set())],
)
def test_the_threshold_says_which_tensors_go_out(threshold, external, tmp_path):
    target = tmp_path / "target.onnx"
    ge.onnx.save(ge.onnx.load(three_sizes(tmp_path)), target, external_data_threshold=threshold)
    assert set(locations(onnx.load(str(target), load_external_data=False))) == external
    assert (tmp_path / "target.onnx.data").exists() == bool(external)
    assert run(target, {"x": np.zeros((64, 64), np.float32)})[0][0, 0] == 4161
    # And back.
    ge.onnx.save(ge.onnx.load(target), tmp_path / "again.onnx", external_data_threshold=-1)
    again = onnx.load(str(tmp_path / "again.onnx"), load_external_data=False)
    assert list(again.graph.initializer) == list(onnx.load(str(tmp_path / "source.onnx")).graph.initializer)


def test_a_threshold_below_minus_one_is_an_error(tmp_path):
    graph = ge.onnx.load(three_sizes(tmp_path))
    with pytest.raises(ValueError, match="external_data_threshold must be -1 or more, found -2"):
        ge.onnx.save(graph, tmp_path / "t.onnx", external_data_threshold=-2)


def test_atc_takes_the_threshold(atc):
    done = atc.compile(three_sizes(atc.folder), "--external_data_threshold=256")
    assert set(locations(onnx.load(str(done.path), load_external_data=False))) == {"w64", "w4096"}
    atc.compile(three_sizes(atc.folder), "--external_data_threshold=many", check=255)


def test_large_weights_lie_at_page_boundaries(tmp_path):
    net = Net()
    value = net.input("x", [300000])
    for i in range(3):
        value = net.op("Add", value, net.const(np.full(300000 if i else 301, i, np.float32)[:300000], f"w{i}"))
    target = tmp_path / "target.onnx"
    ge.onnx.save(ge.onnx.load(written(net.build(), tmp_path)), target, external_data_threshold=1024)
    places = locations(onnx.load(str(target), load_external_data=False))
    assert all(int(p["offset"]) % 4096 == 0 for n, p in places.items() if n != "w0") and len(places) == 3


@pytest.mark.parametrize("order", ["as they lie", "backwards", "mixed"])
def test_neighbours_and_strangers_of_every_size_arrive_whole(order, tmp_path):
    """Neighbours are copied in one call: those of two files, with gaps, small ones between and empty ones are not."""
    random = np.random.default_rng(3)
    sizes = [65536, 131072, 8, 65536, 0, 69632, 16, 16, 65536, 65540, 131072, 4, 65536, 98304]
    rows, tensors = {}, []
    for file in ("a", "b"):
        data = bytearray()
        for i, size in enumerate(sizes):
            data += bytes(4096 if i == 5 else 0)
            rows[f"{file}{i}"] = random.bytes(size)
            tensors.append(pointer(f"{file}{i}", [size], file, len(data), size, TensorProto.UINT8))
            data += rows[f"{file}{i}"]
        (tmp_path / file).write_bytes(data)
    if order == "backwards":
        tensors.reverse()
    elif order == "mixed":
        tensors = [tensors[i] for i in random.permutation(len(tensors))]
    net = Net()
    net.constants.extend(tensors)
    for tensor in tensors:
        net.output(net.op("Identity", tensor.name), [tensor.dims[0]], TensorProto.UINT8)
    target = moved(written(net.build(), tmp_path), tmp_path)
    found = {t.name: numpy_helper.to_array(t).tobytes() for t in onnx.load(str(target)).graph.initializer}
    assert found == rows


# ---- files that change while they are mapped ----------------------------------------------------------------------------


def big(folder, external):
    """A model of 8 MiB, inline or not."""
    net = Net()
    net.const(np.random.default_rng(1).normal(size=2**21).astype(np.float32), "w")
    net.output(net.op("Add", net.input("x", [2**21]), "w"), [2**21])
    path = written(net.build(), folder)
    if external:
        ge.onnx.save(ge.onnx.load(path), folder / "split.onnx", external_data_threshold=0)
        return folder / "split.onnx", folder / "split.onnx.data"
    return path, path


CHANGES = {
    "cut to nothing": lambda file: os.truncate(file, 0),
    "cut in half": lambda file: os.truncate(file, 2**22),
    "grown": lambda file: os.truncate(file, 2**24),
    "overwritten": lambda file: (file.write_bytes(bytes(file.stat().st_size)), os.utime(file, (1, 1))),
}


@pytest.mark.parametrize("external", [False, True], ids=["inline", "external"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_it_is_mapped_is_an_error(change, external, tmp_path):
    code = """
        import sys
        import numpy as np
        import ge.onnx
        graph = ge.onnx.load(sys.argv[1])
        const = next(n for n in graph.get_direct_nodes() if n.type == "Const")
        tensor = const.get_attr("value")
        early = np.asarray(tensor)
        print("loaded", flush=True)
        sys.stdin.readline()
        def attempt(what, action):
            try:
                action()
                print(what, "went well")
            except (ValueError, RuntimeError) as error:
                print(what, "changed" if "was changed" in str(error) else error)
        attempt("save", lambda: ge.onnx.save(graph, sys.argv[2]))
        attempt("array", lambda: np.asarray(tensor))
        float(early.sum())
        attempt("save", lambda: ge.onnx.save(graph, sys.argv[2]))
    """
    path, data = big(tmp_path, external)
    target = tmp_path / "target.onnx"
    target.write_bytes(b"old")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path), str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "loaded\n"
    CHANGES[change](data)
    out, _ = process.communicate("\n")
    assert process.returncode == 0, f"the process ended with {process.returncode}: {out}"
    assert out == "save changed\narray changed\nsave changed\n"
    assert target.read_bytes() == b"old" and not (tmp_path / "target.onnx.data").exists()


def test_a_file_that_shrinks_again_and_again_never_ends_the_process(tmp_path):
    """Loads and saves while another process cuts and restores the file: an error or a whole result, never a crash."""
    code = """
        import sys, time
        import ge.onnx
        end, good, bad = time.monotonic() + 2, 0, 0
        while time.monotonic() < end:
            try:
                ge.onnx.save(ge.onnx.load(sys.argv[1]), sys.argv[2])
                good += 1
            except (ValueError, RuntimeError):
                bad += 1
        print(good, bad)
    """
    path, data = big(tmp_path, True)
    whole = data.read_bytes()
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path), str(tmp_path / "target.onnx")],
        stdout=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None:
        os.truncate(data, 12345)
        data.write_bytes(whole)
    good, bad = map(int, process.stdout.read().split())
    assert process.returncode == 0 and bad > 0, (good, bad)


# ---- files that are cut ---------------------------------------------------------------------------------------------------


def small_model():
    net = Net()
    x = net.input("x", ["n", 4])
    y = net.op("Gemm", x, net.const(np.eye(4, dtype=np.float32)), net.const([1.0, 2.0, 3.0, 4.0]), alpha=0.5)
    body = branch("b", helper.make_node("Neg", [y], ["p"]))
    y = net.op("If", net.const(np.array(True)), then_branch=body, else_branch=body)
    net.output(net.op("Odd", y, domain="my", ints=[1, 2, 3], s=b"text"), ["n", 4])
    model = net.build(producer_name="me")
    return model


@pytest.mark.smoke
def test_every_truncation_of_a_model_is_a_clean_error(tmp_path):
    data = small_model().SerializeToString()
    path = tmp_path / "cut.onnx"
    path.write_bytes(data)
    ge.onnx.load(path)
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError) as caught:
            ge.onnx.load(path)
        text = str(caught.value)
        assert str(path) in text and len(text) > len(str(path)) + 20, (size, text)


def test_every_truncation_of_a_data_file_is_a_clean_error(tmp_path):
    (tmp_path / "w").write_bytes(bytes(64))
    path = written(adding(pointer("a", [4], "w", 0, 16), pointer("b", [4], "w", 48, 16)), tmp_path)
    ge.onnx.load(path)
    for size in range(64):
        (tmp_path / "w").write_bytes(bytes(size))
        with pytest.raises(ValueError, match=r"the data file is truncated or belongs to another model"):
            ge.onnx.load(path)


def test_other_bus_errors_still_end_the_process_and_reach_its_own_handler(tmp_path):
    """Only mappings of the library are looked after."""
    code = """
        import faulthandler, mmap, os, sys
        if "faulthandler" in sys.argv:
            faulthandler.enable()
        import ge.onnx
        ge.onnx.load("source.onnx")
        with open("mine", "w+b") as file:
            file.truncate(8192)
            mapped = mmap.mmap(file.fileno(), 8192)
            file.truncate(0)
            print(mapped[0])
    """
    three_sizes(tmp_path)
    for argument in ("plain", "faulthandler"):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), argument], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == -signal.SIGBUS
        assert ("Bus error" in done.stderr) == (argument == "faulthandler")
