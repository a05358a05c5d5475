// The core's names for the files of this folder. To be included before any public header: those bring classes of the same
// names into ge::v1, after which `ge::Status` or `ge::fusion` alone would be ambiguous.
#ifndef GE_CXX_API_CORE_H_
#define GE_CXX_API_CORE_H_

#if defined(GE_GE_API_ERROR_CODES_H_) || defined(GE_GRAPH_TYPES_H_)
#error "include cxx_api/core.h before the public headers"
#endif

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "cxx_api/match_pairs.h"
#include "cxx_api/pass_table.h"
#include "cxx_api/slots.h"
#include "fusion/boundary.h"
#include "fusion/legacy_pass.h"
#include "fusion/matcher.h"
#include "fusion/pass.h"
#include "fusion/pass_registry.h"
#include "fusion/pattern.h"
#include "fusion/rewriter.h"
#include "ir/graph.h"
#include "ops/op_def.h"

namespace ge_core {

namespace fusion = ::ge::fusion;
namespace ir = ::ge::ir;
namespace ops = ::ge::ops;
using Status = ::ge::Status;
template <typename T>
using Result = ::ge::Result<T>;
using ::ge::Join;
using ::ge::StrCat;

}  // namespace ge_core

#endif  // GE_CXX_API_CORE_H_
