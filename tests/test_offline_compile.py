"""ge.offline_compile: many compiles at once, by any executor."""

from __future__ import annotations

import os
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from ge.error import GeError
from ge.offline_compile import CompileJob, compile_many
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
    if sys.version_info < (3, 10):
        pytest.skip("the dask releases in use need Python 3.10")
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed: pip install 'ge-py[test]'")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client, client.get_executor() as pool:
            check(compile_many(jobs, pool), jobs)


def test_a_worker_that_dies_is_one_jobs_result(jobs, monkeypatch):
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os._exit, 1)
        results = compile_many(jobs[:1], pool)
    assert (results[0].status, results[0].ok) == (-1, False) and "executor" in results[0].message


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


def test_a_job_that_takes_too_long_is_ended(jobs):
    (result,) = compile_many(jobs[:1], timeout=0.01)
    assert not result.ok and "longer than 0.01 s" in result.message


def test_an_unknown_option_is_the_jobs_failure(jobs):
    (result,) = compile_many([CompileJob(jobs[0].model, jobs[0].output, {"no_such": 1})])
    assert result.status == 255 and "no_such" in result.message
