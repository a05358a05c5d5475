#include "loader/runtime_key.h"

#include <dlfcn.h>

#include "base/strings.h"

namespace ge::loader {
namespace {

// The digits at the front of `text`, which is shortened by them.
std::optional<int> TakeNumber(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && n < 4 && text[n] >= '0' && text[n] <= '9') ++n;
  const auto value = ParseInt(text.substr(0, n));
  if (!value) return std::nullopt;
  text.remove_prefix(n);
  return static_cast<int>(*value);
}

}  // namespace

std::optional<PythonVersion> ParsePythonVersion(std::string_view text) {
  const auto major = TakeNumber(text);
  if (!major || text.empty() || text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto minor = TakeNumber(text);
  if (!minor) return std::nullopt;
  return PythonVersion{*major, *minor};
}

std::string ToString(PythonVersion version) { return StrCat(version.major, ".", version.minor); }

std::optional<RuntimeKey> RuntimeKeyFromVersionText(std::string_view text) {
  const auto version = ParsePythonVersion(text);
  if (!version) return std::nullopt;
  return RuntimeKey{*version, text.find("free-threading build") != std::string_view::npos, ""};
}

std::optional<RuntimeKey> RuntimeKeyOfProcess() {
  const auto get_version =
      reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  const char* text = get_version ? get_version() : nullptr;
  if (text == nullptr) return std::nullopt;
  auto key = RuntimeKeyFromVersionText(text);
  if (key) key->source = "the interpreter in this process";
  return key;
}

}  // namespace ge::loader
