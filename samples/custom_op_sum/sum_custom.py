"""An operator with a dynamic input: the sum of any number of tensors."""

from __future__ import annotations

from typing import List

from ge.custom_op import get_execute_ctx, register_op, register_op_impl
from ge.runtime import TensorDesc


@register_op(op_type="SumCustom")
def sum_custom(xs: List[TensorDesc]) -> TensorDesc:
    return TensorDesc(xs[0].shape, xs[0].data_type)


@register_op_impl(op_type="SumCustom")
class SumCustom:
    def execute(self, xs):
        y = get_execute_ctx().malloc_output_tensor(0, xs[0].shape, xs[0].format, xs[0].data_type)
        y.numpy()[...] = sum(x.numpy() for x in xs)
