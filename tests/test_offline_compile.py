"""ge.offline_compile: a graph to an .om, and many compiles at once by any executor."""

from __future__ import annotations

import copy
import os
import pickle
import struct
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import ge.onnx
from ge.error import GeError
from ge.offline_compile import (
    CompileJob,
    GraphWithOptions,
    ModelBuffer,
    build_finalize,
    build_initialize,
    build_model,
    bundle_build_model,
    bundle_save_model,
    compile_many,
    save_model,
)
from ge.passes.runtime import ensure_native_module
from _onnx_models import Net, operators

PASS = """
from ge.es.all import Neg, Relu
from ge.passes import *
@register_fusion_pass(name="ReluToNeg", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToNeg(PatternFusionPass):
    @pattern
    def find(self, inputs):
        return Relu(inputs[0])
    def replacement(self, inputs):
        return Neg(inputs[0])
"""
OPTIONS = {"soc_version": "Ascend910B1", "emit": "onnx"}


@pytest.fixture
def jobs(tmp_path):
    """Four jobs, of which the third has no model and the fourth no passes."""
    (tmp_path / "p.py").write_text(PASS)
    jobs = []
    for i in range(4):
        net = Net()
        net.output(net.op("Relu", net.input("x", [i + 1]), outputs="y"), [i + 1])
        model = tmp_path / f"m{i}.onnx"
        model.write_bytes(net.build().SerializeToString())
        passes = [tmp_path / "p.py"] if i < 3 else []
        jobs.append(CompileJob(model, tmp_path / f"out{i}", OPTIONS, passes))
    (tmp_path / "m2.onnx").unlink()
    return jobs


def check(results, jobs):
    assert [r.job for r in results] == jobs
    assert [r.ok for r in results] == [True, True, False, True]
    assert [dict(operators(r.outputs[0])) for r in results if r.ok] == [{"Neg": 1}, {"Neg": 1}, {"Relu": 1}]
    bad = results[2]
    assert (bad.status, bad.code, bad.outputs) == (255, "E10001", ()) and "m2.onnx" in bad.message
    with pytest.raises(GeError, match="m2.onnx") as caught:
        bad.raise_if_failed()
    assert caught.value.code == "E10001"
    assert results[0].raise_if_failed() is results[0]
    assert pickle.loads(pickle.dumps(results)) == results
    assert all(r.host and r.seconds > 0 and "ATC" in r.text for r in results)


def test_threads(jobs):
    with ThreadPoolExecutor(2) as pool:
        check(compile_many(jobs, pool), jobs)


def test_processes(jobs):
    with ProcessPoolExecutor(2) as pool:
        check(compile_many(jobs, executor=pool), jobs)


def test_without_an_executor(jobs):
    check(compile_many(jobs), jobs)


def test_a_dask_cluster(jobs):
    if not (3, 10) <= sys.version_info < (3, 14):
        pytest.skip("the extra [test] has dask for Python 3.10 to 3.13")
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed: pip install 'ge-py[test]'")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client, client.get_executor() as pool:
            check(compile_many(jobs, pool), jobs)


def test_a_worker_that_dies_is_one_jobs_result(jobs, monkeypatch):
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os._exit, 1)
        results = compile_many(jobs[:1], pool)
    assert (results[0].status, results[0].ok) == (-1, False) and "executor" in results[0].message


def test_an_executor_that_takes_no_more_jobs_is_their_result(jobs):
    class Full(ThreadPoolExecutor):
        left = 1

        def submit(self, *args, **kwargs):
            if self.left == 0:
                raise RuntimeError("no room")
            self.left -= 1
            return super().submit(*args, **kwargs)

    with Full(1) as pool:
        first, second = compile_many(jobs[:2], pool)
    assert first.ok and not second.ok and "no room" in second.message


def test_a_cancelled_job_is_a_result(jobs):
    class Cancelling(ThreadPoolExecutor):
        def submit(self, *args, **kwargs):
            future = Future()
            future.cancel()
            return future

    (result,) = compile_many(jobs[:1], Cancelling(1))
    assert result.status == -1 and "CancelledError" in result.message


def test_forms_of_jobs(jobs, tmp_path):
    pair, mapping = compile_many(
        [
            {"model": jobs[0].model, "output": str(tmp_path / "a"), "options": {**OPTIONS, "verify": True, "log": None}},
            {"model": "m1.onnx", "output": "b", "options": OPTIONS, "cwd": str(tmp_path)},
        ]
    )
    assert pair.ok and "Verify" in pair.text
    assert mapping.ok and mapping.outputs == (str(tmp_path / "b.onnx"),)
    with pytest.raises(TypeError, match="a job must be"):
        compile_many(["m.onnx"])


def test_all_files_of_a_job_are_named(jobs, tmp_path):
    (result,) = compile_many([CompileJob(jobs[0].model, tmp_path / "all", {"emit": "om,onnx,air"})])
    assert sorted(result.outputs) == [str(tmp_path / f"all.{kind}") for kind in ("air", "om", "onnx")]


def test_a_job_that_takes_too_long_is_ended(jobs):
    (result,) = compile_many(jobs[:1], timeout=0.01)
    assert not result.ok and "longer than 0.01 s" in result.message


def test_what_a_pass_prints_is_not_taken_for_the_error(jobs, tmp_path):
    (tmp_path / "loud.py").write_text("print('[ERROR] E99999: not this one', flush=True)\n" + PASS.replace("return Neg", "return None  # "))
    job = CompileJob(jobs[0].model, tmp_path / "out", {**OPTIONS, "py_pass_on_error": "fail"}, [tmp_path / "loud.py"])
    (result,) = compile_many([job])
    assert result.code == "E13028" and "E99999" in result.text


def test_an_unknown_option_is_the_jobs_failure(jobs):
    (result,) = compile_many([CompileJob(jobs[0].model, jobs[0].output, {"no_such": 1})])
    assert result.status == 255 and "no_such" in result.message


# --- one graph --------------------------------------------------------------------------------------------------------


@pytest.fixture
def graph(tmp_path, registry):
    """x[n, 3] -> Relu -> Abs -> y, and a registered pass that makes Neg of Relu."""
    exec(PASS, {})
    net = Net()
    net.output(net.op("Abs", net.op("Relu", net.input("x", ["n", 3]), outputs="r"), outputs="y"), ["n", 3])
    (tmp_path / "m.onnx").write_bytes(net.build().SerializeToString())
    return ge.onnx.load(tmp_path / "m.onnx")


def types(graph):
    return sorted(node.type for node in graph.get_all_nodes())


def om_graph(path):
    return ensure_native_module().om_load(str(path))


def test_a_graph_becomes_an_om(graph, tmp_path):
    before = types(graph)
    model = build_model(graph, {"input_shape": "x:4,3"})
    assert types(graph) == before, "the graph itself stays"
    save_model(str(tmp_path / "new" / "folder" / "out"), model)
    path = tmp_path / "new" / "folder" / "out.om"
    assert model.length == model.get_length() == path.stat().st_size
    saved = om_graph(path)
    assert types(saved) == ["Abs", "Data", "Neg", "NetOutput"]
    (abs_node,) = [n for n in saved.get_all_nodes() if n.type == "Abs"]
    assert list(abs_node.get_output_desc(0).get_shape()) == [4, 3]


def test_options_of_the_library_do_what_those_of_atc_do(graph, tmp_path):
    options = {"ge.outputNodeName": "r", "ge.optimizationSwitch": "ReluToNeg:off", "ge.outputDatatype": "FP16"}
    save_model(str(tmp_path / "out.om"), build_model(graph, options))
    assert types(om_graph(tmp_path / "out.om")) == ["Cast", "Data", "NetOutput", "Relu"]


def test_built_in_passes_run_when_their_level_is_asked_for(tmp_path, registry):
    net = Net()
    net.output(net.op("Abs", net.op("Identity", net.input("x", [2])), outputs="y"), [2])
    (tmp_path / "m.onnx").write_bytes(net.build().SerializeToString())
    graph = ge.onnx.load(tmp_path / "m.onnx")
    for options, kept in (({}, True), ({"ge.oo.level": "O3"}, False)):
        save_model(str(tmp_path / "out"), build_model(graph, options))
        assert ("Identity" in types(om_graph(tmp_path / "out.om"))) == kept


def test_global_options_hold_until_build_finalize(graph, tmp_path, caplog):
    build_initialize({"ge.optimizationSwitch": "ReluToNeg:off", "ge.socVersion": "Ascend910B1", "ge.unheardOf": "1"})
    save_model(str(tmp_path / "a"), build_model(graph))
    assert "Relu" in types(om_graph(tmp_path / "a.om")) and "ge.unheardOf" in caplog.text
    assert b"Ascend910B1" in (tmp_path / "a.om").read_bytes()
    save_model(str(tmp_path / "b"), build_model(graph, {"ge.optimizationSwitch": "ReluToNeg:on"}))
    assert "Neg" in types(om_graph(tmp_path / "b.om")), "the graph's own options win"
    build_finalize()
    save_model(str(tmp_path / "c"), build_model(graph))
    assert "Neg" in types(om_graph(tmp_path / "c.om"))


@pytest.mark.parametrize(
    "options, code",
    [({"ge.noSuch": "1"}, "E10055"), ({"ge.jit_compile": "9"}, "E10001"), ({"input_shape": "z:1"}, "E10016")],
)
def test_bad_options_are_ge_errors(options, code, graph):
    with pytest.raises(GeError, match=r"^BuildModel failed; graph_name=") as caught:
        build_model(graph, options)
    assert caught.value.code == code and caught.value.api_name == "BuildModel" and caught.value.error_message


def test_wrong_types_are_type_errors(graph):
    for call in [
        lambda: build_model("graph"),
        lambda: build_model(graph, {"input_shape": 1}),
        lambda: build_initialize({1: "x"}),
        lambda: save_model("x", graph),
        lambda: bundle_build_model([graph, graph]),
    ]:
        with pytest.raises(TypeError):
            call()


def test_a_model_buffer_is_neither_made_nor_copied(graph):
    with pytest.raises(RuntimeError):
        ModelBuffer()
    model = build_model(graph)
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError):
            call(model)


def test_a_pass_that_fails_fails_the_build(graph, registry):
    exec(PASS.replace("return Neg(inputs[0])", "raise ValueError('why')").replace("ReluToNeg", "Bad"), {})
    with pytest.raises(GeError, match="why"):
        build_model(graph)


def test_a_bundle_holds_its_models(graph, tmp_path):
    with pytest.raises(ValueError):
        bundle_build_model([GraphWithOptions(graph)])
    other = GraphWithOptions(graph, {"ge.optimizationSwitch": "ReluToNeg:off"})
    model = bundle_build_model([GraphWithOptions(graph), other])
    bundle_save_model(str(tmp_path / "new" / "two"), model)
    data = (tmp_path / "new" / "two.om").read_bytes()
    assert len(data) == model.length
    assert data[:4] == b"IMOD" and data[82] == 5 and struct.unpack_from("<Q", data, 184)[0] == len(data) - 256
    count, _ = struct.unpack_from("<II", data, 256)
    entries = [struct.unpack_from("<IIQQ", data, 264 + 24 * i) for i in range(count)]
    assert [kind for kind, *_ in entries] == [25, 24, 24]
    found = []
    for kind, _, offset, size in entries[1:]:
        part = tmp_path / "part.om"
        part.write_bytes(data[256 + offset : 256 + offset + size])
        found.append(types(om_graph(part)))
    assert found == [["Abs", "Data", "Neg", "NetOutput"], ["Abs", "Data", "NetOutput", "Relu"]]
    show = [sys.executable, "-m", "ge.pyatc", "--mode=1", "--om=new/two.om", "--json=two.json"]
    done = subprocess.run(show, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode and "expected a single model, found a bundle of 2" in done.stdout


def test_a_file_that_cannot_be_written_is_a_ge_error(graph, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(GeError, match="SaveModel failed; output_file=.*file/out"):
        save_model(str(tmp_path / "file/out"), build_model(graph))
