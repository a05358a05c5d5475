// Artifact sets that were compiled on this machine: the cache, and asking Python to compile one.
#ifndef GE_LOADER_FALLBACK_H_
#define GE_LOADER_FALLBACK_H_

#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "loader/runtime_key.h"

namespace ge::loader {

// GE_PY_FALLBACK=0 turns the cache and compiling off.
GE_API bool FallbackIsOn();

// The folder of the cache, as ge.passes._fallback names it; empty without a home folder.
GE_API std::string FallbackCache();

// Folders of the cache that are meant for this interpreter, by name. An error if others than this
// user can write to the cache; none if it does not exist.
GE_API Result<std::vector<std::string>> CachedSets(const RuntimeKey& key);

// Lets the running interpreter compile a set, or find it in the cache, with ge.passes.runtime of
// the package in `package_parent`. The folder of the set; takes the GIL, and a minute.
GE_API Result<std::string> BuildFallbackSet(const std::string& package_parent);

}  // namespace ge::loader

#endif  // GE_LOADER_FALLBACK_H_
