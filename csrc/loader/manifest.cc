#include "loader/manifest.h"

#include "base/json.h"
#include "base/strings.h"

namespace ge::loader {
namespace {

Status WrongMember(std::string_view name, std::string_view expected, const JsonValue* found) {
  return Status::Error(StrCat("its manifest needs '", name, "' as ", expected, ", found '",
                              found ? found->kind_name() : "nothing", "'"));
}

Status ReadText(const JsonValue& object, std::string_view name, std::string& out) {
  const JsonValue* value = object.Find(name);
  if (value == nullptr || !value->is_string() || value->string().empty()) {
    return WrongMember(name, "non-empty text", value);
  }
  out = value->string();
  return Status::Ok();
}

Status ReadInteger(const JsonValue& object, std::string_view name, int64_t& out) {
  const JsonValue* value = object.Find(name);
  if (value == nullptr || !value->integer()) return WrongMember(name, "integer", value);
  out = *value->integer();
  return Status::Ok();
}

Status ReadBool(const JsonValue& object, std::string_view name, bool& out) {
  const JsonValue* value = object.Find(name);
  if (value == nullptr || value->kind() != JsonValue::Kind::kBool)
    return WrongMember(name, "true or false", value);
  out = value->bool_value();
  return Status::Ok();
}

}  // namespace

Result<Manifest> ParseManifest(std::string_view text) {
  auto parsed = JsonValue::Parse(text);
  if (!parsed.ok()) return parsed.status().WithContext("its manifest is not well formed");
  const JsonValue& json = parsed.value();
  if (!json.is_object()) {
    return Status::Error(
        StrCat("its manifest must be a JSON object, found '", json.kind_name(), "'"));
  }
  int64_t format = 0;
  GE_RETURN_IF_ERROR(ReadInteger(json, "format_version", format));
  if (format != kManifestFormatVersion) {
    return Status::Error(StrCat("its manifest has format_version '", format,
                                "', this library reads '", kManifestFormatVersion, "'"));
  }
  Manifest manifest;
  GE_RETURN_IF_ERROR(ReadText(json, "python_abi", manifest.python_abi));
  GE_RETURN_IF_ERROR(ReadText(json, "platform", manifest.platform));
  GE_RETURN_IF_ERROR(ReadText(json, "ge_version", manifest.ge_version));
  GE_RETURN_IF_ERROR(ReadInteger(json, "bridge_abi", manifest.bridge_abi));
  GE_RETURN_IF_ERROR(ReadBool(json, "free_threaded", manifest.free_threaded));
  std::string floor;
  GE_RETURN_IF_ERROR(ReadText(json, "abi3_floor", floor));
  const auto version = ParsePythonVersion(floor);
  if (!version || ToString(*version) != floor) {
    return Status::Error(
        StrCat("its manifest gives '", floor, "' as abi3_floor, expected a version like '3.9'"));
  }
  manifest.abi3_floor = *version;
  const JsonValue* artifacts = json.Find("artifacts");
  if (artifacts == nullptr || !artifacts->is_object())
    return WrongMember("artifacts", "object", artifacts);
  GE_RETURN_IF_ERROR(ReadText(*artifacts, "bridge", manifest.bridge));
  GE_RETURN_IF_ERROR(ReadText(*artifacts, "native", manifest.native));
  if (json.Find("core") != nullptr) GE_RETURN_IF_ERROR(ReadText(json, "core", manifest.core));
  if (const JsonValue* sizes = json.Find("sizes")) {
    if (!sizes->is_object()) return WrongMember("sizes", "object", sizes);
    int64_t size = 0;
    GE_RETURN_IF_ERROR(ReadInteger(*sizes, "bridge", size));
    manifest.bridge_size = size;
    GE_RETURN_IF_ERROR(ReadInteger(*sizes, "native", size));
    manifest.native_size = size;
  }
  return manifest;
}

}  // namespace ge::loader
