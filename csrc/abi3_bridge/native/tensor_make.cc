#include "abi3_bridge/native/tensor_make.h"

#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/tensor_array.h"
#include "abi3_bridge/native/tensor_elements.h"
#include "base/mapped_file.h"

namespace ge::bridge {
namespace {

using ir::DataType;

// Smaller files are read, so that a short-lived file costs no mapping.
constexpr size_t kMapFrom = 64 * 1024;

int64_t CountOrRaise(const ir::Shape& shape) {
  int64_t elements = shape.NumElements();
  if (elements < 0) RaiseNotCreated(StrCat("expected a shape of known sizes, found '", shape.ToString(), "'"));
  return elements;
}

[[noreturn]] void RaiseCount(int64_t expected, const ir::Shape& shape, size_t found) {
  RaiseNotCreated(StrCat("expected ", expected, " elements for shape '", shape.ToString(), "', found ", found,
                         "; give as many elements as the shape has"));
}

// Lists nest as the shape does, or are flat. Without a shape it follows the nesting; a flat list of one is a scalar.
void FromList(nb::handle list, bool has_shape, ir::Tensor* tensor) {
  NestedList nested = ReadNested(list);
  if (has_shape) {
    int64_t expected = CountOrRaise(tensor->desc.shape);
    if (static_cast<size_t>(expected) != nested.leaves.size()) {
      RaiseCount(expected, tensor->desc.shape, nested.leaves.size());
    }
  } else if (nested.shape.size() > 1 || nested.leaves.size() != 1) {
    tensor->desc.shape = ir::Shape(nested.shape);
  }
  FillElements(nested.leaves, tensor);
}

void FromArray(nb::handle array, bool has_type, bool has_shape, ir::Tensor* tensor) {
  ir::TensorDesc wanted = tensor->desc;
  nb::object source = nb::borrow(array);
  if (!TensorOfArray(source, tensor)) {
    RaiseNotCreated(StrCat("expected an array in the host's memory whose elements are numbers or bools, found '",
                           Shown(array.type()), "'; convert it first"));
  }
  if (has_type && tensor->desc.dtype != wanted.dtype) {
    static LazyAttr convert("ge.graph._arrays", "converted");
    nb::object plain = convert.get()(source, Member(wanted.dtype));
    if (IsList(plain)) {
      ir::Shape shape = tensor->desc.shape;
      tensor->desc.dtype = wanted.dtype;
      FillElements(ReadNested(plain).leaves, tensor);
      tensor->desc.shape = std::move(shape);
    } else if (!TensorOfArray(plain, tensor)) {
      RaiseNotCreated(StrCat("elements of '", Shown(array.type()), "' do not convert to '", ir::Name(wanted.dtype), "'"));
    }
  }
  int64_t found = tensor->desc.shape.NumElements();
  if (has_shape) {
    int64_t expected = CountOrRaise(wanted.shape);
    if (expected != found) RaiseCount(expected, wanted.shape, static_cast<size_t>(found));
    tensor->desc.shape = wanted.shape;
  }
  tensor->desc.format = tensor->desc.origin_format = wanted.format;
}

void FromFile(nb::handle file_path, ir::Tensor* tensor) {
  if (!IsText(file_path)) RaiseTypeError("file_path must be a string");
  std::string path(Text(file_path));
  int64_t elements = CountOrRaise(tensor->desc.shape);
  if (ir::BitWidth(tensor->desc.dtype) == 0) {
    RaiseNotCreated(StrCat("data type '", ir::Name(tensor->desc.dtype), "' has no fixed size in a file"));
  }
  auto size = static_cast<size_t>(ir::ByteSize(tensor->desc.dtype, elements));
  auto file = MappedFile::Open(path);
  if (!file.ok()) RaiseNotCreated(StrCat("file '", path, "' cannot be read: ", file.status().message()));
  std::shared_ptr<const MappedFile> mapped = std::move(file).value();
  if (mapped->size() == 0 || mapped->size() < size) {
    RaiseNotCreated(StrCat("expected ", size, " bytes in file '", path, "', found ", mapped->size()));
  }
  tensor->data = size < kMapFrom ? ir::Buffer::Of({mapped->data(), mapped->data() + size})
                                 : ir::Buffer::Mapped(std::move(mapped), 0, size);
}

bool Given(nb::handle h) { return !IsAbsent(h) && !h.is_none(); }

}  // namespace

void InitTensor(PyTensor* self, nb::handle data, nb::handle file_path, nb::handle data_type, nb::handle format,
                nb::handle shape, nb::handle placement) {
  ir::Shape dims = ShapeOrRaise(shape, "Shape must be a list of integers");
  int place = kHostPlacement;
  if (Given(placement) && !ReadPlacement(placement, &place)) RaiseTypeError("Placement must be a Placement");
  if (!data.is_none() && !file_path.is_none()) {
    RaiseRuntimeError("Tensor should be created either by data or by file");
  }
  bool list = IsList(data);
  if (!data.is_none() && !list && !IsArray(data)) {
    RaiseTypeError(StrCat("data should be List, or an array; found '", Shown(data.type()), "'"));
  }
  DataType type = DataType::kFloat;
  ir::Format layout = ir::Format::kND;
  if (Given(data_type) && !ReadDataType(data_type, &type)) RaiseTypeError("Data_type must be a DataType");
  if (Given(format) && !ReadFormat(format, &layout)) RaiseTypeError("Format must be a Format");
  if (list && type == DataType::kDouble) {
    RaiseRuntimeError("DT_DOUBLE is not supported in python Tensor constructor with a list; give an array");
  }
  auto tensor = std::make_shared<ir::Tensor>();
  tensor->desc = ir::TensorDesc(std::move(dims), type, layout);
  if (list) {
    FromList(data, !shape.is_none(), tensor.get());
  } else if (!data.is_none()) {
    FromArray(data, Given(data_type), !shape.is_none(), tensor.get());
  } else if (!file_path.is_none()) {
    FromFile(file_path, tensor.get());
  }
  if (place != kHostPlacement) RaiseNoDevice();
  new (self) PyTensor{std::move(tensor), kHostPlacement, {}};
}

}  // namespace ge::bridge
