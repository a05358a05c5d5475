// What an ONNX model has beside its graph; kept with the root graph from load to save.
#ifndef GE_FORMATS_ONNX_MODEL_INFO_H_
#define GE_FORMATS_ONNX_MODEL_INFO_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "formats/onnx/external_data.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

struct OpsetImport {
  std::string domain;  // "" is ai.onnx
  int64_t version = 0;
};

// Not changed after the load. Views point into `file`.
struct ModelInfo : ir::GraphExtension {
  std::shared_ptr<const MappedFile> file;
  // Every file that tensor data may lie in, `file` first.
  std::vector<std::shared_ptr<const MappedFile>> files;
  int64_t ir_version = 0;
  std::vector<OpsetImport> opsets;
  // Fields of ModelProto and GraphProto that the graph does not hold, as they lie in the file, in file order.
  std::vector<std::string_view> model_fields, graph_fields, quantization_annotations;
  bool has_value_info = false;
  // Nodes of the graph with smaller ids came from the model.
  uint64_t end_of_import = 0;
  bool external_data = false;
  // Domains of the custom operators that were met, by type.
  std::map<std::string, std::string, std::less<>> custom_domains;
  // Whether parts that are kept as they are have tensors with external data; these lie in `external`.
  bool nested_external = false;
  std::shared_ptr<const ExternalFiles> external;

  // 0 if the model imports no ai.onnx operators.
  int64_t opset() const { return OpsetOf({}); }
  int64_t OpsetOf(std::string_view domain) const {
    for (const OpsetImport& o : opsets) {
      if (o.domain == domain) return o.version;
    }
    return 0;
  }
};

// Null for a graph that was not loaded from ONNX.
const ModelInfo* FindModelInfo(const ir::Graph& graph);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_MODEL_INFO_H_
