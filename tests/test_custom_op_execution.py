"""Custom operators that run: on arrays through their contexts, in graphs through the executor, and what happens when they are wrong."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from typing import List, Optional, Tuple

import numpy as np
import onnx
import pytest
from ge.custom_op import executor, get_execute_ctx, register_op, register_op_impl, testing
from ge.error import CustomOpError
from ge.es import GraphBuilder
from ge.graph import DataType, Format
from ge.runtime import StorageFormat, StorageShape, TensorDesc, TensorPlacement
from onnx import TensorProto, helper

from _onnx_models import Net

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def allocate(like, dims=None, dtype=None, index=0):
    shape = like.shape if dims is None else StorageShape(list(dims), list(dims))
    return get_execute_ctx().malloc_output_tensor(index, shape, like.format, dtype or like.data_type)


@pytest.fixture
def scale(custom_ops):
    """The operator Scale: x * factor."""

    @register_op(op_type="Scale")
    def scale(x: TensorDesc, *, factor: float = 2.0) -> TensorDesc:
        """x, scaled."""
        return TensorDesc(x.shape, x.data_type)

    @register_op_impl(op_type="Scale")
    class Scale:
        def execute(self, x, *, factor):
            np.multiply(x.numpy(), np.float32(factor), out=allocate(x).numpy())

    return Scale


def define(op_type, prototype, execute):
    """Registers a prototype and an implementation whose execute is that function."""
    register_op(op_type=op_type)(prototype)
    cls = type(op_type, (), {"execute": execute})
    return register_op_impl(op_type=op_type)(cls)


def one(x: TensorDesc) -> TensorDesc:
    return TensorDesc(x.shape, x.data_type)


# ---- tensors --------------------------------------------------------------------------------------------------------


def test_a_callback_sees_the_callers_memory_and_its_facts(custom_ops):
    seen = {}

    def execute(self, x):
        seen.update(
            addr=x.addr,
            size=x.size,
            elements=x.shape_size,
            dims=(x.origin_shape.dims, x.storage_shape.dims),
            formats=(x.origin_format, x.storage_format, x.format.origin_format),
            dtype=x.data_type,
            placement=x.placement,
            array=x.numpy(),
            converted=np.asarray(x, dtype=np.float64),
        )
        np.copyto(allocate(x).numpy(), x.numpy())

    define("Look", one, execute)
    (y,) = testing.check("Look", [X])
    assert np.array_equal(y, X)
    assert seen["addr"] == seen["array"].ctypes.data
    assert (seen["size"], seen["elements"], seen["dims"]) == (X.nbytes, 6, ([2, 3], [2, 3]))
    assert seen["formats"] == (Format.FORMAT_ND,) * 3
    assert (seen["dtype"], seen["placement"]) == (DataType.DT_FLOAT, TensorPlacement.ON_HOST)
    assert not seen["array"].flags.writeable and np.array_equal(seen["array"], X)
    assert seen["converted"].dtype == np.float64


@pytest.mark.parametrize(
    "dtype",
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split(),
)
def test_every_data_type_of_numpy_goes_in_and_out(dtype, custom_ops):
    define("Same", one, lambda self, x: np.copyto(allocate(x).numpy(), x.numpy()))
    values = np.array([[0, 1], [1, 0]]).astype(dtype)
    (y,) = testing.check("Same", [values])
    assert y.dtype == values.dtype and np.array_equal(y, values)


def test_bfloat16_goes_in_and_out_where_ml_dtypes_is_installed(custom_ops):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    define("Same", one, lambda self, x: np.copyto(allocate(x).numpy(), x.numpy()))
    values = np.array([1.5, -2], ml_dtypes.bfloat16)
    (y,) = testing.check("Same", [values])
    assert y.dtype == values.dtype and np.array_equal(y, values)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,) * 25], ids=str)
def test_shapes_of_all_ranks_go_in_and_out(shape, custom_ops):
    define("Same", one, lambda self, x: np.copyto(allocate(x).numpy(), x.numpy()))
    values = np.ones(shape, np.int32)
    (y,) = testing.check("Same", [values])
    assert y.shape == shape and np.array_equal(y, values)


def test_an_array_that_is_not_contiguous_is_copied(custom_ops):
    define("Same", one, lambda self, x: np.copyto(allocate(x).numpy(), x.numpy()))
    values = np.arange(12, dtype=np.float32).reshape(3, 4).T[::2]
    (y,) = testing.check("Same", [values])
    assert np.array_equal(y, values)


def test_inputs_are_read_only(custom_ops):
    def execute(self, x):
        x.numpy()[0] = 7
        allocate(x)

    define("Scribble", one, execute)
    with pytest.raises(CustomOpError, match="(?s)'Scribble' of node .*ValueError: assignment destination is read-only.*test_custom_op"):
        testing.check("Scribble", [X])


def test_a_mutated_input_is_a_copy_that_becomes_the_output(custom_ops):
    @register_op(op_type="AddOne", mutates_args=["state"])
    def add_one(state: TensorDesc) -> TensorDesc:
        return TensorDesc(state.shape, state.data_type)

    @register_op_impl(op_type="AddOne")
    class AddOne:
        def execute(self, state):
            array = state.numpy()
            array += 1
            get_execute_ctx().make_output_ref_input(0, 0)

    values = X.copy()
    (y,) = testing.check("AddOne", [values])
    assert np.array_equal(y, X + 1) and np.array_equal(values, X)


def test_a_mutated_input_cannot_be_allocated_and_others_cannot_be_references(custom_ops):
    errors = []

    @register_op(op_type="Mixed", mutates_args=["a"])
    def mixed(a: TensorDesc, b: TensorDesc) -> Tuple[TensorDesc, TensorDesc]:
        return TensorDesc(a.shape, a.data_type), TensorDesc(b.shape, b.data_type)

    @register_op_impl(op_type="Mixed")
    class Mixed:
        def execute(self, a, b):
            ctx = get_execute_ctx()
            for attempt in (
                lambda: allocate(a, index=0),
                lambda: ctx.make_output_ref_input(1, 1),
                lambda: ctx.make_output_ref_input(0, 1),
                lambda: ctx.make_output_ref_input(2, 0),
                lambda: allocate(a, index=5),
                lambda: ctx.malloc_output_tensor(1, StorageShape([-1], [-1]), StorageFormat(), DataType.DT_FLOAT),
                lambda: ctx.malloc_output_tensor(1, StorageShape(), StorageFormat(), DataType.DT_STRING),
            ):
                with pytest.raises(RuntimeError) as caught:
                    attempt()
                errors.append(str(caught.value))
            ctx.make_output_ref_input(0, 0)
            np.copyto(allocate(b, index=1).numpy(), b.numpy())

    testing.check("Mixed", [X, X])
    assert [e for e in errors if "make_output_ref_input" in e] == errors[:1]
    assert all("names in the prototype differ" in e for e in errors[1:3])
    assert "has 2 output(s)" in errors[3] and "has 2 output(s)" in errors[4]
    assert "unknown" in errors[5] and "DT_STRING" in errors[6]


def test_workspaces_and_sizes_are_multiples_of_512_bytes(custom_ops):
    seen = []

    def execute(self, x):
        ctx = get_execute_ctx()
        seen.extend([ctx.malloc_workspace(1), ctx.malloc_workspace(700), ctx.get_stream(), ctx.get_input_num()])
        y = allocate(x)
        seen.append(y.size)
        seen.append(ctx.get_output_tensor(0).addr == y.addr)
        np.copyto(y.numpy(), x.numpy())

    define("Work", one, execute)
    testing.check("Work", [X])
    first, second, stream, count, size, same = seen
    assert first % 512 == 0 and second % 512 == 0 and first != second
    assert (stream, count, size, same) == (0, 1, 512, True)


# ---- kinds of inputs, outputs and attributes ----------------------------------------------------------------------------


def test_optional_and_dynamic_inputs_and_outputs(custom_ops):
    @register_op(op_type="Split2")
    def split2(x: TensorDesc, bias: Optional[TensorDesc], more: List[TensorDesc]) -> Tuple[TensorDesc, List[TensorDesc]]:
        return TensorDesc(x.shape, x.data_type), [TensorDesc(m.shape, m.data_type) for m in more]

    @register_op_impl(op_type="Split2")
    class Split2:
        def execute(self, x, bias, more):
            np.copyto(allocate(x).numpy(), x.numpy() + (0 if bias is None else bias.numpy()))
            for i, m in enumerate(more):
                np.copyto(allocate(m, index=1 + i).numpy(), m.numpy())

    more = [np.full((n,), n, np.int32) for n in (1, 2, 3)]
    for bias in (None, np.float32(1)):
        y, *rest = testing.check("Split2", [X, bias, more], outputs=3)
        assert np.array_equal(y, X if bias is None else X + 1)
        assert all(np.array_equal(a, b) for a, b in zip(rest, more)) and len(rest) == 3


def test_every_kind_of_attribute_arrives_as_it_was_given(custom_ops):
    got = {}

    @register_op(op_type="Attrs")
    def attrs(
        x: TensorDesc,
        *,
        i: int,
        f: float,
        b: bool,
        s: str,
        t: DataType,
        li: List[int],
        lf: List[float],
        lb: List[bool],
        ls: List[str],
        lt: List[DataType],
        ll: List[List[int]],
        d: float = 0.1,
    ) -> TensorDesc:
        got["inferred"] = dict(i=i, f=f, b=b, s=s, t=t, li=li, lf=lf, lb=lb, ls=ls, lt=lt, ll=ll, d=d)
        return TensorDesc(x.shape, x.data_type)

    @register_op_impl(op_type="Attrs")
    class Attrs:
        def execute(self, x, *, i, f, b, s, t, li, lf, lb, ls, lt, ll, d):
            got["executed"] = dict(i=i, f=f, b=b, s=s, t=t, li=li, lf=lf, lb=lb, ls=ls, lt=lt, ll=ll, d=d)
            np.copyto(allocate(x).numpy(), x.numpy())

    given = dict(
        i=-(2**60),
        f=0.1,
        b=True,
        s="grüße",
        t=DataType.DT_INT8,
        li=[1, -2],
        lf=[0.1, 1e-30],
        lb=[True, False],
        ls=["", "b"],
        lt=[DataType.DT_FLOAT, DataType.DT_BOOL],
        ll=[[1, 2], [], [3]],
    )
    testing.check("Attrs", [X], given)
    # In double precision, though the IR has 32 bits.
    assert got["executed"] == {**given, "d": 0.1}
    assert got["inferred"] == got["executed"]
    assert isinstance(got["executed"]["t"], DataType) and isinstance(got["executed"]["b"], bool)


def test_a_pass_that_changes_a_float_is_believed(scale):
    from ge.es.custom import Scale

    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Scale(builder.create_input(0), factor=0.1)])
    (node,) = [n for n in graph.get_all_nodes() if n.type == "Scale"]
    node.set_attr("factor", 0.5)
    from ge.custom_op._artifact_utils import ensure_native_module

    (y,) = ensure_native_module().CustomNode(node).run([X])
    assert np.array_equal(y, X * np.float32(0.5))


def test_an_operator_without_a_prototype_gets_the_context(custom_ops):
    @register_op_impl(op_type="Legacy")
    class Legacy:
        def execute(self, ctx):
            x, y = ctx.get_input_tensor(0), ctx.get_input_tensor(1)
            assert ctx.get_input_num() == 2
            with pytest.raises(RuntimeError, match="no prototype"):
                ctx.get_attrs()
            with pytest.raises(RuntimeError, match="has no input 2"):
                ctx.get_input_tensor(2)
            out = ctx.malloc_output_tensor(0, x.shape, x.format, x.data_type)
            np.add(x.numpy(), y.numpy(), out=out.numpy())

    net = Net(my_ops=1)
    x = net.input("x", [2, 3])
    net.output(net.op("Legacy", x, net.const(np.ones((2, 3), np.float32)), outputs="y", domain="my.ops", kept=3), [2, 3])
    (y,) = executor.Session(net.build()).run(None, {"x": X})
    assert np.array_equal(y, X + 1)


# ---- what is wrong ------------------------------------------------------------------------------------------------------


def test_an_operator_that_raises_is_named_with_node_and_file(custom_ops):
    def execute(self, x):
        raise KeyError("no such table")

    define("Raises", one, execute)
    net = Net(my_ops=1)
    net.output(net.op("Raises", net.input("x", [2]), outputs="y", domain="my.ops"), [2])
    with pytest.raises(CustomOpError) as caught:
        executor.Session(net.build()).run(None, {"x": np.ones(2, np.float32)})
    text = str(caught.value)
    for part in ("'Raises'", "'n0'", "KeyError", "no such table", __file__, "in execute"):
        assert part in text
    assert caught.value.code


@pytest.mark.parametrize(
    "dims, dtype, found",
    [((3, 2), DataType.DT_FLOAT, "DT_FLOAT[3, 2]"), ((2, 3), DataType.DT_INT32, "DT_INT32[2, 3]"), ((6,), None, "DT_FLOAT[6]")],
    ids=["shape", "dtype", "rank"],
)
def test_outputs_that_are_not_as_foretold_are_errors(dims, dtype, found, custom_ops):
    define("Wrong", one, lambda self, x: allocate(x, dims, dtype) and None)
    with pytest.raises(CustomOpError) as caught:
        testing.check("Wrong", [X])
    assert found in str(caught.value).replace("'", "") and "DT_FLOAT[2, 3]" in str(caught.value).replace("'", "")


def test_an_output_that_was_not_allocated_is_an_error(custom_ops):
    define("Forgets", one, lambda self, x: None)
    with pytest.raises(CustomOpError, match="'Forgets' .* left output 0 without memory.*malloc_output_tensor"):
        testing.check("Forgets", [X])


def test_what_a_callback_keeps_is_of_no_use_afterwards(custom_ops):
    kept = []

    def execute(self, x):
        ctx = get_execute_ctx()
        y = allocate(x)
        np.copyto(y.numpy(), x.numpy())
        kept.extend([ctx.get_input_num, lambda: x.addr, lambda: x.numpy(), lambda: y.shape, lambda: shape.dims])
        shape = x.origin_shape

    define("Keeps", one, execute)
    testing.check("Keeps", [X])
    for use in kept:
        with pytest.raises(RuntimeError, match="has expired"):
            use()
    with pytest.raises(RuntimeError, match="only available inside"):
        get_execute_ctx()


def test_arrays_over_outputs_outlive_the_callback(custom_ops):
    kept = []

    def execute(self, x):
        kept.append(allocate(x).numpy())
        np.copyto(kept[-1], x.numpy())

    define("Same", one, execute)
    (y,) = testing.check("Same", [X])
    gc.collect()
    assert np.array_equal(kept[0], X)
    kept[0][0, 0] = 99
    assert y[0, 0] == 99  # the same memory


def test_an_input_without_a_numpy_form_is_refused(scale):
    with pytest.raises(TypeError, match="must be an array of numbers"):
        testing.check("Scale", [np.array(["a"])])


@pytest.mark.parametrize(
    "prototype, fragment",
    [
        (lambda x: None, "expected a TensorDesc for output 0 ('output0'), found None"),
        (lambda x: (TensorDesc([1], DataType.DT_FLOAT),) * 2, "a tuple of 2"),
        (lambda x: [TensorDesc([1], DataType.DT_FLOAT)], "'list'"),
        (lambda x: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_prototype_that_says_nonsense_is_named(prototype, fragment, custom_ops):
    def foretell(x: TensorDesc) -> TensorDesc:
        return prototype(x)

    define("Nonsense", foretell, lambda self, x: allocate(x) and None)
    with pytest.raises(CustomOpError) as caught:
        testing.check("Nonsense", [X])
    assert fragment in str(caught.value) and "Nonsense" in str(caught.value)


def test_an_implementation_that_does_not_fit_names_file_and_parameter(custom_ops, tmp_path, monkeypatch):
    path = tmp_path / "misfit.py"
    path.write_text(
        "from ge.custom_op import register_op, register_op_impl\nfrom ge.runtime import TensorDesc\n"
        "@register_op(op_type='Misfit')\ndef misfit(x: TensorDesc, *, alpha: int) -> TensorDesc: ...\n"
        "@register_op_impl(op_type='Misfit')\nclass Misfit:\n    def execute(self, x, *, beta): ...\n"
    )
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(path))
    with pytest.raises(CustomOpError) as caught:
        custom_ops.load()
    for part in ("Misfit", "expected attr name alpha", "actual attr name beta", str(path)):
        assert part in str(caught.value)
    # Nothing stays half known.
    assert not custom_ops.is_known("Misfit")


# ---- graphs -------------------------------------------------------------------------------------------------------------


def chain(*parts):
    """A model x -> parts -> y; a part is an operator, or one of the domain my.ops if it begins with '!'."""
    net = Net(my_ops=1)
    value = net.input("x", ["n", 3])
    for part in parts:
        value = net.op(part.lstrip("!"), value, domain="my.ops" if part[0] == "!" else "")
    net.output(net.op("Identity", value, outputs="y"), ["n", 3])
    return net.build()


@pytest.mark.parametrize("backend", ["onnxruntime", "reference"])
@pytest.mark.parametrize(
    "parts", [["!Scale"], ["Relu", "!Scale"], ["!Scale", "!Scale", "Neg", "!Scale", "Abs"], ["Neg", "Abs"]], ids=str
)
def test_standard_and_custom_nodes_take_turns(parts, backend, scale):
    session = executor.Session(chain(*parts), backend=backend)
    expected = X - 2
    for part in parts:
        expected = {"!Scale": lambda v: v * 2, "Relu": lambda v: np.maximum(v, 0), "Neg": np.negative, "Abs": np.abs}[part](
            expected
        )
    for _ in range(2):
        (y,) = session.run(["y"], {"x": X - 2})
        assert np.array_equal(y, expected)
    assert session.run(None, {"x": np.ones((4, 3), np.float32)})[0].shape == (4, 3)


def test_custom_nodes_inside_bodies_run(scale):
    def body(name, op):
        node = helper.make_node(op, ["x"], [name], domain="my.ops" if op == "Scale" else "")
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])

    net = Net(my_ops=1)
    net.input("x", [2, 3])
    net.input("c", [], TensorProto.BOOL)
    net.op("If", "c", outputs="y", then_branch=body("a", "Scale"), else_branch=body("b", "Neg"))
    net.output("y", [2, 3])
    session = executor.Session(net.build())
    assert np.array_equal(session.run(None, {"x": X, "c": np.array(True)})[0], X * 2)
    assert np.array_equal(session.run(None, {"x": X, "c": np.array(False)})[0], -X)


def test_custom_nodes_inside_functions_run(scale):
    function = helper.make_function(
        "f", "Twice", ["a"], ["b"], [helper.make_node("Scale", ["a"], ["b"], domain="my.ops")], [helper.make_opsetid("my.ops", 1)]
    )
    net = Net(my_ops=1, f=1)
    net.output(net.op("Twice", net.input("x", [2, 3]), outputs="y", domain="f"), [2, 3])
    model = net.build()
    model.functions.append(function)
    assert np.array_equal(executor.Session(model).run(None, {"x": X})[0], X * 2)


def test_initializers_feed_custom_nodes_and_come_out_as_outputs(scale):
    net = Net(my_ops=1)
    constant = net.const(X, "w")
    net.input("x", [1])
    net.output(net.op("Scale", constant, outputs="y", domain="my.ops", factor=3.0), [2, 3])
    net.output(constant, [2, 3])
    y, w = executor.Session(net.build()).run(None, {"x": np.ones(1, np.float32)})
    assert np.array_equal(y, X * 3) and np.array_equal(w, X)


@pytest.mark.parametrize("feeds, text", [({}, "'x' is missing"), ({"x": X, "z": X}, "'z' is none of them")], ids=str)
def test_feeds_that_do_not_fit_are_named(feeds, text, scale):
    with pytest.raises(ValueError, match=text):
        executor.Session(chain("!Scale")).run(None, feeds)


def test_a_custom_node_without_implementation_is_an_error(custom_ops):
    register_op(op_type="Paper")(one)
    net = Net(my_ops=1)
    net.output(net.op("Paper", net.input("x", [2]), outputs="y", domain="my.ops"), [2])
    with pytest.raises(CustomOpError, match="'Paper' of node 'n0' in '.*' has no implementation.*register_op_impl"):
        executor.Session(net.build()).run(None, {"x": np.ones(2, np.float32)})


# ---- load and unload ----------------------------------------------------------------------------------------------------


CYCLES = """
import gc, sys
from ge.custom_op import runtime

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def cycle():
    runtime.load()
    assert runtime.is_known("AddCustom")
    runtime.unload()
    assert not runtime.is_known("AddCustom")

for _ in range(100):
    cycle()
gc.collect()
before = resident()
for _ in range(1000):
    cycle()
gc.collect()
print(resident() - before)
"""


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps freed memory back")
def test_a_thousand_loads_and_unloads_keep_memory_flat(samples):
    # In a process of its own: each unload collects garbage, of which a test run has much.
    path = str(samples / "custom_op_add" / "add_custom.py")
    done = subprocess.run(
        [sys.executable, "-c", CYCLES], env={**os.environ, "ASCEND_CUSTOM_OPP_PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8 << 20


def test_threads_may_load_and_run_at_once(scale):
    from ge.custom_op._artifact_utils import ensure_native_module
    from ge.es.custom import Scale
    from ge.custom_op import runtime

    builder = GraphBuilder("g")
    graph = builder.build_and_reset([Scale(builder.create_input(0), factor=3.0)])
    (node,) = [n for n in graph.get_all_nodes() if n.type == "Scale"]
    problems = []

    def work():
        try:
            runner = ensure_native_module().CustomNode(node)
            for _ in range(200):
                runtime.load()
                (y,) = runner.run([X])
                assert np.array_equal(y, X * 3)
        except BaseException as error:  # shown by the test
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_an_overridden_built_in_prototype_comes_back(custom_ops):
    from ge.es.all import Relu

    def relu(x: TensorDesc, y: TensorDesc) -> TensorDesc:
        return TensorDesc(x.shape, x.data_type)

    register_op(op_type="Relu")(relu)
    custom_ops.load()
    from ge.passes.runtime import ensure_native_module

    def inputs():
        return [i[0] for i in ensure_native_module().es_operator("Relu").describe()["inputs"]]

    assert inputs() == ["x", "y"]
    custom_ops.unload()
    assert inputs() == ["x"]
    builder = GraphBuilder("g")
    assert builder.build_and_reset([Relu(builder.create_input(0))])


def test_functions_of_ge_es_custom_follow_what_is_registered(custom_ops):
    import ge.es.custom

    def first(x: TensorDesc) -> TensorDesc:
        """The first."""
        return TensorDesc(x.shape, x.data_type)

    def second(x: TensorDesc, y: TensorDesc) -> TensorDesc:
        """The second."""
        return TensorDesc(x.shape, x.data_type)

    with pytest.raises(AttributeError, match="has no operator 'Follows'"):
        ge.es.custom.Follows
    register_op(op_type="Follows")(first)
    assert ge.es.custom.Follows.__doc__.startswith("The first.")
    assert ge.es.custom.Follows is ge.es.custom.Follows
    custom_ops.unload()
    from ge.custom_op import proto

    proto.clear_registered_op_protos()
    with pytest.raises(AttributeError):
        ge.es.custom.Follows
    register_op(op_type="Follows")(second)
    assert ge.es.custom.Follows.__doc__.startswith("The second.")
    assert "Follows" in dir(ge.es.custom)


def test_two_implementations_of_one_type_cannot_be(scale):
    with pytest.raises(ValueError, match="op impl type already exists"):
        register_op_impl(op_type="Scale")(type("Other", (), {"execute": lambda self, ctx: None}))


def test_an_instance_whose_constructor_raised_is_asked_for_again(custom_ops):
    attempts = []

    class Shy:
        def __init__(self):
            attempts.append(1)
            if len(attempts) == 1:
                raise OSError("not ready")

        def execute(self, x):
            np.copyto(allocate(x).numpy(), x.numpy())

    register_op(op_type="Shy")(one)
    register_op_impl(op_type="Shy")(Shy)
    with pytest.raises(CustomOpError, match="cannot be created.*OSError: not ready"):
        testing.check("Shy", [X])
    assert np.array_equal(testing.check(Shy, [X])[0], X)


def test_the_model_of_a_path_is_read(scale, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(chain("!Scale"), path)
    assert executor.has_custom_nodes(path)
    assert not executor.has_custom_nodes(chain("Relu"))
    session = executor.Session(path)
    assert [(i.name, i.type, i.shape) for i in session.get_inputs()] == [("x", "tensor(float)", ["n", 3])]
    assert [o.name for o in session.get_outputs()] == ["y"]


# ---- what errors say, and what a process has without the variable --------------------------------------------------------


def _model_of(op_type, dims=(2, 3), dtype=TensorProto.FLOAT):
    value = [helper.make_tensor_value_info(name, dtype, dims) for name in "xy"]
    node = helper.make_node(op_type, ["x"], ["y"], domain="my.ops")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)]
    return helper.make_model(
        helper.make_graph([node], "g", value[:1], value[1:]), opset_imports=opsets, ir_version=8
    )


def negative(x: TensorDesc) -> TensorDesc:
    return TensorDesc([-5, 3], x.data_type)


@pytest.mark.parametrize(
    "prototype, execute",
    [
        (one, lambda self, x: allocate(x, [9])),
        (one, lambda self, x: allocate(x, dtype=DataType.DT_INT8)),
        (one, lambda self, x: None),
        (negative, lambda self, x: None),
    ],
    ids=["shape", "type", "no memory", "foretold"],
)
def test_errors_of_a_run_name_the_file(prototype, execute, custom_ops):
    define("Wrong", prototype, execute)
    with pytest.raises(CustomOpError) as caught:
        testing.check("Wrong", [X])
    first = str(caught.value).splitlines()[0]
    for part in ("'Wrong'", "'Wrong_0'", os.path.basename(__file__)):
        assert part in first


def test_a_dim_below_minus_one_is_refused(custom_ops):
    define("Negative", negative, lambda self, x: allocate(x))
    with pytest.raises(CustomOpError, match="output 0 of node 'Negative_0' was given the dim -5"):
        testing.check("Negative", [X])

    def unknown(x: TensorDesc) -> TensorDesc:
        return TensorDesc([-2], x.data_type)

    define("UnknownRank", unknown, lambda self, x: allocate(x))
    assert testing.check("UnknownRank", [X])[0].shape == X.shape


@pytest.mark.parametrize("op_type", ["class", "a.b", "a::b", "x y", "1st", "__all__"])
def test_a_type_that_is_no_name_has_no_function(op_type, custom_ops):
    from ge.es import custom

    define(op_type, one, lambda self, x: allocate(x))
    assert op_type not in dir(custom)
    with pytest.raises(ValueError, match="its type is no name"):
        testing.check(op_type, [X])
    # It runs all the same.
    assert executor.Session(_model_of(op_type)).run(None, {"x": X})[0].shape == X.shape


def test_operators_without_inputs_or_outputs_are_checked(custom_ops):
    ran = []

    def source(*, size: int = 3) -> TensorDesc:
        return TensorDesc([size], DataType.DT_FLOAT)

    def made(self, *, size):
        shape = StorageShape([size], [size])
        get_execute_ctx().malloc_output_tensor(0, shape, StorageFormat(), DataType.DT_FLOAT).numpy()[:] = size

    define("Source", source, made)
    assert testing.check("Source", [], {"size": 2})[0].tolist() == [2, 2]

    def sink(x: TensorDesc) -> None: ...

    define("Sink", sink, lambda self, x: ran.append(x.shape_size))
    assert testing.check("Sink", [X]) == [] and ran == [6]


@pytest.mark.parametrize("inputs", [[], [X, X], [None], [[X]]], ids=["none", "two", "None", "list"])
def test_check_names_inputs_that_do_not_fit(inputs, scale):
    with pytest.raises(ValueError, match="operator 'Scale'"):
        testing.check("Scale", inputs)


@pytest.mark.parametrize(
    "value, text",
    [(X.astype(np.float64), r"tensor\(float\), found an array of float64"), (X[0], r"shape \[2, 3\], found \[3\]")],
    ids=["type", "shape"],
)
def test_feeds_of_another_type_or_shape_are_refused(value, text, scale):
    with pytest.raises(ValueError, match=f"input 'x' takes.*{text}"):
        executor.Session(_model_of("Scale")).run(None, {"x": value})


def test_types_of_eight_bits_have_their_names(scale):
    session = executor.Session(_model_of("Scale", dtype=TensorProto.FLOAT8E4M3FN))
    assert session.get_inputs()[0].type == "tensor(float8e4m3fn)"


def test_a_graph_that_is_loaded_has_the_operators_of_the_process(scale, custom_ops, tmp_path):
    import ge.onnx

    custom_ops.unload()
    path = tmp_path / "model.onnx"
    path.write_bytes(_model_of("Scale").SerializeToString())
    graph = ge.onnx.load(str(path))
    assert "Scale" in [node.type for node in graph.get_all_nodes()]


IN_PROCESS = """
import sys
from ge.custom_op import register_op
from ge.pyatc.__main__ import main
from ge.runtime import TensorDesc

@register_op(op_type="Seen")
def seen(x: TensorDesc) -> TensorDesc:
    print("SEEN", flush=True)
    return TensorDesc(x.shape, x.data_type)

for _ in range(2):
    try:
        main("atc", sys.argv[1:])
    except SystemExit as end:
        assert end.code == 0, end.code
"""


def test_atc_in_a_process_has_the_operators_of_the_process(atc, tmp_path):
    (tmp_path / "model.onnx").write_bytes(_model_of("Seen").SerializeToString())
    done = atc(
        "--framework=5", "--model=model.onnx", "--output=out", "--soc_version=Ascend910B1", "--emit=onnx",
        command=[sys.executable, "-c", IN_PROCESS],
        check=0,
    )
    assert done.stdout.count("SEEN") == 2
