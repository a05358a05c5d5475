#include "abi3_bridge/native/tensor_elements.h"

#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/small_float.h"
#include "base/mapped_guard.h"

namespace ge::bridge {
namespace {

using ir::DataType;

double NumberOrRaise(nb::handle h) {
  double v = PyFloat_AsDouble(h.ptr());
  if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  return v;
}

// int(x) for whatever Python object x is, wrapped to 64 bits.
int64_t WholeOrRaise(nb::handle h) {
  if (IsInt(h)) return WrappedInt(h);
  nb::object whole = nb::steal(PyNumber_Long(h.ptr()));
  if (!whole.is_valid()) nb::raise_python_error();
  return WrappedInt(whole);
}

bool IsInteger(DataType t) {
  switch (t) {
    case DataType::kInt8: case DataType::kInt16: case DataType::kInt32: case DataType::kInt64: case DataType::kUint8:
    case DataType::kUint16: case DataType::kUint32: case DataType::kUint64: case DataType::kQint8:
    case DataType::kQint16: case DataType::kQint32: case DataType::kQuint8: case DataType::kQuint16:
    case DataType::kInt4: case DataType::kInt2: case DataType::kUint2: case DataType::kUint1:
      return true;
    default:
      return false;
  }
}

bool IsSigned(DataType t) {
  switch (t) {
    case DataType::kInt8: case DataType::kInt16: case DataType::kInt32: case DataType::kQint8: case DataType::kQint16:
    case DataType::kQint32: case DataType::kInt4: case DataType::kInt2:
      return true;
    default:
      return false;
  }
}

// Writes elements of any width, the first one into the low bits of a byte.
class Packer {
 public:
  Packer(int bits, size_t count) : bits_(static_cast<size_t>(bits)), bytes_((count * bits_ + 7) / 8) {}
  void Push(uint64_t value) {
    size_t byte = at_ / 8;
    if (bits_ >= 8) {
      for (size_t i = 0; i < bits_ / 8; ++i) bytes_[byte + i] = static_cast<uint8_t>(value >> (8 * i));
    } else {
      // Types of 6 bits may lie across two bytes.
      uint32_t shifted = static_cast<uint32_t>(value & ((1u << bits_) - 1)) << (at_ % 8);
      bytes_[byte] |= static_cast<uint8_t>(shifted);
      if (shifted >> 8 != 0) bytes_[byte + 1] |= static_cast<uint8_t>(shifted >> 8);
    }
    at_ += bits_;
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  size_t bits_;
  size_t at_ = 0;
  std::vector<uint8_t> bytes_;
};

template <typename T>
uint64_t Bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

void FillStrings(const std::vector<nb::object>& values, ir::Tensor* tensor) {
  for (nb::handle h : values) {
    if (!IsText(h)) RaiseNotCreated(StrCat("expected texts for data type 'DT_STRING', found '", Shown(h), "'"));
    tensor->strings.emplace_back(Text(h));
  }
}

void PushComplex(nb::handle h, DataType type, Packer* out) {
  double parts[2] = {0, 0};
  if (PyComplex_Check(h.ptr())) {
    parts[0] = PyComplex_RealAsDouble(h.ptr());
    parts[1] = PyComplex_ImagAsDouble(h.ptr());
  } else {
    parts[0] = NumberOrRaise(h);
  }
  for (double part : parts) {
    if (type == DataType::kComplex128) {
      out->Push(Bits(part));
    } else if (type == DataType::kComplex64) {
      out->Push(Bits(static_cast<float>(part)));
    } else {
      out->Push(EncodeSmallFloat(*SmallFloatOf(DataType::kFloat16), part));
    }
  }
}

nb::object Number(double value) {
  PyObject* made = PyFloat_FromDouble(value);
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

nb::object Integer(const ir::Tensor& t, size_t i) {
  int bits = ir::BitWidth(t.desc.dtype);
  if (bits == 64) {
    return t.desc.dtype == DataType::kUint64 ? nb::object(nb::int_(t.At<uint64_t>(i)))
                                             : nb::object(nb::int_(t.At<int64_t>(i)));
  }
  int64_t value = ElementBits(t, i);
  if (IsSigned(t.desc.dtype) && (value >> (bits - 1)) & 1) value -= int64_t{1} << bits;
  return nb::int_(value);
}

nb::object Complex(double real, double imag) {
  PyObject* made = PyComplex_FromDoubles(real, imag);
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

nb::object Element(const ir::Tensor& t, size_t i) {
  DataType type = t.desc.dtype;
  if (IsInteger(type)) return Integer(t, i);
  if (const SmallFloat* small = SmallFloatOf(type)) return Number(DecodeSmallFloat(*small, ElementBits(t, i)));
  switch (type) {
    case DataType::kFloat: return Number(ShortDouble(t.At<float>(i)));
    case DataType::kDouble: return Number(t.At<double>(i));
    case DataType::kBool: return nb::bool_(t.At<uint8_t>(i) != 0);
    case DataType::kString: return NewText(t.strings[i]);
    case DataType::kComplex128: return Complex(t.At<double>(2 * i), t.At<double>(2 * i + 1));
    case DataType::kComplex64: return Complex(ShortDouble(t.At<float>(2 * i)), ShortDouble(t.At<float>(2 * i + 1)));
    case DataType::kComplex32: {
      const SmallFloat& half = *SmallFloatOf(DataType::kFloat16);
      return Complex(DecodeSmallFloat(half, t.At<uint16_t>(2 * i)), DecodeSmallFloat(half, t.At<uint16_t>(2 * i + 1)));
    }
    default:
      RaiseRuntimeError(StrCat("Failed to get Tensor data: elements of data type '", ir::Name(type),
                               "' have no Python form"));
  }
}

nb::object Nested(const ir::Tensor& t, size_t dim, size_t* next) {
  if (dim == t.desc.shape.rank()) return Element(t, (*next)++);
  Py_ssize_t n = t.desc.shape[dim];
  nb::object out = nb::steal(PyList_New(n));
  if (!out.is_valid()) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < n; ++i) PyList_SetItem(out.ptr(), i, Nested(t, dim + 1, next).release().ptr());
  return out;
}

constexpr const char* kIrregular = "expected lists of equal length at every level, found an irregular nesting";

void Flatten(nb::handle value, size_t depth, NestedList* out) {
  if (!IsList(value)) {
    if (depth != out->shape.size()) RaiseNotCreated(kIrregular);
    out->leaves.push_back(nb::borrow(value));
    return;
  }
  constexpr size_t kDeepest = 64;
  if (depth == kDeepest) RaiseNotCreated("expected at most 64 levels of lists");
  Py_ssize_t n = PyList_Size(value.ptr());
  if (depth == out->shape.size()) {
    if (!out->leaves.empty()) RaiseNotCreated(kIrregular);
    out->shape.push_back(n);
  } else if (out->shape[depth] != n) {
    RaiseNotCreated(kIrregular);
  }
  for (Py_ssize_t i = 0; i < n; ++i) Flatten(PyList_GetItem(value.ptr(), i), depth + 1, out);
}

}  // namespace

void RaiseNotCreated(std::string_view why) { RaiseRuntimeError(StrCat("Failed to create Tensor: ", why)); }

NestedList ReadNested(nb::handle list) {
  NestedList out;
  out.leaves.reserve(static_cast<size_t>(PyList_Size(list.ptr())));
  Flatten(list, 0, &out);
  return out;
}

void FillElements(const std::vector<nb::object>& values, ir::Tensor* tensor) {
  DataType type = tensor->desc.dtype;
  if (type == DataType::kString) return FillStrings(values, tensor);
  const SmallFloat* small = SmallFloatOf(type);
  bool complex = type == DataType::kComplex64 || type == DataType::kComplex128 || type == DataType::kComplex32;
  bool integer = IsInteger(type);
  if (!integer && small == nullptr && !complex && type != DataType::kFloat && type != DataType::kDouble &&
      type != DataType::kBool) {
    RaiseNotCreated(StrCat("data type '", ir::Name(type), "' cannot be made from Python values"));
  }
  Packer out(complex ? ir::BitWidth(type) / 2 : ir::BitWidth(type), complex ? values.size() * 2 : values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    nb::handle h = values[i];
    if (integer) {
      out.Push(static_cast<uint64_t>(WholeOrRaise(h)));
    } else if (small != nullptr) {
      out.Push(EncodeSmallFloat(*small, NumberOrRaise(h)));
    } else if (complex) {
      PushComplex(h, type, &out);
    } else if (type == DataType::kFloat) {
      out.Push(Bits(static_cast<float>(NumberOrRaise(h))));
    } else if (type == DataType::kDouble) {
      out.Push(Bits(NumberOrRaise(h)));
    } else {
      if (!IsBool(h)) {
        RaiseNotCreated(StrCat("expected bool elements for data type 'DT_BOOL', found '", Shown(h),
                               "'; give True and False only"));
      }
      out.Push(h.ptr() == Py_True);
    }
  }
  tensor->data = ir::Buffer::Of(out.Take());
}

size_t ElementsOrRaise(const ir::Tensor& t) {
  if (!MappingIntact(t.data.data())) {
    RaiseRuntimeError("the Tensor lies in a file that was changed after it was read from there; load the model again");
  }
  int64_t elements = t.desc.shape.NumElements();
  bool fills = elements >= 0;
  if (t.desc.dtype == DataType::kString) {
    fills = fills && elements == static_cast<int64_t>(t.strings.size());
  } else {
    fills = fills && static_cast<int64_t>(t.data.size()) >= ir::ByteSize(t.desc.dtype, elements);
  }
  if (!fills) {
    RaiseRuntimeError(StrCat("Failed to get Tensor data: ", t.data.size(), " bytes do not fill shape '",
                             t.desc.shape.ToString(), "' of data type '", ir::Name(t.desc.dtype), "'"));
  }
  return static_cast<size_t>(elements);
}

nb::object NestedElements(const ir::Tensor& t) {
  // A Tensor() without a value.
  if (t.data.size() == 0 && t.strings.empty() && t.desc.shape.NumElements() != 0) return nb::list();
  ElementsOrRaise(t);
  size_t next = 0;
  return Nested(t, 0, &next);
}

uint32_t ElementBits(const ir::Tensor& t, size_t i) {
  switch (int bits = ir::BitWidth(t.desc.dtype)) {
    case 32: return t.At<uint32_t>(i);
    case 16: return t.At<uint16_t>(i);
    case 8: return t.At<uint8_t>(i);
    default: {
      size_t at = i * static_cast<size_t>(bits);
      uint32_t two = t.data.data()[at / 8];
      if (at / 8 + 1 < t.data.size()) two |= static_cast<uint32_t>(t.data.data()[at / 8 + 1]) << 8;
      return (two >> (at % 8)) & ((1u << bits) - 1);
    }
  }
}

}  // namespace ge::bridge
