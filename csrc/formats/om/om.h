// Offline models (.om): a container with the graph and its weights. Those written here hold no device kernels.
#ifndef GE_FORMATS_OM_OM_H_
#define GE_FORMATS_OM_OM_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/export.h"
#include "base/mapped_file.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::om {

struct SaveOptions {
  // Further attributes of the model, such as "atc_cmdline" and "soc_version".
  std::vector<std::pair<std::string, ir::AttrValue>> attrs;
};
// Writes through a temporary file that is renamed at the end. Weights lie in a partition of their own.
GE_API Status Save(const ir::Graph& graph, const std::string& path, const SaveOptions& options = {});

// The graph of the first model. Weights stay in the mapped file.
GE_API Result<ir::GraphPtr> Load(const std::string& path);
GE_API Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file);

// The ModelDef of the first model as bytes, with attribute names and values in the clear.
struct ModelBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};
Result<ModelBytes> ModelOf(const std::shared_ptr<const MappedFile>& file);

// What keeps viewers from opening the graph as an .om, for people; empty if nothing does.
std::string ViewerProblem(const ir::Graph& graph);

// The text of --mode=6.
GE_API Result<std::string> Information(const std::shared_ptr<const MappedFile>& file);

}  // namespace ge::formats::om

#endif  // GE_FORMATS_OM_OM_H_
