// Names inside the raw GraphProto bytes of subgraph attributes (If, Loop, Scan bodies).
#ifndef GE_FORMATS_ONNX_SUBGRAPH_NAMES_H_
#define GE_FORMATS_ONNX_SUBGRAPH_NAMES_H_

#include <functional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/onnx/name_table.h"

namespace ge::formats::onnx {

// The tensors a body takes from the graphs around it, in the order of their first use.
Status CollectOuterNames(std::string_view graph_proto, NameSet* names);
// The tensors a body and the bodies in it define.
Status CollectInnerNames(std::string_view graph_proto, NameSet* names);
// Every node of a body and of the bodies in it.
Status VisitBodyNodes(std::string_view graph_proto,
                      const std::function<void(std::string_view domain, std::string_view op_type)>& visit);
// GraphProto bytes in an AttributeProto.
Status GraphsOfAttr(std::string_view attr_proto, std::vector<std::string_view>* graphs);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_SUBGRAPH_NAMES_H_
