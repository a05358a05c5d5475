#include "abi3_bridge/custom_op_native/host_array.h"

#include <nanobind/ndarray.h>

#include <vector>

#include "abi3_bridge/native/array_types.h"
#include "abi3_bridge/native/convert.h"

namespace ge::bridge {
namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Code = nb::dlpack::dtype_code;

struct ArrayDeleter {
  void operator()(void* p) const {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    delete static_cast<Array*>(p);
  }
};

template <typename... Access>
nb::object View(const gert::Tensor& tensor, Code code, int bits) {
  // An array of no elements wants an address all the same.
  static uint64_t nothing = 0;
  std::span<const int64_t> dims = tensor.shape.storage.dims();
  std::vector<size_t> sizes(dims.begin(), dims.end());
  void* data = tensor.addr == nullptr ? &nothing : tensor.addr;
  nb::capsule owner(new std::shared_ptr<void>(tensor.owner),
                    [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
  nb::ndarray<nb::numpy, Access...> view(data, sizes.size(), sizes.data(), owner, nullptr,
                                         {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1},
                                         nb::device::cpu::value);
  return nb::cast(view);
}

nb::object View(const gert::Tensor& tensor, Code code, int bits) {
  return tensor.writable ? View<>(tensor, code, bits) : View<nb::ro>(tensor, code, bits);
}

}  // namespace

nb::object ArrayOver(const gert::Tensor& tensor) {
  if (tensor.shape.storage.NumElements() < 0) {
    RaiseRuntimeError("the tensor's memory cannot be read: its shape has unknown dims, no memory belongs to it yet");
  }
  const ArrayType* plain = FindArrayType(tensor.dtype);
  if (plain != nullptr && tensor.dtype != ir::DataType::kBf16) return View(tensor, plain->code, plain->bits);
  const int bits = ir::BitWidth(tensor.dtype);
  if (bits >= 8 && tensor.dtype != ir::DataType::kString) {
    static LazyAttr typed("ge.graph._arrays", "typed");
    nb::object array = typed.get()(View(tensor, Code::UInt, bits), Member(tensor.dtype));
    if (!array.is_none()) return array;
  }
  RaiseTypeError(StrCat("a Tensor of data type '", ir::Name(tensor.dtype),
                        "' has no NumPy form; install the package ml_dtypes for bfloat16 and float8"));
}

gert::Tensor TensorOver(nb::handle array, bool writable, std::string_view what) {
  Array view;
  ir::DataType type = ir::DataType::kUndefined;
  if (nb::try_cast<Array>(array, view, true) && view.is_valid()) {
    if (const ArrayType* found = FindArrayType(view.dtype())) type = found->type;
  } else {
    // ml_dtypes: NumPy exports neither a buffer nor DLPack of its types.
    PyErr_Clear();
    static LazyAttr plain("ge.graph._arrays", "as_plain");
    nb::object answer = plain.get()(array);
    if (!answer.is_none() && nb::try_cast<Array>(nb::object(answer[0]), view, true) && view.is_valid())
      ReadDataType(nb::object(answer[1]), &type);
  }
  if (type == ir::DataType::kUndefined) {
    nb::object dtype = nb::getattr(array, "dtype", nb::none());
    RaiseTypeError(StrCat(what, " must be an array of numbers, found ", Shown(array.type()), " of dtype ", Shown(dtype)));
  }
  if (!gert::Shape::Fits(view.ndim())) {
    RaiseValueError(StrCat(what, " has ", view.ndim(), " dims, more than the maximum dimension count ",
                           gert::Shape::kMaxDims));
  }
  gert::Tensor tensor;
  for (size_t i = 0; i < view.ndim(); ++i) tensor.shape.storage.Append(static_cast<int64_t>(view.shape(i)));
  tensor.shape.origin = tensor.shape.storage;
  tensor.dtype = type;
  tensor.writable = writable;
  tensor.allocated = true;
  tensor.size = view.nbytes();
  tensor.addr = const_cast<void*>(view.data());
  tensor.owner = std::shared_ptr<void>(new Array(std::move(view)), ArrayDeleter());
  return tensor;
}

}  // namespace ge::bridge
