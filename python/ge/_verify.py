"""Compares two ONNX models in onnxruntime: ``python -m ge._verify ORIGINAL RESULT``."""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ge.error import CustomOpError

__all__ = ["Difference", "VerifyError", "main", "verify"]

# Differences are taken relative to no less than this: the float32 steps of a computation whose values are near 1 are
# 1e-7, so of an output below 1e-3 not even the original gives four digits twice (other kernels, other threads).
_SMALLEST_SCALE = 1e-2
_FAILED = 1


class VerifyError(Exception):
    """The models could not be compared, or differ."""


@dataclass(frozen=True)
class Difference:
    """Largest difference of one output.

    Attributes:
        output: Name of the output.
        absolute: max|a-b|.
        relative: max|a-b| / max(max|a|, 0.01), a being the original's values.
        note: What numbers can't say, such as another shape; empty if nothing.
    """

    output: str
    absolute: float
    relative: float
    note: str = ""


def _compare_arrays(name: str, a: Any, b: Any, casts: bool) -> Difference:
    import numpy as np

    a, b = np.asarray(a), np.asarray(b)
    if casts and a.dtype != b.dtype:
        from ge._verify_casts import distance_after_cast

        absolute, scale, note = distance_after_cast(a, b)
        return Difference(name, absolute, absolute / max(scale, _SMALLEST_SCALE) if absolute else 0.0, note)
    if a.shape != b.shape or a.dtype != b.dtype:
        note = f"was {a.dtype}{list(a.shape)}, became {b.dtype}{list(b.shape)}"
        return Difference(name, math.inf, math.inf, note)
    if a.size == 0:
        return Difference(name, 0.0, 0.0)
    if a.dtype.kind not in "fiubc":
        same = bool(np.array_equal(a, b))
        return Difference(
            name, 0.0 if same else math.inf, 0.0 if same else math.inf, "" if same else "texts differ"
        )
    if a.dtype.kind in "iub":
        # Python integers: a difference of 64-bit values fits no fixed type.
        differing = a != b
        pairs = zip(a[differing].tolist(), b[differing].tolist())
        absolute = float(max((abs(int(x) - int(y)) for x, y in pairs), default=0))
        scale = float(max(abs(int(a.max())), abs(int(a.min()))))
        return Difference(name, absolute, absolute / max(scale, 1.0))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    both_nan = np.isnan(a) & np.isnan(b)
    with np.errstate(invalid="ignore"):
        distance = np.where((a == b) | both_nan, 0.0, np.abs(a - b))
    finite = np.isfinite(a)
    scale = max(float(np.abs(a[finite]).max(initial=0.0)), _SMALLEST_SCALE)
    odd = ~np.isfinite(distance)
    if odd.any():
        note = f"{int(odd.sum())} of {a.size} values are NaN or infinite on one side only"
        return Difference(name, math.inf, math.inf, note)
    absolute = float(distance.max())
    note = f"{int(both_nan.sum())} of {a.size} values are NaN on both sides" if both_nan.any() else ""
    return Difference(name, absolute, absolute / scale, note)


def _compare(name: str, a: Any, b: Any, casts: bool = False) -> Difference:
    """Tensors, and sequences and maps of them. `casts`: `b` may have another element type, if it holds the same numbers."""
    if isinstance(a, (list, dict)):
        keys = range(len(a)) if isinstance(a, list) else list(a)
        if type(a) is not type(b) or len(a) != len(b) or (isinstance(a, dict) and set(a) != set(b)):
            return Difference(name, math.inf, math.inf, "has other elements")
        parts = [_compare(name, a[key], b[key]) for key in keys]
        return max(parts, key=lambda part: part.relative, default=Difference(name, 0.0, 0.0))
    if a is None or b is None:
        return (
            Difference(name, 0.0, 0.0)
            if a is b
            else Difference(name, math.inf, math.inf, "is absent on one side")
        )
    return _compare_arrays(name, a, b, casts)


def _one_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _session(model: Union[str, bytes]) -> Any:
    from ge._internal.onnxruntime_session import open_session

    if isinstance(model, str) and os.fsencode(model).decode("utf-8", "replace") != model:
        raise ValueError("it opens only files whose path is UTF-8; rename the file or its folder")
    if os.environ.get("ASCEND_CUSTOM_OPP_PATH"):
        from ge.custom_op import executor

        if executor.has_custom_nodes(model):
            return executor.Session(model)
    return open_session(model)


def _bounds(path: str, names: Sequence[str]) -> Dict[str, int]:
    if not names:
        return {}
    from ge._verify_inputs import find_upper_bounds

    try:
        return find_upper_bounds(path, names)
    except (
        Exception
    ) as error:  # onnx is missing or can't parse what onnxruntime runs: the attempts have to do
        print(f"         integer inputs get small values, their use can't be looked up: {_one_line(error)}")
        return {}


def _open_original(path: str, outputs: Sequence[str]) -> Any:
    """A session that can give these tensors, outputs or not."""
    session = _session(path)
    own = {output.name for output in session.get_outputs()}
    missing = [name for name in outputs if name not in own]
    if not missing:
        return session
    from ge._verify_probes import add_probes

    del session
    return _session(add_probes(path, missing) or path)


def _run_original(
    path: str,
    given: Mapping[str, Sequence[int]],
    seed: int,
    outputs: Sequence[str] = (),
    fp16_inputs: Sequence[str] = (),
) -> Tuple[Dict[str, Any], List[str], List[Any]]:
    """Inputs that the original accepts, names and values of its outputs, or of the tensors named in `outputs`."""
    from ge._verify_inputs import Attempt, Input, make_inputs

    try:
        session = _open_original(path, outputs)
    except Exception as error:
        unknown_operator = "is not a registered function/op" in str(error)
        hint = "; one of your own needs its file in ASCEND_CUSTOM_OPP_PATH" if unknown_operator else ""
        raise VerifyError(
            f"onnxruntime does not load the original model '{path}': {_one_line(error)}; without --verify it is "
            f"compiled all the same{hint}"
        ) from error
    inputs = [Input(i.name, i.type, i.shape) for i in session.get_inputs()]
    unknown = sorted(set(given) - {i.name for i in inputs})
    if unknown:
        raise VerifyError(
            f"input_shape names '{unknown[0]}', the inputs are {', '.join(i.name for i in inputs)}"
        )
    names = list(outputs) or [output.name for output in session.get_outputs()]
    bounds = _bounds(path, [i.name for i in inputs if "int" in i.type])
    # Two rows show a wrong broadcast that one row hides; the others are for models that are picky about sizes.
    attempts = [
        Attempt(2, 64, 10),
        Attempt(1, 64, 10),
        Attempt(1, 64, 2),
        Attempt(1, 224, 2),
        Attempt(1, 320, 2),
    ]
    attempts += [Attempt(1, 16, 2), Attempt(1, 2, 2), Attempt(1, 1, 1)]
    attempts += [Attempt(1, size, 2, trust_names=False) for size in (64, 224, 320)]
    first_error: Optional[BaseException] = None
    seen = set()
    for attempt in attempts:
        try:
            values = make_inputs(inputs, given, bounds, attempt, seed)
            if fp16_inputs:
                from ge._verify_casts import rounded_inputs

                values = rounded_inputs(values, fp16_inputs)
        except ValueError as error:
            raise VerifyError(f"{error}; leave --verify out") from error
        key = tuple((name, value.shape) for name, value in values.items()), attempt.integers
        if key in seen:
            continue
        seen.add(key)
        try:
            return values, names, session.run(names, values)
        except Exception as error:
            first_error = first_error or error
    if isinstance(first_error, CustomOpError):
        raise VerifyError(f"the original model '{path}' does not run: {first_error}") from first_error
    reason = _one_line(first_error) if first_error else "nothing could be tried"
    raise VerifyError(
        f"onnxruntime does not run the original model '{path}' on random inputs: {reason}; give sizes that fit with "
        "--input_shape"
    )


def _name_after_cast(name: str, number: int, own: Sequence[str]) -> str:
    """Of an output that was an input and is cast now: the compiler gives it a name of its own."""
    found = own[number] if number < len(own) else ""
    return found if name not in own and found.startswith(f"{name}_cast") else name


def _run_result(path: str, inputs: Mapping[str, Any], names: Sequence[str]) -> List[Any]:
    try:
        session = _session(path)
        own = [output.name for output in session.get_outputs()]
        names = [_name_after_cast(name, number, own) for number, name in enumerate(names)]
        missing = [name for name in names if name not in own]
        if missing:
            raise VerifyError(f"it has no output '{missing[0]}'")
        wanted = {i.name for i in session.get_inputs()}
        values: List[Any] = session.run(
            list(names), {name: value for name, value in inputs.items() if name in wanted}
        )
        return values
    except Exception as error:
        raise VerifyError(
            f"onnxruntime runs the original model but not the result '{path}': {_one_line(error)}; the file is kept"
        ) from error


def _run_probes(
    original: str, result: str, inputs: Mapping[str, Any], names: Sequence[str]
) -> List[Difference]:
    """Differences before the operators that squash outputs; empty where they can't be had."""
    from ge._verify_probes import add_probes, find_probes

    try:
        before, after = find_probes(original, names), find_probes(result, names)
        common = [
            name for name in names if name in before and name in after and before[name][0] == after[name][0]
        ]
        values = []
        for path, probes in (original, before), (result, after):
            tensors = [probes[name][1] for name in common]
            model = add_probes(path, tensors)
            if model is None:
                return []
            values.append(_session(model).run(tensors, dict(inputs)))
    except Exception:  # without onnx, or in a form that can't be extended, the outputs have to do
        return []
    return [_compare(f"{name} before {before[name][0]}", a, b) for name, a, b in zip(common, *values)]


def verify(
    original: str,
    result: str,
    input_shape: str = "",
    seed: int = 0,
    *,
    outputs: Sequence[str] = (),
    fp16_inputs: Sequence[str] = (),
    casts: bool = False,
) -> Tuple[Dict[str, Any], List[Difference]]:
    """Runs both models on the same random inputs.

    Args:
        original: Path of the model whose signature decides the inputs.
        result: Path of the model to compare with it.
        input_shape: ``"x:1,3,48,320;y:8"``; inputs and dims (-1) left out get a size.
        seed: Seed of the inputs.
        outputs: Tensors of the original that the outputs of the result stand for; empty: its outputs.
        fp16_inputs: Inputs that the result takes as half floats.
        casts: Whether outputs of the result may have other element types than the original's.

    Returns:
        The inputs; the largest difference of each output in their order, then before operators that squash outputs.

    Raises:
        VerifyError: One of the models does not run, or onnxruntime is missing.
    """
    try:
        import numpy  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        raise VerifyError(
            f"comparing needs onnxruntime and numpy, but {_one_line(error)}; run: pip install 'ge-py[verify]'"
        ) from error
    from ge._verify_inputs import parse_shapes

    try:
        given = parse_shapes(input_shape)
    except ValueError as error:
        raise VerifyError(str(error)) from error
    inputs, names, expected = _run_original(original, given, seed, outputs, fp16_inputs)
    gc.collect()  # the first session's memory goes before the second one needs as much
    taken = inputs
    if fp16_inputs:
        from ge._verify_casts import with_types

        taken = with_types(inputs, fp16_inputs)
    found = _run_result(result, taken, names)
    differences = [_compare(name, a, b, casts) for name, a, b in zip(names, expected, found)]
    if outputs or fp16_inputs or casts:
        return (
            inputs,
            differences,
        )  # the ends of the two models are not the same, so nothing lies at the same place before them
    return inputs, differences + _run_probes(original, result, inputs, names)


def _write_json(
    path: str, inputs: Mapping[str, Any], differences: Sequence[Difference], options: argparse.Namespace
) -> None:
    """The figures for `atc --report`."""
    figures = {
        "seed": options.seed,
        "tolerance": options.tolerance,
        "inputs": [f"{name} {value.dtype}{list(value.shape)}" for name, value in inputs.items()],
        "differences": [
            {
                "output": d.output,
                "absolute": d.absolute if math.isfinite(d.absolute) else None,
                "relative": d.relative if math.isfinite(d.relative) else None,
                "passes": d.relative <= options.tolerance,
                "note": d.note,
            }
            for d in differences
        ],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(figures, file)


def _print_report(inputs: Mapping[str, Any], differences: Sequence[Difference], seed: int) -> None:
    shown = ", ".join(f"{name} {value.dtype}{list(value.shape)}" for name, value in inputs.items())
    print(f"Verify   seed {seed}, inputs {shown or 'none'}")
    width = max([len("output"), *(len(d.output) for d in differences)])
    print(f"  {'output':<{width}}  {'max abs diff':>12}  {'max rel diff':>12}")
    for d in differences:
        print(
            f"  {d.output:<{width}}  {d.absolute:>12.3g}  {d.relative:>12.3g}{'  ' + d.note if d.note else ''}"
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ge._verify", description=__doc__)
    parser.add_argument("original")
    parser.add_argument("result")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=1e-4,
        help="largest relative difference: max|a-b| / max(max|a|, 0.01)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random inputs")
    parser.add_argument("--input_shape", default="", help="sizes of inputs: 'x:1,3,48,320;y:8'")
    parser.add_argument(
        "--output", action="append", default=[], help="tensor of ORIGINAL that is an output of RESULT"
    )
    parser.add_argument(
        "--fp16_input", action="append", default=[], help="input that RESULT takes as half floats"
    )
    parser.add_argument("--casts", action="store_true", help="outputs of RESULT may have other element types")
    parser.add_argument("--json", default="", help="file for the figures")
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Prints the differences; 0 if all are within the tolerance, else 1 after an ``[ERROR]`` line."""
    options = _parser().parse_args(argv)
    try:
        inputs, differences = verify(
            options.original,
            options.result,
            options.input_shape,
            options.seed,
            outputs=options.output,
            fp16_inputs=options.fp16_input,
            casts=options.casts,
        )
        _print_report(inputs, differences, options.seed)
        if options.json:
            _write_json(options.json, inputs, differences, options)
        worst = max(differences, key=lambda d: d.relative, default=Difference("", 0.0, 0.0))
        absolute = max((d.absolute for d in differences), default=0.0)
        print(
            f"  largest difference: absolute {absolute:.3g}, relative {worst.relative:.3g} "
            f"(tolerance {options.tolerance:g})"
        )
        if not worst.relative <= options.tolerance:
            raise VerifyError(
                f"output '{worst.output}' differs: relative {worst.relative:.3g}, absolute {worst.absolute:.3g}"
                f"{' (' + worst.note + ')' if worst.note else ''}; at most {options.tolerance:g} relative passes; "
                f"the file '{options.result}' is kept; switch passes off one by one with --optimization_switch"
            )
    except VerifyError as error:
        print(f"[ERROR] E10059: --verify: {error}")
        return _FAILED
    except Exception as error:  # numpy and onnxruntime raise what they like, above all for want of memory
        text = str(error).strip().partition("\n")[0]
        print(
            f"[ERROR] E10059: --verify: comparing '{options.original}' with '{options.result}': expected two runs, found "
            f"{type(error).__name__}: {text}; the file '{options.result}' is kept; give smaller dims with --input_shape"
        )
        return _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
