// Whole layers: recurrent ones, local response and mean-variance normalisation, losses, text features.
#include "base/strings.h"
#include "formats/onnx/mapping.h"
#include "formats/onnx/node_exporter.h"
#include "formats/onnx/node_importer.h"

namespace ge::formats::onnx {
namespace {

using FloatList = std::vector<float>;
using TextList = std::vector<std::string>;

// ---- recurrent ----------------------------------------------------------------------------------------------------------

struct Recurrent {
  const char* onnx;
  const char* ge;
  uint32_t inputs, outputs;
  std::vector<AttrRule> rules;
};

std::vector<AttrRule> WithCommonRules(AttrRule own) {
  return {{"activation_alpha", "activation_alpha", AttrForm::kFloats, FloatList()},
          {"activation_beta", "activation_beta", AttrForm::kFloats, FloatList()},
          {"activations", "activations", AttrForm::kStrings, TextList()},
          // GE says -1 for no clipping.
          {"clip", "clip", AttrForm::kFloat, -1.0f},
          {"direction", "direction", AttrForm::kString, std::string("forward")},
          {"hidden_size", "hidden_size", AttrForm::kInt},
          std::move(own)};
}

const Recurrent& Lstm() {
  static const auto* lstm = new Recurrent{
      "LSTM", "CommonLSTM", 8, 3, WithCommonRules({"input_forget", "input_forget", AttrForm::kInt, int64_t{0}})};
  return *lstm;
}
const Recurrent& Gru() {
  static const auto* gru =
      new Recurrent{"GRU", "CommonGRU", 6, 2,
                    WithCommonRules({"linear_before_reset", "linear_before_reset", AttrForm::kInt, int64_t{0}})};
  return *gru;
}

bool ImportRecurrent(NodeImporter& n, const Recurrent& op) {
  // GE's operators know one layout, and need the size that ONNX can do without.
  if (!n.Arity(3, op.inputs, op.outputs) || !n.IntIs("layout", 0, 0) || n.view().Find("hidden_size") == nullptr) return false;
  if (!n.Rules(op.ge, op.rules) || !n.Rest()) return false;
  n.Create(op.ge, op.inputs, op.outputs);
  n.ConnectInOrder(op.inputs);
  return true;
}

Status ExportRecurrent(NodeExporter& n, const Recurrent& op) {
  std::vector<std::string_view> inputs, outputs;
  for (uint32_t i = 0; i < op.inputs; ++i) {
    if (i < 3 && !n.has(i)) return n.Fail(StrCat("its input ", i, " is not connected"));
    inputs.push_back(n.In(i));
  }
  bool used = false;
  for (uint32_t i = 0; i < op.outputs; ++i) used = used || n.node().num_uses(i) > 0 || !n.node().tensor_name(i).empty();
  for (uint32_t i = 0; i < op.outputs; ++i) outputs.push_back(n.OutIfUsed(i, i == 0 && !used));
  while (outputs.size() > 1 && outputs.back().empty()) outputs.pop_back();
  n.Begin(op.onnx, inputs, outputs);
  GE_RETURN_IF_ERROR(n.WriteRules(op.rules));
  n.End();
  return Status::Ok();
}

// ---- local response normalisation: GE wants alpha divided by the size -------------------------------------------------------

// The alpha that the model had, since a quotient times the size need not be that number again.
const ir::Symbol& OwnAlpha() {
  static const ir::Symbol name("_onnx_alpha");
  return name;
}

bool ImportLrn(NodeImporter& n) {
  int64_t size = 0;
  float alpha = 0, beta = 0, bias = 0;
  if (!n.Arity(1, 1) || !n.Int("size", 0, &size) || !n.Float("alpha", 1e-4f, &alpha) ||
      !n.Float("beta", 0.75f, &beta) || !n.Float("bias", 1.0f, &bias) || size < 1 || size % 2 == 0) {
    return false;
  }
  n.Set("depth_radius", (size - 1) / 2);
  n.Set("alpha", alpha / static_cast<float>(size));
  n.Set("beta", beta);
  n.Set("bias", bias);
  n.Set(OwnAlpha(), alpha);
  for (const char* name : {"alpha", "beta", "bias"}) {
    if (n.view().Find(name) == nullptr) n.SetDefaulted(name);
  }
  if (!n.Rest()) return false;
  n.Create("LRN", 1, 1);
  n.ConnectInOrder(1);
  return true;
}

Status ExportLrn(NodeExporter& n) {
  if (!n.has(0)) return n.Fail("its input is not connected");
  if (n.String("norm_region", "ACROSS_CHANNELS") != "ACROSS_CHANNELS") return n.Fail("ONNX LRN goes across channels");
  const int64_t size = 2 * n.Int("depth_radius", 5) + 1;
  float alpha = n.Float("alpha", 1.0f), beta = n.Float("beta", 0.5f), bias = n.Float("bias", 1.0f);
  const auto* own = n.node().attr<float>(OwnAlpha());
  const bool unchanged = own != nullptr && *own / static_cast<float>(size) == alpha;
  alpha = unchanged ? *own : alpha * static_cast<float>(size);
  n.Begin("LRN", {n.In(0)});
  if (!(n.Defaulted("alpha") && alpha == 1e-4f)) n.WriteFloat("alpha", alpha);
  if (!(n.Defaulted("beta") && beta == 0.75f)) n.WriteFloat("beta", beta);
  if (!(n.Defaulted("bias") && bias == 1.0f)) n.WriteFloat("bias", bias);
  n.WriteInt("size", size);
  n.End();
  return Status::Ok();
}

}  // namespace

void AddLayers(MappingTable& table) {
  table.Import("LSTM", 7, [](NodeImporter& n) { return ImportRecurrent(n, Lstm()); });
  table.Export("CommonLSTM", 7, [](NodeExporter& n) { return ExportRecurrent(n, Lstm()); });
  table.Import("GRU", 7, [](NodeImporter& n) { return ImportRecurrent(n, Gru()); });
  table.Export("CommonGRU", 7, [](NodeExporter& n) { return ExportRecurrent(n, Gru()); });
  table.Import("LRN", 1, ImportLrn);
  table.Export("LRN", 1, ExportLrn);
  table.Row({"MeanVarianceNormalization", "MVNV2", 9, "0",
             {{"axes", "axes", AttrForm::kInts, std::vector<int64_t>{0, 2, 3}}}, {}, {{"eps", 1e-9f}}});
  table.Row({"GlobalLpPool", "GlobalLpPool", 2, "0", {{"p", "p", AttrForm::kWholeFloat, 2.0f}}});
  table.Row({"TfIdfVectorizer", "TfIdfVectorizer", 9, "0",
             {{"max_gram_length", "max_gram_length", AttrForm::kInt},
              {"max_skip_count", "max_skip_count", AttrForm::kInt},
              {"min_gram_length", "min_gram_length", AttrForm::kInt},
              {"mode", "mode", AttrForm::kString},
              {"ngram_counts", "ngram_counts", AttrForm::kInts},
              {"ngram_indexes", "ngram_indexes", AttrForm::kInts},
              {"pool_int64s", "pool_int64s", AttrForm::kInts, std::vector<int64_t>()},
              {"pool_strings", "pool_strings", AttrForm::kStrings, TextList()},
              {"weights", "weights", AttrForm::kFloats, FloatList()}}});
}

}  // namespace ge::formats::onnx
