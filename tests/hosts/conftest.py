from __future__ import annotations

import pytest

from _onnx_models import Net
from _programs import PACKAGE, SWAP, Host, build, host_flags


@pytest.fixture(scope="session")
def host_program(tmp_path_factory):
    return build(tmp_path_factory.mktemp("host") / "host", "host.c", *host_flags(PACKAGE))


@pytest.fixture
def host(host_program, tmp_path):
    return Host(host_program, tmp_path)


@pytest.fixture
def model(tmp_path):
    """A file with one Relu."""
    net = Net()
    net.output(net.op("Relu", net.input("x", [2]), outputs="y"), [2])
    path = tmp_path / "model.onnx"
    path.write_bytes(net.build().SerializeToString())
    return path


@pytest.fixture
def plugin(tmp_path):
    """A file with a pass that makes a Neg of it."""
    path = tmp_path / "relu_to_neg.py"
    path.write_text(SWAP.format(old="Relu", new="Neg"))
    return path
