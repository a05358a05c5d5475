// Attribute arguments of operator functions.
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_operator.h"
#include "abi3_bridge/native/tensor.h"
#include "base/bits.h"
#include "custom_op/precise_float.h"
#include "custom_op/prototype.h"

namespace ge::bridge {
namespace {

using ops::AttrType;

[[noreturn]] void RaiseAttr(const Operator& op, const ops::AttrDef& def, const char* expected, nb::handle found) {
  RaiseTypeError(StrCat("attribute '", def.name.view(), "' of operator '", op.type(), "' must be ", expected, ", found '",
                        Shown(found), "'"));
}

template <typename T, typename Fn>
std::vector<T> ListAttr(const Operator& op, const ops::AttrDef& def, const char* expected, nb::handle value, Fn read) {
  bool is_list = IsList(value);
  if (!is_list && !PyTuple_Check(value.ptr())) RaiseAttr(op, def, expected, value);
  Py_ssize_t n = is_list ? PyList_Size(value.ptr()) : PyTuple_Size(value.ptr());
  std::vector<T> out;
  out.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    nb::handle item = is_list ? PyList_GetItem(value.ptr(), i) : PyTuple_GetItem(value.ptr(), i);
    T element{};
    if (!read(item, &element)) RaiseAttr(op, def, expected, value);
    out.push_back(std::move(element));
  }
  return out;
}

bool ReadInt(nb::handle h, int64_t* out) {
  if (!IsInt(h)) return false;
  *out = WrappedInt(h);
  return true;
}
bool ReadFloat(nb::handle h, float* out) {
  if (!IsFloat(h) && !IsInt(h)) return false;
  double v = PyFloat_AsDouble(h.ptr());
  if (v == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  *out = static_cast<float>(v);
  return true;
}
bool ReadBool(nb::handle h, bool* out) {
  if (!IsInt(h)) return false;
  *out = PyObject_IsTrue(h.ptr()) == 1;
  return true;
}
bool ReadText(nb::handle h, std::string* out) {
  if (!IsText(h)) return false;
  *out = std::string(Text(h));
  return true;
}

ir::AttrValue ReadAttr(const Operator& op, const ops::AttrDef& def, nb::handle value) {
  switch (def.type) {
    case AttrType::kInt: {
      int64_t v;
      if (!ReadInt(value, &v)) RaiseAttr(op, def, "an int", value);
      return v;
    }
    case AttrType::kFloat: {
      float v;
      if (!ReadFloat(value, &v)) RaiseAttr(op, def, "a float", value);
      return v;
    }
    case AttrType::kBool: {
      bool v;
      if (!ReadBool(value, &v)) RaiseAttr(op, def, "a bool", value);
      return v;
    }
    case AttrType::kString: {
      std::string v;
      if (!ReadText(value, &v)) RaiseAttr(op, def, "a str", value);
      return v;
    }
    case AttrType::kType: {
      ir::DataType v;
      if (!ReadDataType(value, &v)) RaiseAttr(op, def, "a ge.graph.DataType", value);
      return v;
    }
    case AttrType::kTensor: {
      PyTensor* tensor = As<PyTensor>(value);
      if (tensor == nullptr) RaiseAttr(op, def, "a ge.graph.Tensor", value);
      return tensor->tensor;
    }
    case AttrType::kListInt: return ListAttr<int64_t>(op, def, "a list of int", value, ReadInt);
    case AttrType::kListFloat: return ListAttr<float>(op, def, "a list of float", value, ReadFloat);
    case AttrType::kListBool: return ListAttr<bool>(op, def, "a list of bool", value, ReadBool);
    case AttrType::kListString: return ListAttr<std::string>(op, def, "a list of str", value, ReadText);
    case AttrType::kListType: return ListAttr<ir::DataType>(op, def, "a list of ge.graph.DataType", value, ReadDataType);
    case AttrType::kListListInt:
      return ListAttr<std::vector<int64_t>>(op, def, "a list of lists of int", value, ReadInts);
  }
  RaiseAttr(op, def, "of a known kind", value);
}

// What ge.graph.Tensor() makes.
const ir::TensorPtr& EmptyTensor() {
  static const auto* empty = new ir::TensorPtr([] {
    auto tensor = std::make_shared<ir::Tensor>();
    tensor->desc = ir::TensorDesc({}, ir::DataType::kFloat);
    return tensor;
  }());
  return *empty;
}

int64_t DoubleBits(nb::handle number) { return BitCast<int64_t>(PyFloat_AsDouble(number.ptr())); }

// A Python prototype says `float`, which has 64 bits; the IR keeps 32 of them.
void KeepDoubles(const Operator& op, const ops::AttrDef& def, ir::Node* node, nb::handle value) {
  if (op.def->es_group() != custom_op::kOpGroup) return;
  if (def.type == AttrType::kFloat) {
    node->graph()->SetAttr(node, custom_op::PreciseName(def.name), DoubleBits(value));
  } else if (def.type == AttrType::kListFloat) {
    std::vector<int64_t> bits;
    for (nb::handle item : value) bits.push_back(DoubleBits(item));
    node->graph()->SetAttr(node, custom_op::PreciseName(def.name), std::move(bits));
  }
}

}  // namespace

std::vector<nb::handle> SetOperatorAttrs(const Operator& op, ir::Node* node, nb::handle values) {
  std::vector<nb::handle> tensors;
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const ops::AttrDef& def = *op.attrs[i];
    nb::handle value = PyTuple_GetItem(values.ptr(), static_cast<Py_ssize_t>(i));
    if (!value.is_valid()) nb::raise_python_error();
    if (def.type == AttrType::kTensor) {
      // None stands for the default, which belongs to nobody.
      if (value.is_none() && !def.required) {
        node->graph()->SetAttr(node, def.name, EmptyTensor());
        continue;
      }
      tensors.push_back(value);
    }
    ir::AttrValue v = ReadAttr(op, def, value);
    if (!def.required && def.type != AttrType::kTensor && ir::Equal(v, def.default_value)) continue;
    node->graph()->SetAttr(node, def.name, std::move(v));
    KeepDoubles(op, def, node, value);
  }
  return tensors;
}

}  // namespace ge::bridge
