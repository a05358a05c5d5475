#include "compiler/pass_libraries.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "base/log.h"
#include "base/strings.h"
#include "compiler/folders.h"
#include "compiler/library_probe.h"
#include "cxx_api/pass_table.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kModule = "pass libraries";
constexpr const char* kOppPath = "ASCEND_OPP_PATH";

struct OpenLibrary {
  void* handle = nullptr;
  int users = 0;
};

// Recursive: a library may itself open others while it is initialised.
struct OpenTable {
  std::recursive_mutex mutex;
  std::map<std::string, OpenLibrary> by_path;
};

OpenTable& Table() {
  static auto* table = new OpenTable;
  return *table;
}

std::string RealPath(const std::string& path) {
  std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? real.get() : path;
}

std::string OppPath() {
  const char* given = std::getenv(kOppPath);
  if (given != nullptr && *given != '\0') return given;
  return JoinPath(PackageFolder(), "ops");
}

Status OpenFailed(const std::string& library, std::string_view reason) {
  return Status::Error(StrCat("cannot load pass library '", library, "': ", reason,
                              "; build it against the headers of this ge-py, or take it out of its folder"),
                       "E13029");
}

Status Load(const std::string& path, void** handle) {
  if (std::string why = WhyItKills(path); !why.empty()) return OpenFailed(path, why);
  cxx_api::PassTable& table = cxx_api::PassTable::Get();
  {
    cxx_api::PassTable::LoadScope scope(path);
    *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (*handle == nullptr) {
    const char* reason = ::dlerror();
    return OpenFailed(path, reason ? reason : "no reason was given");
  }
  // One that stayed in memory since it was closed last is not initialised again.
  table.PutBack(path);
  return Status::Ok();
}

}  // namespace

std::vector<std::string> FindPassLibraries() {
  std::vector<std::string> found;
  for (const std::string& vendor : Children(JoinPath(OppPath(), "vendors"))) {
    for (const std::string& file : Children(JoinPath(vendor, "custom_fusion_passes"))) {
      if (HasExtension(file, ".so") && !IsFolder(file)) found.push_back(file);
    }
  }
  return found;
}

PassLibraries::~PassLibraries() {
  OpenTable& table = Table();
  std::lock_guard<std::recursive_mutex> lock(table.mutex);
  for (auto path = open_.rbegin(); path != open_.rend(); ++path) {
    auto found = table.by_path.find(*path);
    if (--found->second.users > 0) continue;
    void* handle = found->second.handle;
    table.by_path.erase(found);
    // Nothing may point into the library when it goes.
    cxx_api::PassTable::Get().TakeOut(*path);
    if (::dlclose(handle) != 0) GE_LOG(LogLevel::kWarning, kModule, "closing '", *path, "': ", ::dlerror());
  }
}

Status PassLibraries::Open(const std::string& library) {
  std::string path = RealPath(library);
  OpenTable& table = Table();
  std::lock_guard<std::recursive_mutex> lock(table.mutex);
  if (std::find(open_.begin(), open_.end(), path) != open_.end()) return Status::Ok();
  auto found = table.by_path.find(path);
  if (found == table.by_path.end()) {
    void* handle = nullptr;
    GE_RETURN_IF_ERROR(Load(path, &handle));
    found = table.by_path.emplace(path, OpenLibrary{handle, 0}).first;
  }
  ++found->second.users;
  open_.push_back(path);
  for (std::string& refusal : cxx_api::PassTable::Get().Refusals(path)) refusals_.push_back(std::move(refusal));
  GE_LOG(LogLevel::kInfo, kModule, "'", path, "' registers ", cxx_api::PassTable::Get().Count(path), " passes");
  return Status::Ok();
}

void PassLibraries::OpenAll() {
  for (const std::string& library : FindPassLibraries()) {
    Status status = Open(library);
    if (!status.ok()) errors_.push_back(std::move(status));
  }
}

size_t PassLibraries::NumPasses() const {
  size_t count = 0;
  for (const std::string& path : open_) count += cxx_api::PassTable::Get().Count(path);
  return count;
}

}  // namespace ge::compiler
