// What a file of GE's IR has beside its graphs; kept with the root graph from load to save.
#ifndef GE_FORMATS_AIR_MODEL_INFO_H_
#define GE_FORMATS_AIR_MODEL_INFO_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "formats/onnx/source_files.h"
#include "ir/graph.h"

namespace ge::formats::air {

// Not changed after the load. A graph from ONNX has an OnnxAirInfo (formats/air/onnx_info.h).
struct AirInfo : ir::GraphExtension, onnx::MappedModel {
  // Every file that tensor data may lie in.
  std::vector<std::shared_ptr<const MappedFile>> files;
  const std::vector<std::shared_ptr<const MappedFile>>& sources() const override { return files; }
  std::string name, custom_version;
  uint64_t version = 0;
  ir::AttrMap attrs;
  std::string attr_groups;  // as it lies in the file
};

// Null for a graph that was not loaded from such a file.
const AirInfo* FindAirInfo(const ir::Graph& graph);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_MODEL_INFO_H_
