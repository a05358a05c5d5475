// Operators that choose between tensors, element by element.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "fusion/builtin/fold/broadcast.h"
#include "fusion/builtin/fold/element.h"
#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// -0.0, of which onnxruntime's Where makes a zero of either sign.
bool IsMinusZero(ir::DataType type, const uint8_t* element, int64_t size) {
  if (!ir::IsFloating(type) || element[size - 1] != 0x80) return false;
  return std::all_of(element, element + size - 1, [](uint8_t byte) { return byte == 0; });
}

bool Where(Call& call) {
  if (call.num_inputs() != 3 || !call.has(0) || !call.has(1) || !call.has(2)) return false;
  if (call.dtype(0) != ir::DataType::kBool || call.dtype(1) != call.dtype(2)) return false;
  int bits = ir::BitWidth(call.dtype(1));
  Dims out_dims;
  if (bits % 8 != 0 || !BroadcastDims({call.dims(0), call.dims(1), call.dims(2)}, &out_dims)) return false;
  uint8_t* out = call.New(call.dtype(1), out_dims);
  if (out == nullptr) return false;
  int64_t size = bits / 8;
  std::array<Dims, 3> steps;
  for (size_t k = 0; k < 3; ++k) steps[k] = BroadcastSteps(call.dims(k), out_dims);
  return Walk<3>(out_dims, steps, [&](int64_t i, const auto& at) {
    size_t from = Load<bool>(call.data(0), at[0]) ? 1 : 2;
    const uint8_t* chosen = call.data(from) + at[from] * size;
    std::memcpy(out + i * size, chosen, static_cast<size_t>(size));
    return !IsMinusZero(call.dtype(1), chosen, size);
  });
}

// Of one shape only: GE's Select spreads a condition of fewer dims in its own way.
bool Select(Call& call) {
  if (call.num_inputs() != 3 || !call.has(0) || !call.has(1) || !call.has(2)) return false;
  return call.dims(0) == call.dims(1) && call.dims(1) == call.dims(2) && Where(call);
}

bool Clip(Call& call) {
  if (call.num_inputs() != 3 || !call.has(0) || !call.has(1) || !call.has(2)) return false;
  if (call.count(1) != 1 || call.count(2) != 1) return false;
  if (call.dtype(1) != call.dtype(0) || call.dtype(2) != call.dtype(0)) return false;
  return VisitNumber(call.dtype(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Wide<T> low = Load<T>(call.data(1), 0), high = Load<T>(call.data(2), 0);
    uint8_t* out = call.New(call.dtype(0), call.dims(0));
    if (out == nullptr || !(low <= high)) return false;
    for (int64_t i = 0, n = call.count(0); i < n; ++i) {
      Wide<T> v = Load<T>(call.data(0), i);
      if constexpr (std::is_floating_point_v<Wide<T>>) {
        bool zeros = v == 0 && (low == 0 || high == 0);
        if (std::isnan(v) || zeros) return false;
      }
      Store<T>(out, i, std::min(std::max(v, low), high));
    }
    return true;
  });
}

}  // namespace

void AddSelectionKernels(std::vector<KernelEntry>* out) {
  out->insert(out->end(), {{"SelectV2", Where}, {"Select", Select}, {"ClipByValue", Clip}});
}

}  // namespace ge::fusion::fold
