// State of one graph's export: tensor names, which constants go out, the bytes of the GraphProto.
#ifndef GE_FORMATS_ONNX_GRAPH_EXPORTER_H_
#define GE_FORMATS_ONNX_GRAPH_EXPORTER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/name_table.h"
#include "formats/onnx/nested_tensors.h"
#include "formats/wire/writer.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

class NodeExporter;

class GraphExporter {
 public:
  // `info` may be null. `external`: where large payloads go, null for inline.
  GraphExporter(const ir::Graph& graph, const ModelInfo* info, int64_t opset, ExternalSink* external)
      : graph_(graph), info_(info), opset_(opset), external_(external) {}

  // Writes the fields of the GraphProto to `out`, which may refer to tensors that live as long as this exporter.
  Status Export(const std::vector<const ir::Node*>& order, wire::Writer* out);
  // True after Export if an initializer is not among the graph inputs (which needs IR version 4).
  bool has_plain_initializer() const { return has_plain_initializer_; }
  // Domains of the operators written, beside ai.onnx.
  const NameSet& domains() const { return domains_; }
  bool uses_onnx_domain() const { return uses_onnx_domain_; }

  // ---- for NodeExporter ----------------------------------------------------------------------------------------------
  const ir::Graph& graph() const { return graph_; }
  int64_t opset() const { return opset_; }
  wire::Writer& out() { return *out_; }
  // The tensor name of an output that something reads; its producer is written then.
  std::string_view Read(ir::Anchor source);
  // As Read, for the producer's own node; a name is made if the output has none.
  std::string_view OutputName(const ir::Node& node, uint32_t i, bool required);
  // A name nobody has, from `base`.
  std::string_view NewTensorName(std::string_view base);
  std::string_view NewNodeName(std::string_view base);
  // A further initializer.
  std::string_view AddInitializer(std::string_view base, ir::TensorPtr value);
  // The Const whose tensor has that name in the source model; null if it is gone.
  const ir::Node* ConstOfTensor(std::string_view name);
  // Whether the node comes before the other one.
  bool Precedes(const ir::Node& a, const ir::Node& b) const { return base_[a.id()] < base_[b.id()]; }
  bool IsInitializer(const ir::Node& node) const;
  // A tensor made from `source` for some purpose, remembered so that it is made once.
  struct Derived {
    ir::Anchor source;
    int64_t purpose;
    std::string_view name;
  };
  std::vector<Derived>& derived() { return derived_; }
  ExternalSink* external() { return external_; }
  // Writes a part that was kept as it is, as the field `field`; its external data goes where all of it goes.
  void WriteKept(Part part, uint32_t field, std::string_view proto);
  std::string_view NotedDomain(std::string_view type) const {
    if (info_ == nullptr) return {};
    const auto it = info_->custom_domains.find(type);
    return it == info_->custom_domains.end() ? std::string_view() : std::string_view(it->second);
  }
  void UseDomain(std::string_view domain) {
    if (domain.empty()) {
      uses_onnx_domain_ = true;
    } else {
      domains_.Insert(domain, {});
    }
  }

 private:
  struct OutputIdentity {
    ir::Anchor source;
    std::string_view name;
  };
  void SortNodes();
  Status PrepareNames();
  Status ReserveNames();
  Status NameOutputs();
  Status NameCaptures(const ir::Node& node);
  std::string_view& NameSlot(ir::Anchor a) { return names_[base_[a.node->id()] + a.index]; }
  std::string_view Unique(NameSet* set, std::string_view base);
  Status WriteNodes();
  Status WriteNode(const ir::Node& node, NodeExporter* exporter);
  void WriteIdentity(ir::Anchor source, std::string_view name);
  void WriteInitializers();
  void WriteInputs();
  Status WriteOutputs();
  void WriteValueInfos();
  void WriteAnnotations();
  bool Goes(const ir::Node& constant) const;
  bool DropUnreadConstants();

  const ir::Graph& graph_;
  const ModelInfo* info_;
  const int64_t opset_;
  ExternalSink* external_;
  std::unique_ptr<ExternalFiles> kept_files_;
  Status kept_status_;
  wire::Writer* out_ = nullptr;

  std::vector<uint32_t> base_;           // by node id: where its output names start in names_
  std::vector<std::string_view> names_;  // "" for outputs without a name
  std::vector<uint8_t> read_;            // by node id: whether something written reads it
  std::vector<uint8_t> dropped_;         // by node id: Constant nodes that turned out to be unread
  NameSet used_;
  NameSet inner_names_;  // of tensors in subgraphs; made names stay clear of them
  NameSet node_names_;
  bool node_names_ready_ = false;
  std::deque<std::string> text_;  // made names
  std::vector<std::string_view> output_names_;  // of the graph
  std::vector<OutputIdentity> output_identities_;
  std::vector<OutputIdentity> capture_identities_;  // in the order of the nodes that need them
  struct Added {
    std::string_view name;
    ir::TensorPtr value;
  };
  std::vector<Added> added_;
  std::vector<Derived> derived_;
  NameTable<const ir::Node*> const_tensors_;  // filled at the first question
  bool const_tensors_ready_ = false;
  bool has_plain_initializer_ = false;
  NameSet domains_;
  bool uses_onnx_domain_ = false;
  // The nodes in order, and those that need a look of their own.
  const std::vector<const ir::Node*>* order_ = nullptr;
  std::vector<const ir::Node*> initializers_, constant_nodes_, opaque_, sparse_;
  std::vector<const ir::Node*> data_;    // by their index
  std::vector<const ir::Node*> inputs_;  // data and initializers that are graph inputs
  const ir::Node* net_output_ = nullptr;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_GRAPH_EXPORTER_H_
