// Where artifact sets are looked for, and in which order.
#ifndef GE_LOADER_CANDIDATES_H_
#define GE_LOADER_CANDIDATES_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "loader/artifact_set.h"
#include "loader/runtime_key.h"

namespace ge::loader {

struct Candidates {
  std::vector<ArtifactSet> fitting;      // the preferred one first
  std::vector<std::string> passed_over;  // a line each: folder and reason
  std::vector<std::string> searched;     // folders that were looked into
};

// `ge` packages that this library or PYTHONPATH point to: <ge>/lib/libge_compiler.so -> <ge>, then
// <entry>/ge, or the entry itself if it is named ge. Existing folders only, each once.
GE_API std::vector<std::string> PackageFolders(std::string_view library_path,
                                               std::string_view python_path);

// Path of libge_compiler.so itself; empty if it is linked into a program.
GE_API std::string ThisLibraryPath();

// <parent>/ge/lib/libge_compiler.so or <parent>/ge/<folder of sets>/<set>: <parent>; empty if neither is below a `ge`.
GE_API std::string PackageParent(const std::string& artifact_dir);

// The kind's override variable first, then <ge>/<its folder of sets> itself and its sub-folders by name, package by
// package, and last the cache of sets that were compiled here. Every set that is passed over is logged with the reason.
GE_API Candidates FindArtifactSets(const ArtifactKind& kind, const RuntimeKey& key);

}  // namespace ge::loader

#endif  // GE_LOADER_CANDIDATES_H_
