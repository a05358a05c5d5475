// Attribute names that inference reads, interned once.
#ifndef GE_OPS_ATTR_NAMES_H_
#define GE_OPS_ATTR_NAMES_H_

#include "ir/symbol.h"

namespace ge::ops {

struct AttrNames {
#define GE_ATTR_NAME(n) ir::Symbol n{#n}
  GE_ATTR_NAME(N);
  GE_ATTR_NAME(adj_x1);
  GE_ATTR_NAME(adj_x2);
  GE_ATTR_NAME(allowzero);
  GE_ATTR_NAME(auto_pad);
  GE_ATTR_NAME(axes);
  GE_ATTR_NAME(axis);
  GE_ATTR_NAME(axis_attr);
  GE_ATTR_NAME(batch_dims);
  GE_ATTR_NAME(begin_mask);
  GE_ATTR_NAME(begin_norm_axis);
  GE_ATTR_NAME(block_size);
  GE_ATTR_NAME(ceil_mode);
  GE_ATTR_NAME(concat_dim);
  GE_ATTR_NAME(data_format);
  GE_ATTR_NAME(dilation);
  GE_ATTR_NAME(dilations);
  GE_ATTR_NAME(dim);
  GE_ATTR_NAME(dimension);
  GE_ATTR_NAME(direction);
  GE_ATTR_NAME(dst_type);
  GE_ATTR_NAME(dtype);
  GE_ATTR_NAME(ellipsis_mask);
  GE_ATTR_NAME(end);
  GE_ATTR_NAME(end_axis);
  GE_ATTR_NAME(end_mask);
  GE_ATTR_NAME(equation);
  GE_ATTR_NAME(global_pooling);
  GE_ATTR_NAME(group);
  GE_ATTR_NAME(groups);
  GE_ATTR_NAME(half_to_float);
  GE_ATTR_NAME(hidden_size);
  GE_ATTR_NAME(indice_dtype);
  GE_ATTR_NAME(indices_dtype);
  GE_ATTR_NAME(is_closed);
  GE_ATTR_NAME(keep_aspect_ratio_policy);
  GE_ATTR_NAME(keep_dims);
  GE_ATTR_NAME(keepdim);
  GE_ATTR_NAME(keepdims);
  GE_ATTR_NAME(kernel_shape);
  GE_ATTR_NAME(ksize);
  GE_ATTR_NAME(layout);
  GE_ATTR_NAME(multiples);
  GE_ATTR_NAME(new_axis_mask);
  GE_ATTR_NAME(noop_with_empty_axes);
  GE_ATTR_NAME(num_axes);
  GE_ATTR_NAME(num_split);
  GE_ATTR_NAME(output_dtype);
  GE_ATTR_NAME(output_padding);
  GE_ATTR_NAME(output_shape);
  GE_ATTR_NAME(output_size);
  GE_ATTR_NAME(padding);
  GE_ATTR_NAME(padding_mode);
  GE_ATTR_NAME(paddings_contiguous);
  GE_ATTR_NAME(pads);
  GE_ATTR_NAME(perm);
  GE_ATTR_NAME(pooled_height);
  GE_ATTR_NAME(pooled_width);
  GE_ATTR_NAME(shape);
  GE_ATTR_NAME(shrink_axis_mask);
  GE_ATTR_NAME(split_dim);
  GE_ATTR_NAME(start);
  GE_ATTR_NAME(strides);
  GE_ATTR_NAME(transpose);
  GE_ATTR_NAME(transpose_a);
  GE_ATTR_NAME(transpose_b);
  GE_ATTR_NAME(transpose_x1);
  GE_ATTR_NAME(transpose_x2);
  GE_ATTR_NAME(type);
#undef GE_ATTR_NAME
};

inline const AttrNames& Names() {
  static const AttrNames names;
  return names;
}

}  // namespace ge::ops

#endif  // GE_OPS_ATTR_NAMES_H_
