#!/usr/bin/env python3
"""Writes the seeds of the ONNX fuzz target: small models out of the onnx package's backend tests.

usage: seeds.py FOLDER
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from onnx import TensorProto, helper  # noqa: E402

from _backend_cases import FOLDERS, file_cases, node_cases  # noqa: E402

LARGEST = 16 << 10


def with_external_data():
    """Tensors with their bytes in the file that the target puts beside the model."""
    tensors = []
    for i, place in enumerate([{"offset": "0", "length": "64"}, {"offset": "64"}, {}]):
        tensor = TensorProto(name=f"w{i}", dims=[16], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
        for key, value in {"location": "weights", **place}.items():
            tensor.external_data.add(key=key, value=value)
        tensors.append(tensor)
        info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [16]) for name in "xy"]
        graph = helper.make_graph([helper.make_node("Add", ["x", tensor.name], ["y"])], "g", info[:1], info[1:], [tensor])
        yield helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        constant = helper.make_node("Constant", [], ["k"], value=tensor)
        graph = helper.make_graph([constant, helper.make_node("Add", ["x", "k"], ["y"])], "g", info[:1], info[1:])
        yield helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def onnx_seeds():
    for name, model, _, _ in node_cases():
        yield name, model
    for kind in FOLDERS:
        for case in file_cases(kind):
            yield f"{kind}_{case.name}", case.model
    for i, model in enumerate(with_external_data()):
        yield f"external_{i}", model


def main():
    folder = pathlib.Path(sys.argv[1]) / "onnx"
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in onnx_seeds():
        data = model.SerializeToString()
        if len(data) <= LARGEST:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
