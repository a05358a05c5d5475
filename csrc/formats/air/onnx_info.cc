#include "formats/air/onnx_info.h"

#include "base/strings.h"
#include "formats/air/malformed.h"
#include "formats/onnx/fields.h"
#include "formats/wire/reader.h"
#include "formats/wire/writer.h"

namespace ge::formats::air {

using wire::Field;
using wire::Reader;
using OnnxModelField = onnx::ModelField;
using OnnxGraphField = onnx::GraphField;

std::string PackOnnxInfo(const onnx::ModelInfo& info) {
  wire::Writer out;
  out.Int(OnnxModelField::kIrVersion, info.ir_version);
  for (std::string_view field : info.model_fields) out.Raw(field);
  auto graph = out.Begin(OnnxModelField::kGraph);
  for (std::string_view field : info.graph_fields) out.Raw(field);
  for (std::string_view annotation : info.quantization_annotations) {
    out.Bytes(OnnxGraphField::kQuantizationAnnotation, annotation);
  }
  out.End(graph);
  for (const onnx::OpsetImport& opset : info.opsets) {
    auto mark = out.Begin(OnnxModelField::kOpsetImport);
    out.Bytes(onnx::OpsetField::kDomain, opset.domain);
    out.Int(onnx::OpsetField::kVersion, opset.version);
    out.End(mark);
  }
  std::string bytes;
  for (const wire::Writer::Piece& piece : out.Pieces())
    bytes.append(reinterpret_cast<const char*>(piece.data), piece.size);
  return bytes;
}

Status UnpackOnnxInfo(OnnxAirInfo* info) {
  Reader reader(info->packed);
  Field f, inner;
  while (reader.Next(&f)) {
    if (f.varint_of(OnnxModelField::kIrVersion)) {
      info->ir_version = f.Int();
    } else if (f.bytes_of(OnnxModelField::kGraph)) {
      Reader graph(f.bytes);
      while (graph.Next(&inner)) {
        if (inner.bytes_of(OnnxGraphField::kQuantizationAnnotation)) {
          info->quantization_annotations.push_back(inner.bytes);
        } else {
          info->graph_fields.push_back(inner.raw);
        }
      }
      if (!graph.ok()) return Malformed("what the ONNX graph had", graph);
    } else if (f.bytes_of(OnnxModelField::kOpsetImport)) {
      onnx::OpsetImport opset;
      Reader import(f.bytes);
      while (import.Next(&inner)) {
        if (inner.bytes_of(onnx::OpsetField::kDomain)) opset.domain = inner.bytes;
        if (inner.varint_of(onnx::OpsetField::kVersion)) opset.version = inner.Int();
      }
      if (!import.ok()) return Malformed("an ONNX operator set", import);
      info->opsets.push_back(std::move(opset));
    } else {
      info->model_fields.push_back(f.raw);
    }
  }
  return reader.ok() ? Status::Ok() : Malformed("what the ONNX model had", reader);
}

}  // namespace ge::formats::air
