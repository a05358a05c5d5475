// Status codes of graph functions.
#ifndef GE_GRAPH_GE_ERROR_CODES_H_
#define GE_GRAPH_GE_ERROR_CODES_H_

#include <cstdint>

namespace ge {
inline namespace v1 {

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFFu;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304u;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649u;

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_GE_ERROR_CODES_H_
