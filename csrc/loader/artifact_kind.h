// The kinds of artifact sets: what differs between the bridge of passes and that of custom operators.
#ifndef GE_LOADER_ARTIFACT_KIND_H_
#define GE_LOADER_ARTIFACT_KIND_H_

#include <cstdint>

#include "base/export.h"
#include "base/status.h"

namespace ge::loader {

struct ArtifactKind {
  const char* sets_folder;        // below a package `ge`
  const char* override_variable;  // names one set, which comes first
  int64_t bridge_abi;
  const char* entry;  // the bridge's only symbol; returns a table
  // Ok if the table can be used; it may be null.
  Status (*check_table)(const void* table);
  bool compiled_here;  // whether a set can be compiled for an interpreter that no other serves
  // Whether the set that the variable names may be of another version: what is promised is a C ABI that never changes.
  bool any_version_by_override;
};

GE_API const ArtifactKind& PassArtifacts();
GE_API const ArtifactKind& CustomOpArtifacts();

}  // namespace ge::loader

#endif  // GE_LOADER_ARTIFACT_KIND_H_
