"""Element types that NumPy itself lacks (bfloat16, float8, ...), by the package ml_dtypes where it is installed."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

from ge.graph.types import DataType

__all__ = ["as_plain", "converted", "typed"]

_ML_NAMES = {
    DataType.DT_BF16: "bfloat16",
    DataType.DT_FLOAT8_E5M2: "float8_e5m2",
    DataType.DT_FLOAT8_E4M3FN: "float8_e4m3fn",
    DataType.DT_FLOAT8_E8M0: "float8_e8m0fnu",
}
_ML_TYPES = {name: data_type for data_type, name in _ML_NAMES.items()}
_NUMPY_NAMES = {
    DataType.DT_FLOAT: "float32",
    DataType.DT_FLOAT16: "float16",
    DataType.DT_DOUBLE: "float64",
    DataType.DT_INT8: "int8",
    DataType.DT_INT16: "int16",
    DataType.DT_INT32: "int32",
    DataType.DT_INT64: "int64",
    DataType.DT_UINT8: "uint8",
    DataType.DT_UINT16: "uint16",
    DataType.DT_UINT32: "uint32",
    DataType.DT_UINT64: "uint64",
    DataType.DT_BOOL: "bool",
    DataType.DT_COMPLEX64: "complex64",
    DataType.DT_COMPLEX128: "complex128",
}


_NUMPY_TYPES = {name: data_type for data_type, name in _NUMPY_NAMES.items()}


def _is_numpy(array: Any) -> bool:
    return "numpy" in sys.modules and isinstance(array, sys.modules["numpy"].ndarray)


def as_plain(array: Any) -> Optional[Tuple[Any, DataType]]:
    """An array that can be exported, and its type; None where the array can be exported as it is.

    Of ml_dtypes it is a view as integers of that size, of another byte order a copy in the machine's own.
    """
    if not _is_numpy(array):
        return None
    if not array.dtype.isnative and array.dtype.name in _NUMPY_TYPES:
        return array.astype(array.dtype.newbyteorder("=")), _NUMPY_TYPES[array.dtype.name]
    data_type = _ML_TYPES.get(array.dtype.name)
    if data_type is None:
        return None
    # A view of another type needs contiguous elements.
    contiguous = array if array.flags.c_contiguous else array.copy()
    return contiguous.view(f"u{array.dtype.itemsize}"), data_type


def converted(array: Any, data_type: DataType) -> Any:
    """The elements as an array of that type or, where NumPy has none, as a flat list of numbers."""
    import numpy

    source = array if _is_numpy(array) else numpy.asarray(array)
    name = _NUMPY_NAMES.get(data_type)
    if name is None:
        return source.reshape(-1).tolist()
    return source.astype(name)


def typed(array: Any, data_type: DataType) -> Any:
    """A view of raw elements as their ml_dtypes type; None if that package is not there or does not know the type."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    kind = getattr(ml_dtypes, _ML_NAMES.get(data_type, ""), None)
    return None if kind is None else array.view(kind)
