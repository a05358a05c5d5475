// Operators that give a tensor another shape and leave its elements where they are: no byte is copied.
#include <algorithm>

#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// The rule of ONNX: 0 keeps the dim, one -1 takes what is left.
bool Reshape(Call& call) {
  auto shape = call.Ints(1);
  if (!call.has(0) || !shape || call.Int("axis", 0) != 0 || call.Int("num_axes", -1) != -1) return false;
  Dims in = call.dims(0), out = *shape;
  int64_t known = 1, open = -1;
  for (size_t d = 0; d < out.size(); ++d) {
    if (out[d] == 0) {
      if (d >= in.size()) return false;
      out[d] = in[d];
    }
    if (out[d] < -1 || (out[d] == -1 && open >= 0)) return false;
    if (out[d] == -1) {
      open = static_cast<int64_t>(d);
    } else if (__builtin_mul_overflow(known, out[d], &known)) {
      return false;
    }
  }
  if (open >= 0) {
    if (known == 0 || call.count(0) % known != 0) return false;
    out[static_cast<size_t>(open)] = call.count(0) / known;
  }
  return call.Share(0, out);
}

bool Flatten(Call& call) {
  if (!call.has(0)) return false;
  Dims in = call.dims(0);
  int64_t axis = call.Int("axis", 1), rank = static_cast<int64_t>(in.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return false;
  Dims out{Elements({in.begin(), in.begin() + axis}), Elements({in.begin() + axis, in.end()})};
  return out[0] >= 0 && out[1] >= 0 && call.Share(0, out);
}

// No axes: every dim of one.
bool SqueezeBy(Call& call, const Dims& axes) {
  Dims in = call.dims(0), out;
  std::vector<bool> gone(in.size(), false);
  for (int64_t a : axes) {
    auto axis = Axis(a, in.size());
    if (!axis || in[*axis] != 1) return false;
    gone[*axis] = true;
  }
  for (size_t d = 0; d < in.size(); ++d) {
    if (axes.empty() ? in[d] != 1 : !gone[d]) out.push_back(in[d]);
  }
  return call.Share(0, out);
}

bool UnsqueezeBy(Call& call, const Dims& axes) {
  Dims in = call.dims(0), out;
  std::vector<bool> fresh(in.size() + axes.size(), false);
  for (int64_t a : axes) {
    auto axis = Axis(a, fresh.size());
    if (!axis || fresh[*axis]) return false;
    fresh[*axis] = true;
  }
  size_t next = 0;
  for (bool f : fresh) out.push_back(f ? 1 : in[next++]);
  return call.Share(0, out);
}

bool Squeeze(Call& call) {
  auto axes = call.IntList("axis");
  return call.has(0) && axes && SqueezeBy(call, *axes);
}
bool SqueezeV3(Call& call) {
  if (!call.has(0)) return false;
  if (!call.has(1)) return SqueezeBy(call, {});
  auto axes = call.Ints(1);
  return axes && SqueezeBy(call, *axes);
}
bool Unsqueeze(Call& call) {
  auto axes = call.IntList("axes");
  return call.has(0) && axes && UnsqueezeBy(call, *axes);
}
bool UnsqueezeByInput(Call& call) {
  auto axes = call.Ints(1);
  return call.has(0) && axes && UnsqueezeBy(call, *axes);
}

bool Identity(Call& call) { return call.num_inputs() == 1 && call.has(0) && call.Share(0, call.dims(0)); }

}  // namespace

void AddShapeKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {
      {"Reshape", Reshape}, {"Flatten", Flatten}, {"Squeeze", Squeeze}, {"SqueezeV3", SqueezeV3},
      {"Unsqueeze", Unsqueeze}, {"UnsqueezeV3", UnsqueezeByInput}, {"ExpandDims", UnsqueezeByInput},
      {"Identity", Identity},
  });
}

}  // namespace ge::fusion::fold
