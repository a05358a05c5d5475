// State of one graph's import: names to producers, unique node names.
#ifndef GE_FORMATS_ONNX_GRAPH_IMPORTER_H_
#define GE_FORMATS_ONNX_GRAPH_IMPORTER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/model_info.h"
#include "formats/onnx/name_table.h"
#include "formats/onnx/nested_tensors.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

class GraphImporter {
 public:
  GraphImporter(ModelInfo* info, ExternalFiles* external) : info_(info), external_(external) {}

  // `captures`: what a body takes from the graphs around it, as inputs behind its own. They must outlive the importer.
  Result<ir::GraphPtr> Import(std::string_view graph_proto, std::span<const std::string> captures = {});

  // ---- for NodeImporter ----------------------------------------------------------------------------------------------
  ir::Graph& graph() { return *graph_; }
  int64_t opset() const { return opset_; }
  const std::shared_ptr<const MappedFile>& file() const { return info_->file; }
  ExternalFiles* external() { return external_; }
  void NoteConstant(ir::Node* node) { constants_.push_back(node); }
  // A Const whose value became an attribute of the nodes that read it.
  void NoteFolded(const ir::Node* node) { folded_.push_back(node); }
  // 0 if the model does not import the domain.
  int64_t OpsetOf(std::string_view domain) const { return info_->OpsetOf(domain); }
  void NoteCustomDomain(std::string_view type, std::string_view domain) {
    info_->custom_domains.emplace(type, domain);
  }
  void NoteExternalData() { info_->external_data = true; }
  // For what is kept as it is: external data in it must be there, too.
  Status OpenNested(Part part, std::string_view proto) {
    return OpenNestedData(part, proto, info_->file, external_, &info_->nested_external);
  }
  // Adds a node named `name`, or a name made from it or from `op_type` and the node's number if it is empty or taken.
  ir::Node* AddNode(ir::Symbol type, std::string_view name, std::string_view op_type, uint32_t inputs,
                    uint32_t outputs);
  // Declares that output `i` of `node` is the tensor `name`. An error if another node produces it.
  Status Produce(std::string_view name, ir::Node* node, uint32_t i);
  // Feeds an input with the tensor `name`, now or when its producer comes.
  void Use(std::string_view name, ir::Node* node, uint32_t slot);
  // What produces `name`, as far as the nodes are read.
  ir::Anchor Producer(std::string_view name) {
    ir::Anchor* a = tensors_.Find(name);
    return a == nullptr ? ir::Anchor() : *a;
  }

 private:
  struct Spans {
    std::vector<std::string_view> nodes, initializers, inputs, outputs, value_infos, sparse;
  };
  Status Scan(std::string_view proto, Spans* spans);
  Status ImportInputs(const Spans& spans);
  Status ImportCaptures(std::span<const std::string> captures);
  Status ImportInitializers(const Spans& spans);
  Status ImportSparse(const Spans& spans);
  Status ImportNodes(const Spans& spans);
  Status ConnectPending();
  Status ImportValueInfos(const Spans& spans);
  Status ImportOutputs(const Spans& spans);
  void MarkUnused();

  struct Pending {
    std::string_view name;
    ir::Node* node;
    uint32_t slot;
  };
  struct InputPlace {
    std::string_view proto;
    uint32_t position;
    bool has_initializer;
  };

  ModelInfo* info_;
  ExternalFiles* external_;
  int64_t opset_ = 0;
  ir::GraphPtr graph_;
  NameTable<ir::Anchor> tensors_;
  NameSet node_names_;
  std::vector<Pending> pending_;
  // Graph inputs; those with an initializer become its Const instead of Data.
  NameTable<InputPlace> inputs_;
  std::vector<ir::Node*> constants_;  // initializers and Constant nodes
  std::vector<const ir::Node*> folded_;
  size_t node_number_ = 0;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_GRAPH_IMPORTER_H_
