#include "formats/onnx/nested_tensors.h"

#include <optional>

#include "base/strings.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

// As deep as bodies may be nested, three messages a level.
constexpr int kMaxDepth = 3 * 64 + 8;

// What the field of a message holds that may have tensors in it.
std::optional<Part> PartOf(Part message, uint32_t field) {
  switch (message) {
    case Part::kGraph:
      if (field == GraphField::kNode) return Part::kNode;
      if (field == GraphField::kInitializer) return Part::kTensor;
      if (field == GraphField::kSparseInitializer) return Part::kSparseTensor;
      break;
    case Part::kNode:
      if (field == NodeField::kAttribute) return Part::kAttribute;
      break;
    case Part::kAttribute:
      if (field == AttrField::kT || field == AttrField::kTensors) return Part::kTensor;
      if (field == AttrField::kG || field == AttrField::kGraphs) return Part::kGraph;
      if (field == AttrField::kSparseTensor || field == AttrField::kSparseTensors) return Part::kSparseTensor;
      break;
    case Part::kSparseTensor:
      if (field == SparseTensorField::kValues || field == SparseTensorField::kIndices) return Part::kTensor;
      break;
    case Part::kFunction:
      if (field == FunctionField::kNode) return Part::kNode;
      if (field == FunctionField::kAttributeDefault) return Part::kAttribute;
      break;
    case Part::kTraining:
      if (field == TrainingField::kInitialization || field == TrainingField::kAlgorithm) return Part::kGraph;
      break;
    case Part::kModel:
      if (field == ModelField::kGraph) return Part::kGraph;
      if (field == ModelField::kFunctions) return Part::kFunction;
      if (field == ModelField::kTraining) return Part::kTraining;
      break;
    case Part::kTensor: break;
  }
  return std::nullopt;
}

bool IsExternal(std::string_view tensor) {
  Reader reader(tensor);
  Field f;
  bool external = false;
  while (reader.Next(&f)) {
    if (f.varint_of(TensorField::kDataLocation)) external = f.value == 1;
  }
  return external;
}

Status Malformed(const Reader& reader) {
  return reader.ok() ? Status::Ok() : Status::Error(StrCat("a nested part is malformed: ", reader.error()), "E13005");
}

Status TooDeep() { return Status::Error("subgraphs are nested more than 64 levels deep", "E13005"); }

std::string_view LocationOf(std::string_view tensor) {
  Reader reader(tensor);
  Field f;
  while (reader.Next(&f)) {
    if (!f.bytes_of(TensorField::kExternalData)) continue;
    Reader entry(f.bytes);
    Field e;
    std::string_view key, value;
    while (entry.Next(&e)) {
      if (e.bytes_of(EntryField::kKey)) key = e.bytes;
      if (e.bytes_of(EntryField::kValue)) value = e.bytes;
    }
    if (key == "location") return value;
  }
  return {};
}

std::string_view FirstLocation(Part part, std::string_view proto, int depth) {
  if (depth > kMaxDepth) return {};
  if (part == Part::kTensor) return IsExternal(proto) ? LocationOf(proto) : std::string_view();
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    std::optional<Part> inner = PartOf(part, f.number);
    if (!inner || f.type != wire::WireType::kBytes) continue;
    std::string_view found = FirstLocation(*inner, f.bytes, depth + 1);
    if (!found.empty()) return found;
  }
  return {};
}

class Opener {
 public:
  Opener(const std::shared_ptr<const MappedFile>& file, ExternalFiles* files, bool* found)
      : file_(file), files_(files), found_(found) {}

  Status Visit(Part part, std::string_view proto, int depth) {
    if (depth > kMaxDepth) return TooDeep();
    if (part == Part::kTensor) {
      if (!IsExternal(proto)) return Status::Ok();
      *found_ = true;
      return DecodeTensor(proto, file_, files_).status();
    }
    Reader reader(proto);
    Field f;
    while (reader.Next(&f)) {
      std::optional<Part> inner = PartOf(part, f.number);
      if (inner && f.type == wire::WireType::kBytes) GE_RETURN_IF_ERROR(Visit(*inner, f.bytes, depth + 1));
    }
    return Malformed(reader);
  }

 private:
  const std::shared_ptr<const MappedFile>& file_;
  ExternalFiles* files_;
  bool* found_;
};

class Copier {
 public:
  Copier(const std::shared_ptr<const MappedFile>& file, ExternalFiles* files, ExternalSink* sink, wire::Writer* out)
      : file_(file), files_(files), sink_(sink), out_(*out) {}

  Status Copy(Part part, std::string_view proto, int depth) {
    if (depth > kMaxDepth) return TooDeep();
    Reader reader(proto);
    Field f;
    while (reader.Next(&f)) {
      std::optional<Part> inner = PartOf(part, f.number);
      if (!inner || f.type != wire::WireType::kBytes || (*inner == Part::kTensor && !IsExternal(f.bytes))) {
        out_.Raw(f.raw);
      } else if (*inner == Part::kTensor) {
        GE_RETURN_IF_ERROR(CopyTensor(f.number, f.bytes));
      } else {
        auto mark = out_.Begin(f.number, f.bytes.size());
        GE_RETURN_IF_ERROR(Copy(*inner, f.bytes, depth + 1));
        out_.End(mark);
      }
    }
    return Malformed(reader);
  }

 private:
  Status CopyTensor(uint32_t field, std::string_view proto) {
    GE_ASSIGN_OR_RETURN(DecodedTensor decoded, DecodeTensor(proto, file_, files_));
    EncodeOptions options;
    options.name = decoded.name;
    options.foreign_type = decoded.foreign_type;
    options.other_fields = decoded.other_fields;
    options.external = sink_;
    EncodeTensor(out_, field, *decoded.tensor, options);
    return Status::Ok();
  }

  const std::shared_ptr<const MappedFile>& file_;
  ExternalFiles* files_;
  ExternalSink* sink_;
  wire::Writer& out_;
};

}  // namespace

Status OpenNestedData(Part part, std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                      ExternalFiles* files, bool* found) {
  return Opener(file, files, found).Visit(part, proto, 0);
}

std::string_view FirstDataFile(std::string_view model) { return FirstLocation(Part::kModel, model, 0); }

Status CopyNested(Part part, std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                  ExternalFiles* files, ExternalSink* sink, wire::Writer* out) {
  return Copier(file, files, sink, out).Copy(part, proto, 0);
}

}  // namespace ge::formats::onnx
