"""A pass that fails leaves the graph exactly as it found it, whichever way it fails; what always stops the compile."""

from __future__ import annotations

import textwrap

import ge.onnx
import pytest
from ge.error import PassError
from ge.es import GraphBuilder
from ge.es.all import If, Neg, Relu
from ge.passes import DecomposePass, FusionBasePass, Pattern, PatternFusionPass, pattern

from _graphs import conditional
from _onnx_models import Net

PLACES = 3


def model():
    net = Net()
    x = net.input("x", [2])
    for number in range(PLACES):
        x = net.op("Add", net.op("Relu", x), net.const([1.0, float(number)]))
    net.output(x, [2])
    return net.build()


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model().SerializeToString())
    return ge.onnx.load(str(path))


@pytest.fixture
def image(tmp_path):
    """What a graph is, as text and as a file."""

    def image(graph):
        ge.onnx.save(graph, str(tmp_path / "image.onnx"))
        return str(graph), (tmp_path / "image.onnx").read_bytes()

    return image


def made(operator, inputs=1, outputs=1):
    builder = GraphBuilder("replacement")
    tensors = [builder.create_input(i) for i in range(inputs)]
    return builder.build_and_reset([operator(tensors[0]) for _ in range(outputs)])


class Base(PatternFusionPass):
    """Replaces the first place; what the others do with the second is up to them."""

    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, match_result):
        self.places = getattr(self, "places", 0) + 1
        return made(Neg) if self.places == 1 else self.second()


def with_second(function):
    return type("Second", (Base,), {"second": function})


def raise_it(self):
    raise ValueError("on purpose")


kept_graph = []


def used_up(self):
    if not kept_graph:
        kept_graph.append(made(Neg))
    return kept_graph[0]


def of_the_graph(self, graph):
    """Edits of every kind."""
    nodes = {node.type: node for node in graph.get_all_nodes()}
    relu = nodes["Relu"]
    relu.set_attr("mark", 7)
    for node in graph.get_all_nodes():
        if node.type == "Add":
            graph.remove_node(node)
            break


def run_that(result):
    def run(self, graph, context):
        of_the_graph(self, graph)
        if isinstance(result, Exception):
            raise result
        return result

    return type("Edits", (FusionBasePass,), {"run": run})


def hook(base, name, function):
    return type("Fails", (base,), {"second": lambda self: made(Neg), name: function})


class Decompose(DecomposePass):
    op_types = ["Relu"]

    def replacement(self, node):
        self.places = getattr(self, "places", 0) + 1
        return made(Neg) if self.places == 1 else self.second()


FAILURES = {
    "constructor raises": hook(Base, "__init__", raise_it),
    "constructor of a decompose pass raises": hook(Decompose, "__init__", raise_it),
    "config is none": hook(Base, "__init__", lambda self: PatternFusionPass.__init__(self, "no config")),
    "replacement raises": with_second(raise_it),
    "replacement gives nothing": with_second(lambda self: None),
    "replacement gives a text": with_second(lambda self: "graph"),
    "replacement has other inputs": with_second(lambda self: made(Neg, inputs=2)),
    "replacement has other outputs": with_second(lambda self: made(Neg, outputs=2)),
    "replacement is used up": type("Used", (Base,), {"second": used_up, "replacement": lambda self, match_result: used_up(self)}),
    "decompose replacement raises": type("Fails", (Decompose,), {"second": raise_it}),
    "decompose replacement gives nothing": type("Fails", (Decompose,), {"second": lambda self: None}),
    "decompose replacement has other outputs": type("Fails", (Decompose,), {"second": lambda self: made(Neg, outputs=2)}),
    "run raises": run_that(ValueError("on purpose")),
    "run gives False": run_that(False),
    "run gives a status": run_that(7),
    "run gives a negative status": run_that(-1),
    "run gives a huge status": run_that(2**70),
    "run gives a text": run_that("done"),
    "run gives a list": run_that([]),
}


def no_patterns(function):
    return type(
        "Patterns", (PatternFusionPass,), {"patterns": function, "replacement": lambda self, match_result: made(Neg)}
    )


FAILURES["patterns raises"] = no_patterns(raise_it)
FAILURES["patterns gives a number"] = no_patterns(lambda self: 3)
FAILURES["patterns gives texts"] = no_patterns(lambda self: ["Relu"])


def half_way(self):
    yield made(Relu)
    raise ValueError("on purpose")


FAILURES["patterns raises half-way"] = no_patterns(half_way)


@pytest.mark.parametrize("failure", FAILURES)
def test_the_graph_is_as_it_was_found(failure, graph, image, run_pass):
    run_pass(graph)  # shapes are inferred
    before = image(graph)
    (report,) = run_pass(graph, FAILURES[failure])
    assert report.failed and report.errors, report
    assert image(graph) == before
    assert report.nodes_after == report.nodes_before


@pytest.mark.parametrize("failure", FAILURES)
def test_under_fail_it_ends_the_run_with_the_graph_as_it_was_found(failure, graph, image, registry):
    class Zero(FusionBasePass):
        def run(self, graph, context):
            raise AssertionError("comes after the one that failed")

    registry.apply(graph, passes=[])
    before = image(graph)
    with pytest.raises(PassError):
        registry.apply(graph, passes=[FAILURES[failure], Zero], on_error="fail")
    assert image(graph) == before


@pytest.mark.parametrize("base", [Base, Decompose])
def test_a_requirement_that_raises_skips_its_match_and_counts(base, graph, run_pass):
    def requirement(self, subject):
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked == 2:
            raise ValueError("on purpose")
        return True

    (report,) = run_pass(graph, hook(base, "meet_requirements", requirement))
    assert not report.failed and report.rewrites == PLACES - 1 and len(report.warnings) == 1
    assert sorted(node.type for node in graph.get_all_nodes()).count("Relu") == 1


STOPS = {
    "replacement": lambda error: with_second(lambda self: throw(error)),
    "meet_requirements": lambda error: hook(Base, "meet_requirements", lambda self, match: throw(error)),
    "__init__": lambda error: hook(Base, "__init__", lambda self: throw(error)),
    "patterns": lambda error: no_patterns(lambda self: throw(error)),
    "run": lambda error: type("Stops", (FusionBasePass,), {"run": lambda self, graph, context: stop_run(self, graph, error)}),
    "decompose": lambda error: type("Stops", (Decompose,), {"second": lambda self: throw(error)}),
}


def throw(error):
    raise error("now")


def stop_run(self, graph, error):
    of_the_graph(self, graph)
    throw(error)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("where", STOPS)
def test_an_interrupt_stops_everything(where, error, graph, image, registry):
    class Zero(FusionBasePass):
        def run(self, graph, context):
            raise AssertionError("comes after the one that stopped")

    registry.apply(graph, passes=[])
    before = image(graph)
    with pytest.raises(error):
        registry.apply(graph, passes=[STOPS[where](error), Zero])
    assert image(graph) == before


def cut(graph):
    """Takes the Relu out."""
    graph.remove_node(next(node for node in graph.get_direct_nodes() if node.type == "Relu"))


def taken_off(graph):
    branch = graph.get_subgraph("then_graph")
    graph.remove_subgraph("then_graph")
    cut(branch)


def its_node_removed(graph):
    branch = graph.get_subgraph("then_graph")
    graph.remove_node(next(node for node in graph.get_direct_nodes() if node.type == "If"))
    cut(branch)


def taken_off_and_linked_again(graph):
    branch = graph.get_subgraph("then_graph")
    graph.remove_subgraph("then_graph")
    cut(branch)
    graph.add_subgraph(branch)
    branch.set_attr("mark", 1)


def of_a_linked_graph(graph):
    cut(graph.get_subgraph("linked_then"))


@pytest.mark.parametrize("edit", [taken_off, its_node_removed, taken_off_and_linked_again, of_a_linked_graph])
def test_edits_of_subgraphs_that_leave_the_graph_are_undone(edit, run_pass):
    graph, other = conditional(), conditional("other", ("linked_then", "linked_else"))
    graph.add_subgraph(other.get_subgraph("linked_then"))
    run_pass(graph)

    def everything():
        return str(graph), {sub.name: str(sub) for sub in graph.get_all_subgraphs()}, str(other)

    class Edits(FusionBasePass):
        def run(self, graph, context):
            edit(graph)
            raise ValueError("on purpose")

    before = everything()
    for _ in range(2):
        (report,) = run_pass(graph, Edits)
        assert report.failed and everything() == before, report.error


def test_names_that_follow_a_failed_pass_are_those_without_it(graph, tmp_path, image, run_pass):
    (tmp_path / "same.onnx").write_bytes(model().SerializeToString())
    same = ge.onnx.load(str(tmp_path / "same.onnx"))

    class Works(DecomposePass):
        op_types = ["Relu"]

        def replacement(self, node):
            return made(Neg)

    run_pass(graph, with_second(raise_it), Works)
    run_pass(same, Works)
    assert image(graph) == image(same)


def release(graph):
    graph._release()


def make_a_pattern(graph):
    Pattern(graph)


def use_as_subgraph(graph):
    builder = GraphBuilder("another")
    x = builder.create_input(0)
    If(x, [x], 1, graph, made(Neg))


@pytest.mark.parametrize("hand_over", [release, make_a_pattern, use_as_subgraph])
def test_a_hook_cannot_give_away_the_graph_that_is_compiled(hand_over, graph, image, run_pass):
    class Gives(Base):
        def meet_requirements(self, match_result):
            hand_over(graph)
            return True

    run_pass(graph)
    before = image(graph)
    (report,) = run_pass(graph, Gives)
    assert len(report.warnings) == PLACES and "is being compiled" in report.warnings[0].message
    assert image(graph) == before


@pytest.mark.parametrize("base", [Base, Decompose])
def test_the_graph_that_is_compiled_is_no_replacement(base, graph, image, run_pass):
    run_pass(graph)
    before = image(graph)
    (report,) = run_pass(graph, type("Itself", (base,), {"second": lambda self: graph}))
    assert report.failed and "is being compiled" in report.error
    assert image(graph) == before


@pytest.mark.parametrize("base", [Base, Decompose])
def test_under_fail_a_requirement_that_raises_undoes_its_pass_and_ends_the_run(base, graph, image, registry):
    class Zero(FusionBasePass):
        def run(self, graph, context):
            raise AssertionError("comes after the one that failed")

    def requirement(self, subject):
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked == 2:
            raise ValueError("on purpose")
        return True

    registry.apply(graph, passes=[])
    before = image(graph)
    with pytest.raises(PassError, match="on purpose"):
        registry.apply(graph, passes=[hook(base, "meet_requirements", requirement), Zero], on_error="fail")
    assert image(graph) == before


# --- the command ------------------------------------------------------------------------------------------------------

PLUGIN = """
from ge.es import GraphBuilder
from ge.es.all import Neg, Relu
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern, register_fusion_pass

def fail(*_):
    {failure}

@register_fusion_pass(name="Fails", stage=PassStage.BEFORE_INFER_SHAPE)
class Fails({base}):
    {body}
"""

BODIES = {
    "replacement": ("PatternFusionPass", "relu = pattern(lambda self, inputs: Relu(inputs[0]))", "replacement"),
    "patterns": ("PatternFusionPass", "replacement = lambda self, match_result: None", "patterns"),
    "__init__": ("PatternFusionPass", "relu = pattern(lambda self, inputs: Relu(inputs[0]))\n    replacement = lambda self, match_result: fail()", "__init__"),
    "run": ("FusionBasePass", "", "run"),
}


def plugin(folder, where, failure):
    base, body, name = BODIES[where]
    arguments = {"replacement": "self, match_result", "run": "self, graph, context"}.get(name, "self")
    text = PLUGIN.format(failure=failure, base=base, body=body) + f"    def {name}({arguments}):\n        return fail()\n"
    path = folder / "fails.py"
    path.write_text(textwrap.dedent(text))
    return path


FAILING_STATEMENTS = {"replacement": "return None", "patterns": "raise OSError('x')", "__init__": "1 / 0", "run": "return False"}


@pytest.mark.parametrize("where", BODIES)
def test_the_command_leaves_the_pass_out_or_fails_without_output(where, atc):
    path = plugin(atc.folder, where, FAILING_STATEMENTS[where])
    done = atc.compile(model(), passes=[path])
    plain = atc.compile(model(), output="plain")
    assert done.path.read_bytes() == plain.path.read_bytes()
    assert "fails.py" in done.text and "Fails" in done.text and "Problems" in done.text, done.text
    for options, env in ((["--py_pass_on_error=fail"], {}), ([], {"GE_PY_PASS_ON_ERROR": "fail"})):
        done = atc.compile(model(), *options, passes=[path], env=env, check=255, output="none")
        assert not list(atc.folder.glob("none*")) and "Fails" in done.text, done.text


@pytest.mark.parametrize("error, code", [("KeyboardInterrupt", 130), ("SystemExit", 255)])
@pytest.mark.parametrize("where", BODIES)
def test_an_interrupt_stops_the_command(where, error, code, atc):
    path = plugin(atc.folder, where, f"raise {error}")
    atc.compile(model(), passes=[path], check=code, output="none")
    assert not list(atc.folder.glob("none*"))
