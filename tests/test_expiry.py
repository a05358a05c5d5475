"""Handles that outlive what they stand for: every use says so, and nothing crashes."""

from __future__ import annotations

import gc
import inspect
import threading

import ge.es
import ge.graph
import ge.passes
import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es.all import Abs, Add, If, Neg, Relu
from ge.graph import DataType, DumpFormat, Format, Graph, Node, Tensor, TensorDesc
from ge.graph._attr import _AttrValue
from ge.graph.operator import Operator, create_operator
from ge.passes import FusionBasePass, MatchResult, PassContext, Pattern, PatternFusionPass, PassStage
from ge.passes._native import SubgraphBoundary, SubgraphInput, SubgraphOutput
from ge.passes.runtime import ensure_native_module
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, rule

from _graphs import build, only

STAGE = PassStage.BEFORE_INFER_SHAPE

# ---- every public method over an expired handle --------------------------------------------------------------------------


def members(kind):
    """Public methods and properties of a class, with the special ones that read the handle."""
    special = {"__str__", "__array__", "__dlpack__", "__dlpack_device__", "__add__", "__radd__", "__rsub__", "__enter__"}
    for name in sorted(dir(kind)):
        if name.startswith("_") and (name not in special or name not in vars(kind)):
            continue
        yield name, not callable(getattr(kind, name))


class Arguments:
    """Arguments a method takes, by the names of its parameters; live ones, so that only the handle is at fault."""

    def __init__(self):
        self.graph = build(lambda x: [Relu(x)])
        self.node = only(self.graph, "Relu")
        self.builder = GraphBuilder()
        self.holder = self.builder.create_input(0)
        self.holders = [self.holder]
        self.values = {
            "format": Format.FORMAT_ND,
            "data_type": DataType.DT_FLOAT,
            "shape": [1],
            "origin_shape": [1],
            "origin_format": Format.FORMAT_ND,
            "in_index": 0,
            "out_index": 0,
            "index": 0,
            "input_index": 0,
            "output_index": 0,
            "count": 1,
            "num": 1,
            "start_index": 0,
            "src_port_index": 0,
            "dst_port_index": 0,
            "tensor_desc": TensorDesc(),
            "src_node": self.node,
            "dst_node": self.node,
            "node": self.node,
            "subgraph": self.graph,
            "suffix": "",
            "file_path": "unused",
            "dtype": None,
            "copy": None,
            "memo": {},
            "other": self.holder,
            "tensor": self.holder,
            "dst_tensor": self.holder,
            "src_tensors": self.holders,
            "source": self.node,
            "outputs": None,
            "input": SubgraphInput(),
            "output": SubgraphOutput(),
            "options": {},
        }

    def of(self, kind, name):
        function = getattr(kind, name)
        text = (inspect.getdoc(function) or "").split("\n")[0]
        if text.startswith(function.__name__ + "("):
            inside = text[len(function.__name__) + 1 : text.rindex(")", 0, text.find("->") if "->" in text else None)]
            names = [part.split(":")[0].split("=")[0].strip(" *") for part in _split(inside)]
        else:
            names = list(inspect.signature(function).parameters)
        own = {"format": DumpFormat.kReadable} if kind is Graph else {}
        wanted = [name for name in names if name not in ("self", "/", "", "options")]
        return [own.get(name, self.values.get(name, self.value_of(name))) for name in wanted]

    def value_of(self, name):
        return 1 if name == "value" else "name"


def _split(text):
    """At commas outside of brackets and quotes."""
    parts, depth, quoted = [""], 0, ""
    for character in text:
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "'\"":
            quoted = character
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def expired_owned_graph():
    """Handed over: its new owner is a pattern."""
    graph = build(lambda x: [Relu(x)])
    Pattern(graph)
    return graph


def expired_subgraph():
    """Lent out in a session that is over."""
    return leaked_from_hooks()["subgraph"]


def expired_node():
    return only(build(lambda x: [Relu(x)]), "Relu")


def removed_node():
    graph = build(lambda x: [Relu(x)])
    node = only(graph, "Relu")
    graph.remove_node(node)
    return node, graph


def taken_tensor():
    tensor = Tensor([1.0])
    tensor._handle = None
    return tensor


def released_pattern():
    pattern = Pattern(build(lambda x: [Relu(x)]))
    address = pattern.release()
    assert address
    return pattern


def stale(kind):
    """A boundary and its parts over nodes that are gone."""
    graph = build(lambda x: [Relu(x)])
    node = only(graph, "Relu")
    made_input, made_output, boundary = SubgraphInput([(node, 0)]), SubgraphOutput(), SubgraphBoundary()
    made_output.set_output(node, 0)
    boundary.add_input(0, made_input)
    boundary.add_output(0, made_output)
    return {"input": made_input, "output": made_output, "boundary": boundary}[kind]


def ended_operator():
    operator = create_operator(ensure_native_module().OperatorDraft("a", "B"))
    with operator:
        pass
    return operator


def closed_builder():
    builder = GraphBuilder()
    builder.build_and_reset([Relu(builder.create_input(0))])
    return builder


def closed_holder():
    """Its graph is built and belongs to a pattern."""
    builder = GraphBuilder()
    holder = Relu(builder.create_input(0))
    Pattern(builder.build_and_reset([holder])).release()
    return holder


def branches():
    graphs = []
    for name in ("then", "else"):
        builder = GraphBuilder(name)
        graphs.append(builder.build_and_reset([Relu(builder.create_input(0))]))
    builder = GraphBuilder("outer")
    x = builder.create_input(0)
    return builder.build_and_reset([If(x, [x], 1, *graphs)[0]])


def leaked_from_hooks():
    """What hooks were given, after their session."""
    kept = {}

    class Keep(PatternFusionPass):
        def patterns(self):
            return [Pattern(build(lambda x: [Abs(x)]))]

        def meet_requirements(self, match_result, context):
            kept.update(match=match_result, context=context, matched=match_result.get_matched_nodes()[0])
            return False

    class KeepGraph(FusionBasePass):
        def run(self, graph, context):
            if graph.get_all_subgraphs():
                kept.update(graph=graph, subgraph=graph.get_subgraph("then"), node=graph.get_all_nodes()[0])
                kept["inner"] = kept["subgraph"].get_direct_nodes()[0]
            return 0

    ge.passes.apply(build(lambda x: [Abs(x)]), passes=[Keep])
    kept["outer"] = branches()
    ge.passes.apply(kept["outer"], passes=[KeepGraph])
    assert set(kept) == {"match", "context", "matched", "graph", "subgraph", "node", "inner", "outer"}
    return kept


EXPIRED = {
    "Graph handed over": (Graph, expired_owned_graph),
    "Graph after its session": (Graph, lambda: leaked_from_hooks()["graph"]),
    "subgraph after its session": (Graph, expired_subgraph),
    "Node after its graph": (Node, expired_node),
    "Node removed": (Node, removed_node),
    "Node after its session": (Node, lambda: leaked_from_hooks()["node"]),
    "Node of a subgraph after its session": (Node, lambda: leaked_from_hooks()["inner"]),
    "Node of a match after its session": (Node, lambda: leaked_from_hooks()["matched"]),
    "MatchResult": (MatchResult, lambda: leaked_from_hooks()["match"]),
    "PassContext": (PassContext, lambda: leaked_from_hooks()["context"]),
    "Pattern released": (Pattern, released_pattern),
    "Tensor taken": (Tensor, taken_tensor),
    "Operator": (Operator, ended_operator),
}
# What tells whether a handle is still of use, or is made of nothing but arguments.
HARMLESS = {"Pattern": {"is_valid"}}


@pytest.mark.parametrize("case", EXPIRED)
def test_every_public_method_says_what_expired(case):
    kind, make = EXPIRED[case]
    arguments = Arguments()
    made = make()
    handle, _keep = made if isinstance(made, tuple) else (made, None)
    assert type(handle) is kind
    gc.collect()
    tried = 0
    for name, is_property in members(kind):
        if name in HARMLESS.get(kind.__name__, ()):
            continue
        with pytest.raises(RuntimeError, match="expired|released|only valid inside"):
            value = getattr(handle, name)
            assert not is_property, f"{kind.__name__}.{name} gave '{value}'"
            value(*arguments.of(kind, name))
            pytest.fail(f"{kind.__name__}.{name} works on an expired handle")
        tried += 1
    assert tried >= 3


@pytest.mark.parametrize("case", sorted(EXPIRED.keys() - {"Operator"}))
def test_the_repr_says_what_expired(case):
    made = EXPIRED[case][1]()
    handle, _keep = made if isinstance(made, tuple) else (made, None)
    gc.collect()
    assert any(word in repr(handle) for word in (", expired>", ", released>", ", removed from its graph>"))


BOUNDARIES = {"input": SubgraphInput, "output": SubgraphOutput, "boundary": SubgraphBoundary}


@pytest.mark.parametrize("kind", BOUNDARIES)
def test_boundaries_over_nodes_that_are_gone(kind):
    """Their own methods take further parts and must not touch the old ones unasked."""
    arguments = Arguments()
    handle = stale(kind)
    gc.collect()
    for name, is_property in members(BOUNDARIES[kind]):
        try:
            value = getattr(handle, name)
            if not is_property:
                value(*arguments.of(BOUNDARIES[kind], name))
        except (RuntimeError, TypeError) as error:
            assert "expired" in str(error) or isinstance(error, TypeError)
    boundary = handle if kind == "boundary" else stale("boundary")
    gc.collect()
    for call in (
        lambda: ge.passes.SubgraphRewriter.replace(boundary, build(lambda x: [Abs(x)])),
        lambda: ge.passes.infer_shape(build(lambda x: [Abs(x)]), boundary),
    ):
        with pytest.raises(RuntimeError, match="expired"):
            call()


def test_builders_and_holders_after_the_build():
    """They own what they show, so that reading goes on; building does not."""
    arguments = Arguments()
    for kind, handle in ((GraphBuilder, closed_builder()), (TensorHolder, closed_holder())):
        gc.collect()
        for name, is_property in members(kind):
            if is_property or name in ("name", "get_owner_builder"):
                assert getattr(handle, name) is not None
                continue
            with pytest.raises((RuntimeError, TypeError, ValueError), match="already been built|different GraphBuilders"):
                getattr(handle, name)(*arguments.of(kind, name))
    snapshot = closed_holder()._get_node_snapshot()
    with pytest.raises(RuntimeError, match="expired"):
        snapshot.name


def test_values_do_not_expire():
    """TensorDesc and _AttrValue are values: what they were taken from may go."""
    node = only(build(lambda x: [Relu(x)]), "Relu")
    graph = build(lambda x: [Relu(x)])
    desc = only(graph, "Relu").get_output_desc(0)
    graph.set_attr("key", Tensor([1.0]))
    value = _AttrValue()
    value.set_value(graph.get_attr("key"))
    del graph
    gc.collect()
    assert desc.data_type == DataType.DT_UNDEFINED
    assert value.get_tensor().get_data() == 1.0
    with pytest.raises(RuntimeError):
        node.name


def test_every_public_class_is_tested_here():
    tested = {kind for kind, _ in EXPIRED.values()} | set(BOUNDARIES.values())
    tested |= {GraphBuilder, TensorHolder, TensorDesc}
    native = ensure_native_module()
    for module in (ge.graph, ge.es, ge.passes):
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and getattr(native, name, None) is kind and kind not in tested:
                # No handle: these hold switches of their own.
                assert name in {"PatternMatcherConfig", "PatternMatcherConfigBuilder", "SubgraphRewriter"}, name


# ---- in the middle of things -------------------------------------------------------------------------------------------------


def test_handles_of_a_released_graph_expire_with_it():
    graph = branches()
    nodes, sub = graph.get_all_nodes(), graph.get_subgraph("then")
    handle = graph._handle
    pattern = Pattern(graph)
    assert nodes[0].name == "input_0"
    pattern.release()
    for call in [lambda n=n: n.name for n in nodes] + [lambda: sub.name, lambda: Graph._create_from(handle).name]:
        with pytest.raises(RuntimeError, match="expired"):
            call()


def test_a_subgraph_that_goes_takes_its_nodes_along():
    graph = branches()
    inner = graph.get_subgraph("then").get_direct_nodes()
    graph.remove_node(only(graph, "If"))
    gc.collect()
    for node in inner:
        with pytest.raises(RuntimeError, match="expired"):
            node.name


def test_a_pass_may_remove_the_subgraph_it_looks_at():
    seen = []

    class Remove(FusionBasePass):
        def run(self, graph, context):
            sub = graph.get_subgraph("then")
            if sub is None:
                return 0
            nodes = sub.get_direct_nodes()
            graph.remove_subgraph("then")
            seen.append([n.type for n in nodes])
            del sub
            gc.collect()
            seen.append([n.type for n in nodes])
            raise ValueError("and undo it")

    graph = branches()
    ge.passes.apply(graph, passes=[Remove])
    assert seen[0] == seen[1] == ["Data", "Relu", "NetOutput"]
    assert graph.get_subgraph("then") is not None


# ---- threads -----------------------------------------------------------------------------------------------------------------


def in_thread(call):
    found = []

    def body():
        try:
            found.append(call())
        except BaseException as error:
            found.append(error)

    worker = threading.Thread(target=body)
    worker.start()
    worker.join()
    return found[0]


def test_a_second_thread_is_refused_while_a_pass_runs():
    graph = branches()
    outside = [graph, graph.get_subgraph("then"), only(graph, "If"), graph.get_subgraph("then").get_direct_nodes()[0]]
    answers, shown = [], []

    class Ask(FusionBasePass):
        def run(self, borrowed, context):
            if borrowed.name == "outer":
                inside = [borrowed, borrowed.get_all_nodes()[0], borrowed.get_subgraph("else")]
                answers.extend(in_thread(lambda h=h: h.name) for h in outside + inside)
                shown.extend(in_thread(lambda h=h: repr(h)) for h in outside + inside)
                answers.append(in_thread(lambda: ge.passes.apply(graph)))
                # The pass's own thread goes on as usual, through either handle.
                assert only(borrowed, "If").name == only(graph, "If").name
            return 0

    ge.passes.apply(graph, passes=[Ask])
    assert len(answers) == 8 and len(shown) == 7
    assert {text.split(", ")[-1] for text in shown} == {"in use by another thread>"}
    for answer in answers:
        assert isinstance(answer, RuntimeError) and "in use by another thread" in str(answer)
    assert in_thread(lambda: [h.name for h in outside]) == ["outer", "then", "If_0", "input_0"]


def test_threads_that_edit_while_passes_run():
    class Rewrite(PatternFusionPass):
        def patterns(self):
            return [Pattern(build(lambda x: [Neg(Neg(x))]))]

        def replacement(self, match_result):
            return build(lambda x: [Abs(x)])

    def chain(x):
        for _ in range(300):
            x = Neg(x)
        return [x]

    graphs = [build(chain) for _ in range(4)]
    refused, stop = [], threading.Event()

    def meddle():
        while not stop.is_set():
            for graph in graphs:
                try:
                    nodes = graph.get_all_nodes()
                    graph.add_control_edge(nodes[1], nodes[-1])
                    graph.remove_edge(nodes[1], -1, nodes[-1], -1)
                    str(graph)
                except RuntimeError as error:
                    refused.append(str(error))

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        for graph in graphs:
            ge.passes.apply(graph, passes=[Rewrite])
    finally:
        stop.set()
        meddler.join()
    assert [len([n for n in g.get_all_nodes() if n.type == "Abs"]) for g in graphs] == [150] * 4
    assert all("in use" in text or "expired" in text or "Failed to remove" in text for text in refused)


# ---- anything in any order -----------------------------------------------------------------------------------------------------


class Editing(RuleBasedStateMachine):
    """Graphs, nodes and subgraphs come and go while old handles are kept and used."""

    graphs = Bundle("graphs")
    nodes = Bundle("nodes")
    descs = Bundle("descs")

    @initialize(target=graphs)
    def start(self):
        return branches()

    @rule(target=graphs, nested=st.booleans())
    def make(self, nested):
        return branches() if nested else build(lambda x, y: [Add(Relu(x), Abs(y)), Relu(y)], 2)

    @rule(target=nodes, graph=graphs, everywhere=st.booleans(), index=st.integers(0, 8))
    def take_node(self, graph, everywhere, index):
        found = self.attempt(graph.get_all_nodes if everywhere else graph.get_direct_nodes) or []
        return found[index % len(found)] if found else None

    @rule(target=graphs, graph=graphs, index=st.integers(0, 3))
    def take_subgraph(self, graph, index):
        found = self.attempt(graph.get_all_subgraphs) or []
        return found[index % len(found)] if found else graph

    @rule(graph=graphs, node=nodes)
    def remove_node(self, graph, node):
        self.attempt(graph.remove_node, node)

    @rule(graph=graphs, src=nodes, dst=nodes, port=st.integers(-1, 2), slot=st.integers(-1, 2), add=st.booleans())
    def data_edge(self, graph, src, dst, port, slot, add):
        self.attempt(graph.add_data_edge if add else graph.remove_edge, src, port, dst, slot)

    @rule(graph=graphs, src=nodes, dst=nodes)
    def control_edge(self, graph, src, dst):
        self.attempt(graph.add_control_edge, src, dst)

    @rule(graph=graphs, name=st.sampled_from(["then", "else", "none"]))
    def remove_subgraph(self, graph, name):
        self.attempt(graph.remove_subgraph, name)

    @rule(graph=graphs, other=graphs)
    def add_subgraph(self, graph, other):
        self.attempt(graph.add_subgraph, other)

    @rule(graph=consumes(graphs), how=st.sampled_from(["drop", "pattern", "release", "null"]))
    def end_graph(self, graph, how):
        if how == "pattern":
            self.attempt(Pattern, graph)
        elif how == "release":
            pattern = self.attempt(Pattern, graph)
            if pattern is not None:
                pattern.release()
        elif how == "null":
            graph._handle = None
        del graph
        gc.collect(0)

    @rule(target=descs, node=nodes, index=st.integers(-1, 2), side=st.sampled_from(["input", "output"]))
    def read_desc(self, node, index, side):
        return self.attempt(getattr(node, f"get_{side}_desc"), index) if node else None

    @rule(node=nodes, desc=descs, index=st.integers(-1, 2), side=st.sampled_from(["input", "output"]))
    def write_desc(self, node, desc, index, side):
        if node and desc:
            self.attempt(getattr(node, f"update_{side}_desc"), index, desc)

    @rule(node=nodes)
    def read_node(self, node):
        if node is None:
            return
        for read in (node.get_inputs_size, node.get_outputs_size, node.get_in_control_nodes, node.get_out_control_nodes):
            self.attempt(read)
        for index in (-1, 0, 1):
            self.attempt(node.get_in_data_nodes_and_port_indexes, index)
            self.attempt(node.get_out_data_nodes_and_port_indexes, index)
        self.attempt(node.set_attr, "key", 1)
        self.attempt(node.get_attr, "key")

    @rule(graph=graphs)
    def read_graph(self, graph):
        for read in (graph.dump_to_stream, graph.get_all_nodes, graph.get_all_subgraphs):
            self.attempt(read)

    @rule(graph=graphs, fail=st.booleans(), leak=st.booleans())
    def run_pass(self, graph, fail, leak):
        def run(self, borrowed, context):
            nodes = borrowed.get_all_nodes()
            if len(nodes) > 2:
                borrowed.remove_node(borrowed.get_direct_nodes()[0])
            if leak:
                LEAKED.append((borrowed, nodes))
            if fail:
                raise ValueError("on purpose")
            return 0

        kind = type("Strange", (FusionBasePass,), {"run": run})
        self.attempt(ge.passes.apply, graph, passes=[kind], errors=(RuntimeError, ValueError))
        for borrowed, nodes in LEAKED:
            for call in [lambda b=borrowed: b.name] + [lambda n=n: n.name for n in nodes]:
                with pytest.raises(RuntimeError, match="expired"):
                    call()

    def attempt(self, call, *arguments, errors=(RuntimeError,), **named):
        if any(a is None for a in arguments):
            return None
        try:
            return call(*arguments, **named)
        except errors:
            return None

    def teardown(self):
        LEAKED.clear()
        gc.collect(0)


LEAKED: list = []
TestEditing = Editing.TestCase
TestEditing.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
