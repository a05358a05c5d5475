#include "abi3_bridge/native/tensor_array.h"

#include <nanobind/ndarray.h>

#include "abi3_bridge/native/array_types.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/small_float.h"
#include "abi3_bridge/native/tensor_elements.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

using ir::DataType;
using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Code = nb::dlpack::dtype_code;

// The tensor as the owner of what lies over its memory.
nb::capsule Owner(const ir::TensorPtr& tensor) {
  return nb::capsule(new ir::TensorPtr(tensor), [](void* p) noexcept { delete static_cast<ir::TensorPtr*>(p); });
}

std::vector<size_t> Sizes(const ir::Tensor& t) {
  ElementsOrRaise(t);
  return {t.desc.shape.dims().begin(), t.desc.shape.dims().end()};
}

// An array over the tensor's memory, read as `code` and `bits`.
template <typename... Framework>
nb::object View(const ir::TensorPtr& tensor, Code code, int bits) {
  // An array of no elements wants an address all the same.
  static const uint64_t nothing = 0;
  std::vector<size_t> sizes = Sizes(*tensor);
  const void* data = tensor->data.size() == 0 ? static_cast<const void*>(&nothing) : tensor->data.data();
  nb::capsule owner = Owner(tensor);
  nb::ndarray<nb::ro, Framework...> view(data, sizes.size(), sizes.data(), owner, nullptr,
                                         {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1},
                                         nb::device::cpu::value);
  return nb::cast(view);
}

// Types whose elements no array has: unpacked, one by one, into integers or floats.
nb::object Unpacked(const ir::Tensor& t) {
  std::vector<size_t> sizes = Sizes(t);
  auto plain = std::make_shared<ir::Tensor>();
  auto n = static_cast<size_t>(t.desc.shape.NumElements());
  Code code = Code::Float;
  int bits = 32;
  std::vector<uint8_t> bytes;
  if (const SmallFloat* small = SmallFloatOf(t.desc.dtype)) {
    bytes.resize(n * sizeof(float));
    for (size_t i = 0; i < n; ++i) {
      auto value = static_cast<float>(DecodeSmallFloat(*small, ElementBits(t, i)));
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    plain->desc = ir::TensorDesc(t.desc.shape, DataType::kFloat);
  } else {
    int width = ir::BitWidth(t.desc.dtype);
    bool is_signed = t.desc.dtype == DataType::kInt4 || t.desc.dtype == DataType::kInt2;
    code = is_signed ? Code::Int : Code::UInt;
    bits = 8;
    bytes.resize(n);
    for (size_t i = 0; i < n; ++i) {
      uint32_t element = ElementBits(t, i);
      if (is_signed && (element >> (width - 1)) != 0) element -= 1u << width;
      bytes[i] = static_cast<uint8_t>(element);
    }
    plain->desc = ir::TensorDesc(t.desc.shape, is_signed ? DataType::kInt8 : DataType::kUint8);
  }
  plain->data = ir::Buffer::Of(std::move(bytes));
  return View<nb::numpy>(plain, code, bits);
}

struct ArrayDeleter {
  void operator()(const void* p) const {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    delete static_cast<const Array*>(p);
  }
};

}  // namespace

ir::TensorPtr OwnValue(const ir::TensorPtr& tensor) {
  if (std::get_deleter<ArrayDeleter>(tensor->data.owner()) == nullptr) return tensor;
  auto copy = std::make_shared<ir::Tensor>(*tensor);
  std::span<const uint8_t> bytes = tensor->data.bytes();
  copy->data = ir::Buffer::Of(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  return copy;
}

bool IsArray(nb::handle h) {
  return nb::ndarray_check(h) && !PyBytes_Check(h.ptr()) && !PyByteArray_Check(h.ptr());
}

bool TensorOfArray(nb::handle array, ir::Tensor* out) {
  nb::object source = nb::borrow(array);
  DataType type = DataType::kUndefined;
  // ml_dtypes: NumPy exports neither a buffer nor DLPack of its types.
  static LazyAttr plain("ge.graph._arrays", "as_plain");
  nb::object answer = plain.get()(source);
  if (!answer.is_none()) {
    source = answer[0];
    if (!ReadDataType(nb::object(answer[1]), &type)) return false;
  }
  Array view;
  if (!nb::try_cast<Array>(source, view, true) || !view.is_valid()) return false;
  if (type == DataType::kUndefined) {
    const ArrayType* found = FindArrayType(view.dtype());
    if (found == nullptr) return false;
    type = found->type;
  }
  std::vector<int64_t> dims(view.shape_ptr(), view.shape_ptr() + view.ndim());
  out->desc = ir::TensorDesc(ir::Shape(dims), type);
  size_t size = view.nbytes();
  const auto* data = static_cast<const uint8_t*>(view.data());
  if (size == 0) return true;
  // Tensors may go away without the GIL, and after the interpreter.
  std::shared_ptr<const void> owner(new Array(std::move(view)), ArrayDeleter());
  out->data = ir::Buffer(std::move(owner), data, size);
  return true;
}

nb::object NumpyOf(const ir::TensorPtr& tensor) {
  DataType type = tensor->desc.dtype;
  if (type == DataType::kString) {
    return nb::module_::import_("numpy").attr("array")(NestedElements(*tensor), "dtype"_a = "object");
  }
  const ArrayType* plain = FindArrayType(type);
  if (plain != nullptr && type != DataType::kBf16) return View<nb::numpy>(tensor, plain->code, plain->bits);
  int bits = ir::BitWidth(type);
  if (SmallFloatOf(type) == nullptr && type != DataType::kInt4 && type != DataType::kInt2 && type != DataType::kUint2 &&
      type != DataType::kUint1) {
    RaiseTypeError(StrCat("a Tensor of data type '", ir::Name(type), "' has no NumPy form"));
  }
  if (bits >= 8) {
    static LazyAttr typed("ge.graph._arrays", "typed");
    nb::object array = typed.get()(View<nb::numpy>(tensor, Code::UInt, bits), Member(type));
    if (!array.is_none()) return array;
  }
  return Unpacked(*tensor);
}

nb::object DlpackOf(const ir::TensorPtr& tensor) {
  const ArrayType* plain = FindArrayType(tensor->desc.dtype);
  if (plain == nullptr) {
    RaiseTypeError(StrCat("a Tensor of data type '", ir::Name(tensor->desc.dtype),
                          "' has no DLPack form; take numpy.asarray(tensor)"));
  }
  return View<nb::array_api>(tensor, plain->code, plain->bits);
}

}  // namespace ge::bridge
