// Files of GE's IR (.air): a model as one protobuf message.
#ifndef GE_FORMATS_AIR_AIR_H_
#define GE_FORMATS_AIR_AIR_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/mapped_file.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::air {

// Reads a model. Weights stay in the mapped file until they are written again; constants in files of their own
// (FileConstant) become plain ones. Errors name the file, the place (graph, node, attribute) and the reason.
GE_API Result<ir::GraphPtr> Load(const std::string& path);
// The same from bytes, whose path is that of the file.
GE_API Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file);
// The model in a container: `model` is kept alive by `owner`, `weights`, in which offsets of weights count, by the
// file.
Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file, std::string_view model,
                           std::shared_ptr<const void> owner, std::string_view weights);

// Writes a model with all graphs below `graph`, through a temporary file beside `path` that is renamed at the end.
// Where it would not fit into one protobuf message (2 GiB), the weights go to `path`.data.
GE_API Status Save(const ir::Graph& graph, const std::string& path);

// The graphs as bytes of a model, for the forms that people read. Weights are left out unless asked for.
std::string EncodeForPeople(const ir::Graph& graph, bool with_weights);

// How a debug dump differs from that.
struct DumpContent {
  bool with_weights = false;
  // Without them: whether constants keep the description of their value.
  bool with_descriptions = true;
  // Attributes of the root graph beside its own.
  ir::AttrMap root_attrs;
};
std::string EncodeDump(const ir::Graph& graph, DumpContent content);

// Fails if a file that weights of the graph still lie in was changed since it was loaded.
Status CheckSources(const ir::Graph& graph);
// The files that weights of the graph may lie in.
const std::vector<std::shared_ptr<const MappedFile>>& SourcesOf(const ir::Graph& graph);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_AIR_H_
