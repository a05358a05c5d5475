#include "formats/onnx/value_info.h"

#include "base/strings.h"
#include "formats/onnx/dtype_map.h"
#include "formats/onnx/fields.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

bool ParseShape(std::string_view proto, ValueInfo* out, std::vector<ir::Dim>* dims) {
  Reader reader(proto);
  Field f;
  dims->clear();
  dims->reserve(4);
  while (reader.Next(&f)) {
    if (!f.bytes_of(ShapeField::kDim)) {
      out->plain = false;
      continue;
    }
    ir::Dim dim = ir::kUnknownDim;
    Reader dim_reader(f.bytes);
    Field d;
    while (dim_reader.Next(&d)) {
      if (d.varint_of(DimField::kValue)) {
        dim = d.Int() >= 0 ? d.Int() : ir::kUnknownDim;
        if (d.Int() < 0) out->plain = false;
      } else if (d.bytes_of(DimField::kParam)) {
        // Exporters write "?" for every dim they do not know; such dims are not one size.
        bool named = !d.bytes.empty() && d.bytes != "?";
        dim = named ? ir::SymbolicDim(d.bytes) : ir::kUnknownDim;
        if (!named) out->plain = false;
      } else {
        out->plain = false;
      }
    }
    if (!dim_reader.ok()) return false;
    dims->push_back(dim);
  }
  return reader.ok();
}

bool ParseTensorType(std::string_view proto, ValueInfo* out) {
  Reader reader(proto);
  Field f;
  std::vector<ir::Dim> dims;
  while (reader.Next(&f)) {
    if (f.varint_of(TensorTypeField::kElemType)) {
      out->desc.dtype = FromOnnxType(static_cast<int32_t>(f.value));
      if (out->desc.dtype == ir::DataType::kUndefined) out->plain = false;
    } else if (f.bytes_of(TensorTypeField::kShape)) {
      if (!ParseShape(f.bytes, out, &dims)) return false;
      out->desc.shape = ir::Shape(dims);
    } else {
      out->plain = false;
    }
  }
  return reader.ok();
}

// A sequence is a handle in GE. An optional tensor is known as the tensor.
bool ParseOtherType(const Field& type, ValueInfo* out) {
  if (type.number == TypeField::kSequenceType) {
    out->desc = ir::TensorDesc(ir::Shape(), ir::DataType::kResource);
    return true;
  }
  if (type.number != TypeField::kOptionalType || type.type != wire::WireType::kBytes) return true;
  Reader optional(type.bytes);
  Field element, tensor;
  while (optional.Next(&element)) {
    if (!element.bytes_of(1)) continue;  // elem_type
    Reader inner(element.bytes);
    while (inner.Next(&tensor)) {
      if (tensor.bytes_of(TypeField::kTensorType)) {
        if (!ParseTensorType(tensor.bytes, out)) return false;
      } else if (tensor.number == TypeField::kSequenceType) {
        out->desc = ir::TensorDesc(ir::Shape(), ir::DataType::kResource);
      }
    }
    if (!inner.ok()) return false;
  }
  return optional.ok();
}

void WriteType(wire::Writer& out, const ir::TensorDesc& desc) {
  auto type = out.Begin(ValueInfoField::kType);
  auto tensor = out.Begin(TypeField::kTensorType);
  if (int64_t elem = ToOnnxType(desc.dtype)) out.Int(TensorTypeField::kElemType, elem);
  if (!desc.shape.unknown_rank()) {
    auto shape = out.Begin(TensorTypeField::kShape);
    for (ir::Dim d : desc.shape.dims()) {
      auto dim = out.Begin(ShapeField::kDim);
      if (ir::IsStatic(d)) out.Int(DimField::kValue, d);
      if (ir::IsSymbolic(d)) out.Bytes(DimField::kParam, ir::DimName(d));
      out.End(dim);
    }
    out.End(shape);
  }
  out.End(tensor);
  out.End(type);
}

}  // namespace

Result<ValueInfo> ParseValueInfo(std::string_view proto) {
  ValueInfo out;
  Reader reader(proto);
  Field f;
  bool ok = true;
  while (ok && reader.Next(&f)) {
    if (f.bytes_of(ValueInfoField::kName)) {
      out.name = f.bytes;
    } else if (f.bytes_of(ValueInfoField::kType)) {
      out.has_type = true;
      Reader type(f.bytes);
      Field t;
      while (ok && type.Next(&t)) {
        if (t.bytes_of(TypeField::kTensorType)) {
          ok = ParseTensorType(t.bytes, &out);
        } else {
          out.plain = false;
          ok = ParseOtherType(t, &out);
        }
      }
      ok = ok && type.ok();
    } else {
      out.plain = false;
    }
  }
  if (!ok || !reader.ok()) {
    return Status::Error(StrCat("the type of value '", out.name, "' is malformed ", reader.error()), "E13005");
  }
  return out;
}

void WriteValueInfo(wire::Writer& out, uint32_t field, std::string_view name, const ir::TensorDesc& desc,
                    std::string_view original) {
  auto message = out.Begin(field);
  out.Bytes(ValueInfoField::kName, name);
  bool typed = false;
  if (!original.empty()) {
    auto parsed = ParseValueInfo(original);
    bool same = parsed.ok() && (desc.dtype == ir::DataType::kUndefined ||
                                (parsed.value().desc.dtype == desc.dtype && parsed.value().desc.shape == desc.shape));
    Reader reader(original);
    Field f;
    while (reader.Next(&f)) {
      if (f.number == ValueInfoField::kName) continue;
      if (f.number == ValueInfoField::kType) {
        if (!same) continue;
        typed = true;
      }
      out.Raw(f.raw);
    }
    // A value without any type, and still without one.
    if (same && parsed.ok() && !parsed.value().has_type) typed = true;
  }
  if (!typed) WriteType(out, desc);
  out.End(message);
}

}  // namespace ge::formats::onnx
