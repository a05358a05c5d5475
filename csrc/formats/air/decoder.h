// Messages of GE's IR as graphs.
#ifndef GE_FORMATS_AIR_DECODER_H_
#define GE_FORMATS_AIR_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "formats/air/model_info.h"
#include "formats/onnx/external_data.h"
#include "formats/wire/reader.h"
#include "ir/graph.h"

namespace ge::formats::air {

// The text of that field; of several the last.
std::string_view TextOf(std::string_view proto, uint32_t field);

// A desc with what the graph keeps beside it.
struct DecodedDesc {
  ir::TensorDesc desc;
  bool given = false;  // the message said anything at all
  ir::AttrMap attrs;
  std::string tensor_name;
  bool declared = false;
  int64_t data_offset = 0, merged_offset = -1, weight_size = 0;
};

// Every view points into bytes that `owner` keeps alive; tensors hold on to it.
class Decoder {
 public:
  // `weights`: what offsets of weights count in; empty if the file has none beside the model.
  Decoder(std::shared_ptr<const void> owner, std::string_view weights, AirInfo* info,
          onnx::ExternalFiles* external)
      : owner_(std::move(owner)), weights_(weights), info_(*info), external_(*external) {}

  Result<ir::GraphPtr> Model(std::string_view proto);

 private:
  // A node's place in its graph while edges and subgraphs are still to be made.
  struct Pending {
    ir::Node* node;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> subgraphs;
    std::vector<DecodedDesc> input_descs;
    std::vector<int64_t> places;  // among the consumers, an entry of `inputs` each; empty: the file says nothing of them
  };
  struct Edge {
    ir::Anchor source;  // of a control edge its index says nothing
    ir::Node* target;
    int64_t slot;  // -1: a control edge
    int64_t place;
  };
  struct GraphInProgress {
    ir::GraphPtr graph;
    std::vector<std::string_view> outputs;
    std::vector<Pending> nodes;
  };
  // Where a subgraph hangs.
  struct Owner {
    size_t graph = 0;  // number in the model
    const Pending* node = nullptr;  // null: of nothing
    size_t slot = 0;
  };

  Status GraphDef(std::string_view proto, int depth, GraphInProgress* out);
  Status Op(std::string_view proto, int depth, GraphInProgress* out);
  Status OpBody(std::string_view proto, std::string_view name, std::string_view type, int depth, GraphInProgress* out);
  Status Connect(GraphInProgress* g);
  Status EdgesTo(ir::Graph& graph, const Pending& p, std::vector<Edge>* out);
  void SetInputDescs(ir::Graph& graph, Pending& p);
  Status AddOutputs(GraphInProgress* g);
  Status FileConstant(ir::Graph& graph, ir::Node* node);
  Status AttachSubgraphs(std::vector<GraphInProgress>* graphs);

  Status MapEntry(std::string_view proto, int depth, ir::AttrMap* out);
  Status Value(std::string_view proto, int depth, ir::AttrValue* out);
  Status List(std::string_view proto, int depth, ir::AttrValue* out);
  Status NamedAttrs(std::string_view proto, int depth, ir::NamedAttrsPtr* out);
  Status NestedGraph(std::string_view proto, int depth, ir::GraphPtr* out);
  Status Tensor(std::string_view proto, int depth, ir::TensorPtr* out);
  Status TensorData(const DecodedDesc& desc, std::string_view inline_data, ir::Tensor* out);
  Status Desc(std::string_view proto, int depth, DecodedDesc* out);
  Status DescPtr(std::string_view proto, int depth, ir::TensorDescPtr* out);
  Status TakeDescAttrs(DecodedDesc* out);

  std::shared_ptr<const void> owner_;
  std::string_view weights_;
  AirInfo& info_;
  onnx::ExternalFiles& external_;
};

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_DECODER_H_
