"""An operator of one's own: y = x1 + alpha * x2, elementwise."""

from __future__ import annotations

import numpy as np

from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.runtime import TensorDesc


@register_op(op_type="AddCustom")
def add_custom(x1: TensorDesc, x2: TensorDesc, *, alpha: float = 1.0) -> TensorDesc:
    # -1 is a dimension that is not known yet; the other input may know it.
    dims = [max(a, b) for a, b in zip(x1.shape.origin_shape.dims, x2.shape.origin_shape.dims)]
    return TensorDesc(dims, x1.data_type)


@register_op_impl(op_type="AddCustom")
class AddCustom:
    def execute(self, x1, x2, *, alpha: float):
        y = get_execute_ctx().malloc_output_tensor(0, x1.shape, x1.format, x1.data_type)
        np.add(x1.numpy(), alpha * x2.numpy(), out=y.numpy(), casting="same_kind")
