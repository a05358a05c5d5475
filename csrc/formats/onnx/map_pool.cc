// Pooling.
#include <algorithm>

#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

using IntList = std::vector<int64_t>;

const std::vector<AttrRule>& CommonRules() {
  static const auto* rules =
      new std::vector<AttrRule>{{"kernel_shape", "ksize", AttrForm::kSpatial},
                                {"pads", "pads", AttrForm::kPads, IntList(4, 0)},
                                {"strides", "strides", AttrForm::kSpatial, IntList(4, 1)},
                                {"ceil_mode", "ceil_mode", AttrForm::kBool, false}};
  return *rules;
}
const std::vector<AttrRule>& AverageRules() {
  static const auto* rules = [] {
    auto* all = new std::vector<AttrRule>(CommonRules());
    all->push_back({"count_include_pad", "exclusive", AttrForm::kInvertedBool, true});
    return all;
  }();
  return *rules;
}

// GE's operators are for images and have no dilations.
bool FitsGe(NodeImporter& n) {
  const AttrView* kernel = n.view().Find("kernel_shape");
  IntList dims;
  if (kernel == nullptr || kernel->kind != AttrKind::kInts || !kernel->Ints(&dims) || dims.size() != 2) return false;
  if (const AttrView* dilations = n.view().Find("dilations")) {
    IntList d;
    if (dilations->kind != AttrKind::kInts || !dilations->Ints(&d)) return false;
    if (std::any_of(d.begin(), d.end(), [](int64_t v) { return v != 1; })) return false;
  }
  return n.IntIs("storage_order", 0, 0);
}

// auto_pad stays as it is beside GE's coarser padding_mode.
bool SetPaddingMode(NodeImporter& n) {
  const AttrView* auto_pad = n.view().Find("auto_pad");
  if (auto_pad == nullptr || auto_pad->s == "NOTSET") return true;
  if (auto_pad->s == "VALID") {
    n.Set("padding_mode", std::string("VALID"));
  } else if (auto_pad->s == "SAME_UPPER" || auto_pad->s == "SAME_LOWER") {
    n.Set("padding_mode", std::string("SAME"));
  } else {
    return false;
  }
  return true;
}

bool ImportPool(NodeImporter& n, const char* type, const std::vector<AttrRule>& rules) {
  if (!n.Arity(1, 1) || !FitsGe(n) || !n.Rules(type, rules) || !SetPaddingMode(n)) return false;
  n.Set("data_format", std::string("NCHW"));
  if (!n.Rest()) return false;
  n.Create(type, 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportPool(NodeExporter& n, const char* onnx, const char* global, const std::vector<AttrRule>& rules) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (n.String("data_format", "NCHW") != "NCHW") return n.Fail("ONNX pools data_format NCHW alone");
  if (n.Bool("global_pooling", false)) {
    n.Begin(global, {n.In(0)});
    n.End();
    return Status::Ok();
  }
  if (n.Int("divisor_override", 0) != 0) return n.Fail("ONNX has no 'divisor_override'");
  n.Begin(onnx, {n.In(0)});
  std::string mode = n.String("padding_mode", "CALCULATED");
  if (mode == "CALCULATED") {
    GE_RETURN_IF_ERROR(n.WriteRules(rules));
  } else {
    // Explicit pads and auto_pad exclude each other.
    std::vector<AttrRule> others;
    for (const AttrRule& r : rules) {
      if (r.onnx != "pads") others.push_back(r);
    }
    GE_RETURN_IF_ERROR(n.WriteRules(others));
    if (!n.HasAttr("auto_pad")) n.WriteString("auto_pad", mode == "SAME" ? "SAME_UPPER" : "VALID");
  }
  n.End();
  return Status::Ok();
}

// ceil_mode came with opset 10, count_include_pad with 7.
int64_t PoolOpset(const ir::Node& node, int64_t opset) {
  const bool* ceil = node.attr<bool>(ir::Symbol("ceil_mode"));
  return ceil != nullptr && *ceil ? std::max<int64_t>(opset, 10) : opset;
}

}  // namespace

void AddPool(MappingTable& table) {
  table.Import("MaxPool", 1, [](NodeImporter& n) { return ImportPool(n, "MaxPoolV3", CommonRules()); });
  table.Import("AveragePool", 7, [](NodeImporter& n) { return ImportPool(n, "AvgPoolV2", AverageRules()); });
  auto max_pool = [](NodeExporter& n) { return ExportPool(n, "MaxPool", "GlobalMaxPool", CommonRules()); };
  table.Export("MaxPoolV3", {.since = 1, .fn = max_pool, .opset = PoolOpset, .typed_as = "MaxPool"});
  auto average = [](NodeExporter& n) { return ExportPool(n, "AveragePool", "GlobalAveragePool", AverageRules()); };
  table.Export("AvgPoolV2", {.since = 7, .fn = average, .opset = PoolOpset, .typed_as = "AveragePool"});
  table.Row({"GlobalAveragePool", "GlobalAveragePool", 1, "0"});
}

}  // namespace ge::formats::onnx
