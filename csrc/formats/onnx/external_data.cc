#include "formats/onnx/external_data.h"

#include <limits.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace ge::formats::onnx {
namespace {

// Aligned so that readers which map the file can use large tensors in place.
constexpr uint64_t kAlign = 64;
constexpr uint64_t kPage = 4096;
constexpr size_t kPageAligned = 1 << 20;

std::string RealPath(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : std::string();
}

}  // namespace

ExternalFiles::ExternalFiles(const std::string& model_path) {
  size_t slash = model_path.rfind('/');
  folder_ = slash == std::string::npos ? "." : slash == 0 ? "/" : model_path.substr(0, slash);
}

Result<std::shared_ptr<const MappedFile>> ExternalFiles::Open(std::string_view location) {
  if (auto found = by_location_.find(location); found != by_location_.end()) return found->second;
  auto refuse = [&](std::string_view found) {
    return Status::Error(StrCat("external data '", location, "': expected a path inside the model's folder '", folder_,
                                "', found ", found, "; put the data file beside the model"),
                         "E13001");
  };
  if (location.empty()) return refuse("an empty location");
  if (location.find('\0') != std::string_view::npos) return refuse("a zero byte in the path");
  if (location[0] == '/') return refuse("an absolute path");
  for (std::string_view part : Split(location, '/')) {
    if (part == "..") return refuse("a path with '..'");
  }
  std::string path = StrCat(folder_, "/", location);
  std::string real = RealPath(path);
  if (!real.empty()) {
    std::string root = RealPath(folder_);
    if (root.empty() || real.compare(0, root.size(), root) != 0 || (root != "/" && real[root.size()] != '/')) {
      return refuse(StrCat("a link to '", real, "'"));
    }
  }
  auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status().WithContext(StrCat("external data '", location, "'"));
  // One file may have several names, such as "./w" or a link; its tensors must not overlap either.
  auto [same, is_new] = by_identity_.emplace(file.value()->identity(), file.value());
  if (is_new) files_.push_back(file.value());
  by_location_.emplace(location, same->second);
  return same->second;
}

Status ExternalFiles::CheckOverlaps() {
  std::vector<Place> places = std::exchange(claims_, {});
  auto key = [](const Place& p) { return std::tie(p.file, p.offset, p.size); };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return key(a) < key(b); });
  for (size_t i = 1; i < places.size(); ++i) {
    const Place &a = places[i - 1], &b = places[i];
    if (a.file != b.file || b.offset >= a.offset + a.size || key(a) == key(b)) continue;
    return Status::Error(StrCat("external data '", a.file->path(), "': expected tensors that do not overlap, found '",
                                a.tensor, "' at bytes ", a.offset, " to ", a.offset + a.size, " and '", b.tensor,
                                "' at ", b.offset, " to ", b.offset + b.size, "; write the model again"),
                         "E13005");
  }
  return Status::Ok();
}

uint64_t ExternalSink::Add(std::span<const uint8_t> bytes) {
  uint64_t align = bytes.size() >= kPageAligned ? kPage : kAlign;
  uint64_t offset = (size_ + align - 1) / align * align;
  entries_.push_back({offset, bytes.data(), bytes.size()});
  size_ = offset + bytes.size();
  return offset;
}

}  // namespace ge::formats::onnx
