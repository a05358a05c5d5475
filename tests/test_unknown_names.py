"""Names that modules do not have which make their members on demand."""

from __future__ import annotations

import _thread
import subprocess
import sys
import threading

import ge.es
import ge.es.all
import ge.es.math
import ge.passes
import pytest


@pytest.mark.parametrize(
    "module, name, meant",
    [
        (ge.es.all, "Reluu", "Relu"),
        (ge.es.all, "add", "Add"),
        (ge.es.all, "Softmax", "SoftmaxV2"),
        (ge.es.math, "Sqrtt", "Sqrt"),
        (ge.es.math, "Relu", "ge.es.all.Relu"),
        (ge.es, "Relu", "ge.es.all.Relu"),
        (ge.es, "GraphBuilde", "GraphBuilder"),
        (ge.es, "mathh", "math"),
        (ge.passes, "PatternFusionPas", "PatternFusionPass"),
    ],
)
def test_a_wrong_name_is_told_the_right_one(module, name, meant):
    said = f"^module '{module.__name__}' has no (attribute|operator) '{name}'; did you mean '{meant}'\\?$"
    with pytest.raises(AttributeError, match=said):
        getattr(module, name)
    with pytest.raises(ImportError, match=said):
        exec(f"from {module.__name__} import {name}", {})
    assert not hasattr(module, name)


@pytest.mark.parametrize("name", ["Qqqqqqqqqq", "_Relu"])
def test_a_name_that_is_like_no_other_gets_no_advice(name):
    with pytest.raises(AttributeError, match=f"has no operator '{name}'$"):
        getattr(ge.es.all, name)


def test_a_custom_operator_is_meant():
    program = """if True:
        from ge.custom_op import register_op
        from ge.runtime import TensorDesc

        @register_op(op_type="TwiceAsMuch")
        def twice(x: TensorDesc) -> TensorDesc: ...

        from ge.es.custom import TwiceAsMutch
        """
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.strip().endswith("has no operator 'TwiceAsMutch'; did you mean 'TwiceAsMuch'?")


def test_native_code_without_a_frame_of_python_is_told_too():
    # A thread whose only call is native: nothing of Python is below the module's own function.
    found = []
    done = threading.Event()
    hook, sys.unraisablehook = sys.unraisablehook, lambda raised: (found.append(raised.exc_value), done.set())
    try:
        _thread.start_new_thread(getattr, (ge.es.all, "Reluu"))
        assert done.wait(60)
    finally:
        sys.unraisablehook = hook
    assert isinstance(found[0], AttributeError) and "did you mean 'Relu'?" in str(found[0])


def test_python_does_not_add_a_second_suggestion():
    ended = subprocess.run(
        [sys.executable, "-c", "import ge.es.math; ge.es.math.Sqrtt"], capture_output=True, text=True, check=False
    )
    assert ended.stderr.strip().endswith("AttributeError: module 'ge.es.math' has no operator 'Sqrtt'; did you mean 'Sqrt'?")


def test_submodules_are_still_imported_from_a_package():
    from ge.es import gen

    assert gen is sys.modules["ge.es.gen"]
    with pytest.raises(ModuleNotFoundError):
        exec("import ge.es.mathh", {})


@pytest.mark.parametrize("name", ["__wrapped__", "_private"])
def test_a_private_name_needs_no_operator_modules(name):
    code = f"import sys, ge.es; assert not hasattr(ge.es, {name!r}); assert 'ge.es.all' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
