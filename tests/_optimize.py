"""Running built-in passes over an ONNX model inside this process."""

from __future__ import annotations

import pathlib
import tempfile

import ge.onnx
import onnx
from ge.passes._apply import apply

PASSES = (
    "DropOutPass",
    "IdentityPass",
    "ConstantFoldingPass",
    "CastRemovePass",
    "TransOpSymmetryEliminationPass",
    "NoUseReshapeRemovePass",
    "ConvBatchnormFusionPass",
    "CommonSubexpressionEliminationPass",
    "PrunePass",
)


def optimize(model, *passes, level="", check=True):
    """The model after these built-in passes (or those of a level), and their reports by name."""
    options = {"ge.optimizationSwitch": ";".join(f"{name}:on" for name in passes)}
    if level:
        options["ge.oo.level"] = level
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        if isinstance(model, onnx.ModelProto):
            path.write_bytes(model.SerializeToString())
        else:
            path = model
        graph = ge.onnx.load(str(path))
        results = apply(graph, passes=[], on_error="fail", options=options)
        out = pathlib.Path(folder) / "result.onnx"
        ge.onnx.save(graph, str(out))
        optimized = onnx.load(str(out))
    if check:
        onnx.checker.check_model(optimized, full_check=True)
    return optimized, {result.name: result for result in results}
