"""An operator whose output shape depends on an attribute: every row `times` times."""

from __future__ import annotations

import numpy as np

from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.runtime import StorageShape, TensorDesc


@register_op(op_type="RepeatRows")
def repeat_rows(x: TensorDesc, *, times: int) -> TensorDesc:
    rows, *rest = x.shape.origin_shape.dims
    return TensorDesc([rows * times if rows >= 0 else -1, *rest], x.data_type)


@register_op_impl(op_type="RepeatRows")
class RepeatRows:
    def execute(self, x, *, times: int):
        repeated = np.repeat(x.numpy(), times, axis=0)
        dims = list(repeated.shape)
        y = get_execute_ctx().malloc_output_tensor(0, StorageShape(dims, dims), x.format, x.data_type)
        np.copyto(y.numpy(), repeated)
