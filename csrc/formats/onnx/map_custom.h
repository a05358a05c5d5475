// Custom operators: nodes of other domains that name one, and nodes that an ONNX plugin says something about.
#ifndef GE_FORMATS_ONNX_MAP_CUSTOM_H_
#define GE_FORMATS_ONNX_MAP_CUSTOM_H_

#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::onnx {

class NodeImporter;
class NodeExporter;

// True if the node became one of a custom operator, or what a plugin made of it. False: the node is neither, or the import
// has failed with the importer's status.
bool ImportCustom(NodeImporter& n);

// Whether the node goes out by ExportCustom.
bool IsCustom(const ir::Node& node);
// As it came in; a node that a pass made gets the domain that its operator has elsewhere in the model.
Status ExportCustom(NodeExporter& n);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_MAP_CUSTOM_H_
