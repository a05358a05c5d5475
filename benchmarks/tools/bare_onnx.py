"""onnx.load and onnx.save, nothing between them."""

import onnx

VERSION = f"onnx {onnx.__version__}"
load, save = onnx.load, onnx.save
