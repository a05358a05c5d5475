// Operators that only move elements, of whatever type: gather, slice, concat, transpose, expand, tile.
#include <algorithm>
#include <cstring>

#include "fusion/builtin/fold/broadcast.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// Bytes of one element; 0 for types that are packed tighter.
int64_t ElementSize(const Call& call, size_t i) {
  int bits = ir::BitWidth(call.dtype(i));
  return bits % 8 == 0 ? bits / 8 : 0;
}

// Element i of the result comes from where `at` says, counted from `from`.
bool CopyBy(Call& call, const Dims& out_dims, const Dims& steps, int64_t from = 0) {
  int64_t size = ElementSize(call, 0);
  if (size == 0) return false;
  uint8_t* out = call.New(call.dtype(0), out_dims);
  if (out == nullptr) return false;
  const uint8_t* in = call.data(0);
  return Walk<1>(out_dims, {steps}, [&](int64_t i, const auto& at) {
    std::memcpy(out + i * size, in + (from + at[0]) * size, static_cast<size_t>(size));
    return true;
  });
}

// ---- Gather ---------------------------------------------------------------------------------------------------------

bool GatherAlong(Call& call, int64_t axis_number) {
  if (call.Int("batch_dims", 0) != 0) return false;
  auto indices = call.Ints(1);
  Dims x = call.dims(0);
  auto axis = Axis(axis_number, x.size());
  int64_t size = ElementSize(call, 0);
  if (!indices || !axis || size == 0) return false;
  bool from_end = call.Bool("negative_index_support", false);
  for (int64_t& i : *indices) {
    if (i < 0 && from_end) i += x[*axis];
    if (i < 0 || i >= x[*axis]) return false;
  }
  auto middle = x.begin() + static_cast<std::ptrdiff_t>(*axis);
  Dims out_dims(x.begin(), middle), index_dims = call.dims(1);
  out_dims.insert(out_dims.end(), index_dims.begin(), index_dims.end());
  out_dims.insert(out_dims.end(), middle + 1, x.end());
  int64_t rows = Elements({x.begin(), middle}), row = Elements({middle + 1, x.end()}) * size;
  uint8_t* out = call.New(call.dtype(0), out_dims);
  if (out == nullptr) return false;
  const uint8_t* in = call.data(0);
  for (int64_t r = 0; r < rows && row > 0; ++r) {
    for (int64_t i : *indices) {
      std::memcpy(out, in + (r * x[*axis] + i) * row, static_cast<size_t>(row));
      out += row;
    }
  }
  return true;
}

bool GatherV2(Call& call) {
  auto axis = call.IntOf(2);
  return call.has(0) && axis && GatherAlong(call, *axis);
}
bool Gather(Call& call) { return call.has(0) && call.num_inputs() == 2 && GatherAlong(call, 0); }

// ---- Slice ----------------------------------------------------------------------------------------------------------

bool NoMasks(const Call& call) {
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (call.Int(mask, 0) != 0) return false;
  }
  return true;
}

// The rule of ONNX Slice; places outside of the tensor are moved to its border.
bool SliceBy(Call& call, const Dims& begins, const Dims& ends, const std::optional<Dims>& axes,
             const std::optional<Dims>& strides) {
  Dims in = call.dims(0), out = in, steps = Steps(in);
  size_t n = begins.size();
  if (ends.size() != n || n > in.size()) return false;
  if ((axes && axes->size() != n) || (strides && strides->size() != n)) return false;
  int64_t from = 0;
  std::vector<bool> sliced(in.size(), false);
  for (size_t k = 0; k < n; ++k) {
    auto axis = Axis(axes ? (*axes)[k] : static_cast<int64_t>(k), in.size());
    int64_t stride = strides ? (*strides)[k] : 1;
    if (!axis || sliced[*axis] || stride == 0 || stride == INT64_MIN) return false;
    sliced[*axis] = true;
    // Backwards to the largest number is nothing for ONNX, everything for onnxruntime.
    if (stride < 0 && (ends[k] == INT32_MAX || ends[k] == INT64_MAX)) return false;
    int64_t size = in[*axis], low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    auto place = [&](int64_t p) { return std::clamp(p < 0 ? p + size : p, low, high); };
    int64_t begin = place(begins[k]), end = place(ends[k]);
    int64_t span = stride > 0 ? end - begin : begin - end;
    int64_t step = stride > 0 ? stride : -stride;
    out[*axis] = span <= 0 ? 0 : (span - 1) / step + 1;
    if (out[*axis] > 0) from += begin * steps[*axis];
    // With one element the step is never taken, and a huge one would not fit.
    steps[*axis] *= out[*axis] > 1 ? stride : 0;
  }
  return CopyBy(call, out, steps, from);
}

bool StridedSliceV2(Call& call) {
  auto begins = call.Ints(1), ends = call.Ints(2), axes = call.Ints(3), strides = call.Ints(4);
  if (!call.has(0) || !begins || !ends || !NoMasks(call)) return false;
  if ((call.has(3) && !axes) || (call.has(4) && !strides)) return false;
  return SliceBy(call, *begins, *ends, axes, strides);
}

bool SliceBySize(Call& call) {
  auto offsets = call.Ints(1), sizes = call.Ints(2);
  if (!call.has(0) || !offsets || !sizes) return false;
  Dims in = call.dims(0), out = *sizes, steps = Steps(in);
  if (offsets->size() != in.size() || sizes->size() != in.size()) return false;
  int64_t from = 0;
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t offset = (*offsets)[d];
    if (offset < 0 || offset > in[d]) return false;
    if (out[d] < 0) out[d] = in[d] - offset;
    if (out[d] > in[d] - offset) return false;
    from += offset * steps[d];
  }
  return CopyBy(call, out, steps, from);
}

// ---- Concat ---------------------------------------------------------------------------------------------------------

// Slots [first, end).
bool Join(Call& call, size_t first, size_t end, int64_t axis_number) {
  if (first >= end || !call.has(first)) return false;
  Dims out_dims = call.dims(first);
  auto axis = Axis(axis_number, out_dims.size());
  int64_t size = ElementSize(call, first);
  if (!axis || size == 0) return false;
  for (size_t i = first + 1; i < end; ++i) {
    if (!call.has(i) || call.dtype(i) != call.dtype(first)) return false;
    Dims dims = call.dims(i);
    if (dims.size() != out_dims.size()) return false;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d != *axis && dims[d] != out_dims[d]) return false;
    }
    out_dims[*axis] += dims[*axis];
  }
  uint8_t* out = call.New(call.dtype(first), out_dims);
  if (out == nullptr) return false;
  int64_t rows = Elements({out_dims.begin(), out_dims.begin() + static_cast<std::ptrdiff_t>(*axis)});
  for (int64_t r = 0; r < rows; ++r) {
    for (size_t i = first; i < end; ++i) {
      size_t row = call.in(i).data.size() / static_cast<size_t>(rows);
      if (row == 0) continue;
      std::memcpy(out, call.data(i) + static_cast<size_t>(r) * row, row);
      out += row;
    }
  }
  return true;
}

bool ConcatD(Call& call) { return Join(call, 0, call.num_inputs(), call.Int("concat_dim", INT64_MIN)); }
bool ConcatV2(Call& call) {
  if (call.num_inputs() < 2) return false;
  auto axis = call.IntOf(call.num_inputs() - 1);
  return axis && Join(call, 0, call.num_inputs() - 1, *axis);
}
bool ConcatFirst(Call& call) {
  auto axis = call.IntOf(0);
  return axis && Join(call, 1, call.num_inputs(), *axis);
}

// ---- Transpose, Expand, Tile ----------------------------------------------------------------------------------------

bool TransposeBy(Call& call, const std::optional<Dims>& perm) {
  if (!call.has(0) || !perm) return false;
  Dims in = call.dims(0), from = Steps(in), out(in.size()), steps(in.size());
  if (perm->size() != in.size()) return false;
  std::vector<bool> seen(in.size(), false);
  for (size_t d = 0; d < in.size(); ++d) {
    auto axis = Axis((*perm)[d], in.size());
    if (!axis || seen[*axis]) return false;
    seen[*axis] = true;
    out[d] = in[*axis];
    steps[d] = from[*axis];
  }
  return CopyBy(call, out, steps);
}

bool Transpose(Call& call) { return TransposeBy(call, call.Ints(1)); }
bool TransposeD(Call& call) { return TransposeBy(call, call.IntList("perm")); }

bool Expand(Call& call) {
  auto shape = call.Ints(1);
  if (!call.has(0) || !shape || Elements(*shape) < 0) return false;
  Dims in = call.dims(0), out;
  if (!BroadcastDims({in, *shape}, &out)) return false;
  return CopyBy(call, out, BroadcastSteps(in, out));
}

bool Tile(Call& call) {
  auto times = call.Ints(1);
  if (!call.has(0) || !times || Elements(*times) < 0) return false;
  Dims in = call.dims(0), from = Steps(in);
  if (times->size() != in.size()) return false;
  // Each dim is walked as [times, size].
  Dims walked, steps, out;
  for (size_t d = 0; d < in.size(); ++d) {
    walked.insert(walked.end(), {(*times)[d], in[d]});
    steps.insert(steps.end(), {0, from[d]});
    out.push_back(0);
    if (__builtin_mul_overflow((*times)[d], in[d], &out.back())) return false;
  }
  int64_t size = ElementSize(call, 0);
  if (size == 0 || Elements(walked) < 0) return false;
  uint8_t* to = call.New(call.dtype(0), out);
  if (to == nullptr) return false;
  return Walk<1>(walked, {steps}, [&](int64_t i, const auto& at) {
    std::memcpy(to + i * size, call.data(0) + at[0] * size, static_cast<size_t>(size));
    return true;
  });
}

}  // namespace

void AddMoveKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {
      {"GatherV2", GatherV2}, {"Gather", Gather}, {"StridedSliceV2", StridedSliceV2}, {"Slice", SliceBySize},
      {"ConcatD", ConcatD}, {"ConcatV2", ConcatV2}, {"Concat", ConcatFirst}, {"Transpose", Transpose},
      {"TransposeD", TransposeD}, {"Expand", Expand}, {"BroadcastTo", Expand}, {"Tile", Tile},
  });
}

}  // namespace ge::fusion::fold
