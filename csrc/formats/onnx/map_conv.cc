// Convolutions.
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

using IntList = std::vector<int64_t>;

std::vector<AttrRule> ConvRules(size_t spatial) {
  return {{"dilations", "dilations", AttrForm::kSpatial, IntList(spatial + 2, 1)},
          {"group", "groups", AttrForm::kInt, int64_t{1}},
          {"pads", "pads", AttrForm::kPads, IntList(spatial * 2, 0)},
          {"strides", "strides", AttrForm::kSpatial, IntList(spatial + 2, 1)}};
}

std::vector<AttrRule> TransposeRules(size_t spatial) {
  std::vector<AttrRule> rules = ConvRules(spatial);
  rules.push_back({"output_padding", "output_padding", AttrForm::kSpatialZeros, IntList(spatial + 2, 0)});
  return rules;
}

// 2-D and 3-D forms; set once when the table is built.
const OpRow* conv_rows[2];

// Number of spatial dims; 0 if nothing tells it.
size_t SpatialRank(NodeImporter& n) {
  if (const AttrView* kernel = n.view().Find("kernel_shape")) {
    IntList dims;
    if (kernel->kind == AttrKind::kInts && kernel->Ints(&dims)) return dims.size();
  }
  const ir::TensorDesc* weights = n.Desc(1);
  if (weights == nullptr || weights->shape.unknown_rank() || weights->shape.rank() < 2) return 0;
  return weights->shape.rank() - 2;
}

bool ImportConv(NodeImporter& n) {
  size_t spatial = SpatialRank(n);
  return (spatial == 2 || spatial == 3) && n.ImportRow(*conv_rows[spatial - 2]);
}

bool ImportConvTranspose(NodeImporter& n) {
  size_t spatial = SpatialRank(n);
  if ((spatial != 2 && spatial != 3) || !n.Arity(2, 3)) return false;
  const char* type = spatial == 2 ? "Conv2DTranspose" : "Conv3DTranspose";
  if (!n.Rules(type, TransposeRules(spatial))) return false;
  n.Set("data_format", std::string(spatial == 2 ? "NCHW" : "NCDHW"));
  if (!n.Rest()) return false;
  IntList zeros(spatial + 2, 0);
  ir::Anchor size = n.Const(
      ir::MakeTensor<int64_t>(ir::DataType::kInt64, {static_cast<ir::Dim>(zeros.size())}, zeros), "input_size");
  n.Create(type, 5, 1);
  n.Connect(0, size);
  for (uint32_t i = 0; i < 3; ++i) n.Connect(i + 1, size_t{i});
  return true;
}

template <int kSpatial>
Status ExportConvTranspose(NodeExporter& n) {
  if (!n.has(1) || !n.has(2)) return n.Fail("it needs an input and a filter");
  if (n.has(4)) return n.Fail("ONNX has no place for its input 'offset_w'");
  std::string wanted = kSpatial == 2 ? "NCHW" : "NCDHW";
  if (n.String("data_format", wanted) != wanted) return n.Fail("ONNX ConvTranspose takes data_format " + wanted + " alone");
  IntList size;
  if (!n.ConstInts(0, &size)) return n.Fail("its input 'input_size' must be a constant");
  bool given = false;
  for (int64_t d : size) given |= d != 0;
  if (given && size.size() != kSpatial + 2) return n.Fail("its input 'input_size' must name every dim");
  std::string_view x = n.In(1), w = n.In(2), b = n.In(3);
  n.Begin("ConvTranspose", {x, w, b});
  GE_RETURN_IF_ERROR(n.WriteRules(TransposeRules(kSpatial)));
  if (given) n.WriteInts("output_shape", std::span(size).subspan(2));
  n.End();
  return Status::Ok();
}

}  // namespace

void AddConv(MappingTable& table) {
  for (size_t spatial : {2, 3}) {
    conv_rows[spatial - 2] = table.ExportRow({"Conv", spatial == 2 ? "Conv2D" : "Conv3D", 1, "01c-", ConvRules(spatial),
                                              {{"data_format", std::string(spatial == 2 ? "NCHW" : "NCDHW")}}});
  }
  table.Import("Conv", 1, ImportConv);
  table.Import("ConvTranspose", 1, ImportConvTranspose);
  table.Export("Conv2DTranspose", 1, ExportConvTranspose<2>);
  table.Export("Conv3DTranspose", 1, ExportConvTranspose<3>);
}

}  // namespace ge::formats::onnx
