"""Several compiles at once in one process; what the GIL is held for."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time

import ge.onnx
import pytest
from ge.es import GraphBuilder
from ge.es.all import Exp, Neg, Relu, Tanh
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern, register_fusion_pass

from _onnx_models import Net, operators
from _programs import PACKAGE, needs_shared_python

THREADS = 6


def at_once(*jobs):
    """Runs the jobs on threads that start together; raises what one of them raised."""
    barrier = threading.Barrier(len(jobs))
    failures = []

    def run(job):
        try:
            barrier.wait()
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 120
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    if failures:
        raise failures[0]


def chain(length, op="Relu"):
    net = Net()
    x = net.input("x", [2])
    for _ in range(length):
        x = net.op(op, x)
    net.output(x, [2])
    return net.build()


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "chain.onnx"
    path.write_bytes(chain(200).SerializeToString())
    return path


def swap(old, new, **more):
    """A pass class of its own that makes `new` of every `old`."""

    class Swap(PatternFusionPass):
        @pattern
        def one(self, inputs):
            return old(inputs[0])

        def meet_requirements(self, match_result):
            self.seen = getattr(self, "seen", 0) + 1
            return True

        def replacement(self, inputs):
            assert self.seen > 0
            return new(inputs[0])

    for name, value in more.items():
        setattr(Swap, name, value)
    return Swap


def test_registered_passes_run_on_many_threads(registry, model, tmp_path):
    register_fusion_pass(name="ReluToNeg", stage=PassStage.BEFORE_INFER_SHAPE)(swap(Relu, Neg))
    register_fusion_pass(name="NegToExp", stage=PassStage.AFTER_INFER_SHAPE)(swap(Neg, Exp))

    def job(number):
        def run():
            for repeat in range(3):
                graph = ge.onnx.load(str(model))
                results = registry.apply(graph)
                assert [(r.name, r.rewrites, r.failed) for r in results] == [
                    ("ReluToNeg", 200, False),
                    ("NegToExp", 200, False),
                ]
                target = tmp_path / f"{number}-{repeat}.onnx"
                ge.onnx.save(graph, str(target))
                assert operators(target) == {"Exp": 200}

        return run

    at_once(*map(job, range(THREADS)))
    # The same bytes on every thread.
    assert len({path.read_bytes() for path in tmp_path.glob("*-*.onnx")}) == 1


def test_each_thread_runs_its_own_passes_only(registry, model):
    """Passes given to one call are nobody else's, also while others run all that are registered."""
    register_fusion_pass(name="ExpToTanh", stage=PassStage.BEFORE_INFER_SHAPE)(swap(Exp, Tanh))

    def job(new):
        def run():
            for _ in range(3):
                graph = ge.onnx.load(str(model))
                results = registry.apply(graph) if new is None else registry.apply(graph, passes=[swap(Relu, new)])
                kinds = {node.type for node in graph.get_all_nodes()} - {"Data", "NetOutput"}
                assert kinds == {"Relu" if new is None else new.__name__}, (new, kinds)
                assert len(results) == 1 and not results[0].failed

        return run

    at_once(*[job(new) for new in (Neg, Exp, Tanh, Neg, None, None)])


def test_a_pass_given_to_one_call_does_not_run_later(registry, model):
    graph = ge.onnx.load(str(model))
    registry.apply(graph, passes=[swap(Relu, Neg)])
    graph = ge.onnx.load(str(model))
    assert registry.apply(graph) == []


def test_a_failing_pass_on_one_thread_leaves_the_others_alone(registry, model):
    def bad(self, inputs):
        raise ValueError("on purpose")

    def job(fails):
        def run():
            for _ in range(3):
                graph = ge.onnx.load(str(model))
                before = str(graph)
                (result,) = registry.apply(graph, passes=[swap(Relu, Neg, **({"replacement": bad} if fails else {}))])
                assert result.failed is fails and (str(graph) == before) is fails

        return run

    at_once(*[job(number % 2 == 0) for number in range(THREADS)])


def test_a_pass_may_run_passes_and_wait_for_another_thread(registry, model):
    """No lock is held while Python runs."""
    inner = swap(Relu, Exp)

    class Outer(FusionBasePass):
        def run(self, graph, context):
            def work():
                other = ge.onnx.load(str(model))
                (result,) = registry.apply(other, passes=[inner])
                assert result.rewrites == 200

            at_once(work, work)
            return True

    def job():
        (result,) = registry.apply(ge.onnx.load(str(model)), passes=[Outer])
        assert not result.failed, result.error

    at_once(job, job)


def compile_with_ctypes(model, output):
    library = ctypes.CDLL(str(PACKAGE / "lib" / "libge_compiler.so"))
    words = [b"atc", b"--framework=5", b"--emit=onnx", b"--soc_version=Ascend910B1"]
    words += [b"--model=" + os.fsencode(model), b"--output=" + os.fsencode(output)]
    return library.ge_atc_main(len(words), (ctypes.c_char_p * len(words))(*words))


def test_the_command_runs_on_many_threads(registry, model, tmp_path, monkeypatch, capfd):
    file = tmp_path / "passes.py"
    file.write_text(
        "from ge.es.all import Neg, Relu\n"
        "from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass\n"
        "@register_fusion_pass(name='FromFile', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class FromFile(PatternFusionPass):\n"
        "    @pattern\n"
        "    def relu(self, inputs):\n"
        "        return Relu(inputs[0])\n"
        "    def replacement(self, inputs):\n"
        "        return Neg(inputs[0])\n"
    )
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(file))

    def job(number):
        def run():
            for repeat in range(3):
                assert compile_with_ctypes(model, tmp_path / f"{number}-{repeat}") == 0

        return run

    at_once(*map(job, range(THREADS)))
    outputs = list(tmp_path.glob("*-*.onnx"))
    assert len(outputs) == 3 * THREADS and all(operators(path) == {"Neg": 200} for path in outputs), capfd.readouterr().out


@needs_shared_python
def test_a_native_host_compiles_on_many_threads(host, model, plugin):
    done = host("threads", 8, model, "out", "load", "threads", 8, model, "again", "unload", "shutdown", passes=[plugin])
    assert done.text.count("compile 0\n") == 16, done.text
    outputs = [host.folder / f"{name}{i}.onnx" for name in ("out", "again") for i in range(8)]
    assert all(operators(path) == {"Neg": 200} for path in outputs)


# --- the GIL ----------------------------------------------------------------------------------------------------------


class Deep(PatternFusionPass):
    """Looks for a chain that is one longer than those in the graph: much to compare, nothing to find."""

    length = 200
    started = 0.0

    def patterns(self):
        builder = GraphBuilder("deep")
        x = builder.create_input(0)
        for _ in range(self.length):
            x = Relu(x)
        found = [builder.build_and_reset([x])]
        Deep.started = time.perf_counter()
        return found


def test_other_python_threads_run_while_a_graph_is_matched(registry):
    builder = GraphBuilder("large")
    x = builder.create_input(0)
    for _ in range(200):
        for _ in range(Deep.length - 1):
            x = Relu(x)
        x = Exp(x)
    graph = builder.build_and_reset([x])
    ticks, done = [], threading.Event()

    def ticker():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=ticker)
    interval = sys.getswitchinterval()
    thread.start()
    try:
        # A thread that holds the GIL is asked for it only after this time.
        sys.setswitchinterval(5)
        (result,) = registry.apply(graph, passes=[Deep])
        ended = time.perf_counter()
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    assert not result.failed and result.matches == 0
    # From the end of patterns() on no hook is called.
    took = ended - Deep.started
    during = [tick for tick in ticks if Deep.started < tick < ended]
    assert took > 0.03, f"matching took {took:.3f} s, too short to tell"
    assert len(during) >= 10, f"{len(during)} ticks in {took:.3f} s of matching"
