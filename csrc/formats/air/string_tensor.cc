#include "formats/air/string_tensor.h"

#include <cstdint>
#include <cstring>

namespace ge::formats::air {
namespace {

struct Head {
  uint64_t start;
  uint64_t size;
};

}  // namespace

std::string PackStrings(const std::vector<std::string>& strings) {
  uint64_t at = strings.size() * sizeof(Head);
  std::string out;
  for (const std::string& s : strings) {
    Head head{at, s.size()};
    out.append(reinterpret_cast<const char*>(&head), sizeof head);
    at += s.size() + 1;
  }
  for (const std::string& s : strings) out.append(s.c_str(), s.size() + 1);
  return out;
}

std::optional<std::vector<std::string>> UnpackStrings(std::string_view bytes, int64_t count) {
  if (count < 0 || static_cast<uint64_t>(count) > bytes.size() / sizeof(Head)) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(count));
  size_t texts = 0;
  for (int64_t i = 0; i < count; ++i) {
    Head head;
    std::memcpy(&head, bytes.data() + static_cast<size_t>(i) * sizeof head, sizeof head);
    if (head.start > bytes.size() || head.size > bytes.size() - head.start) return std::nullopt;
    // Elements that share their text are not written by anybody, and would let a small file claim a large tensor.
    texts += head.size;
    if (texts > bytes.size()) return std::nullopt;
    out.emplace_back(bytes.substr(head.start, head.size));
  }
  return out;
}

}  // namespace ge::formats::air
