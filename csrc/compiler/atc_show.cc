#include "compiler/atc_show.h"

#include <memory>

#include "base/mapped_file.h"
#include "base/strings.h"
#include "compiler/input_file.h"
#include "compiler/output_path.h"
#include "formats/air/air.h"
#include "formats/air/schema.h"
#include "formats/dump/onnx_schema.h"
#include "formats/om/container.h"
#include "formats/om/om.h"
#include "formats/onnx/onnx.h"
#include "formats/wire/text_form.h"
#include "formats/wire/to_json.h"
#include "ops/infer.h"

namespace ge::compiler {
namespace {

constexpr int64_t kModelToJson = 1, kTextToJson = 5, kInformation = 6;
constexpr int64_t kAir = 1, kOnnx = 5;

// What JSON files never show: places in memory and the bytes of weights.
constexpr std::string_view kLeftOut[] = {"output", "data_offset", "data", "workspace", "workspace_bytes",
                                         "memory_size", "weight_size", "size", "bt", "quantize_factor"};
// Of an ONNX model.
constexpr std::string_view kOnnxLeftOut[] = {"raw_data", "float_data", "int32_data", "string_data",
                                             "int64_data", "double_data", "uint64_data"};

Status Missing(std::string_view option) {
  return Status::Error(StrCat("--", option, " is missing or empty; name a file"), "E10004");
}

// The file is there, but is not what it should be.
Status Unloadable(const Status& status) {
  return Status::Error(StrCat("--om cannot be loaded: ", status.message()), "E10041");
}

Status WriteJson(const std::string& file, Result<std::string> json) {
  if (!json.ok()) return Unloadable(json.status());
  return WriteTextFile(file, json.value());
}

Status OfflineModelToJson(const ShowRequest& request, const std::shared_ptr<const MappedFile>& file) {
  if (file->bytes().substr(0, 4) == "PK\x03\x04") {
    return Status::Error(
        StrCat("--om '", request.om, "' is an .om2 archive, which this version cannot show; pass an .om"), "E10055");
  }
  auto model = formats::om::ModelOf(file);
  if (!model.ok()) return Unloadable(model.status().WithContext(StrCat("model '", request.om, "'")));
  return WriteJson(request.json, formats::wire::ToJson(model.value().bytes, formats::air::ModelSchema(), kLeftOut));
}

Status SourceModelToJson(const ShowRequest& request, const std::shared_ptr<const MappedFile>& file) {
  if (!request.with_shapes) {
    return WriteJson(request.json, formats::wire::ToJson(file->bytes(), formats::dump::OnnxSchema(), kOnnxLeftOut));
  }
  auto graph = formats::onnx::Load(request.om);
  if (!graph.ok()) return Unloadable(graph.status());
  GE_RETURN_IF_ERROR(ops::InferShapes(*graph.value()));
  std::string model = formats::air::EncodeForPeople(*graph.value(), false);
  return WriteJson(request.json, formats::wire::ToJson(model, formats::air::ModelSchema(), {}));
}

Status TextToJson(const ShowRequest& request, const std::shared_ptr<const MappedFile>& file) {
  auto model = formats::wire::FromText(file->bytes(), formats::air::ModelSchema());
  if (!model.ok()) return Unloadable(model.status().WithContext(StrCat("text '", request.om, "'")));
  return WriteJson(request.json, formats::wire::ToJson(model.value(), formats::air::ModelSchema(), kLeftOut));
}

}  // namespace

Status CheckShowRequest(const ShowRequest& request) {
  if (request.mode == kInformation && request.framework >= 0) {
    return Status::Error("--mode=6 shows an .om and takes no --framework; leave it out", "E10057");
  }
  if (request.om.empty()) return Missing("om");
  if (request.mode == kInformation) return CheckReadable(request.om, "--om", "offline model");
  if (request.json.empty()) return Missing("json");
  constexpr std::string_view kText = ".txt";
  bool text = request.om.size() > kText.size() &&
              std::string_view(request.om).substr(request.om.size() - kText.size()) == kText;
  if (request.mode == kTextToJson && !text) {
    return Status::Error(
        StrCat("--mode=5 reads a text dump, found --om '", request.om, "'; name a ge_proto_*.txt file"), "E10001");
  }
  if (request.mode == kModelToJson && request.framework == kAir) {
    return Status::Error("--mode=1 shows no .air (--framework=1); compile it with --emit=om first", "E10001");
  }
  if (request.mode == kModelToJson && request.framework >= 0 && request.framework != kOnnx) {
    return Status::Error(StrCat("--framework=", request.framework,
                                " is not supported; only ONNX models (--framework=5) "
                                "can be shown, and offline models without --framework"),
                         "E10055");
  }
  GE_RETURN_IF_ERROR(CheckReadable(request.om, "--om", "model or text dump"));
  GE_RETURN_IF_ERROR(CheckKeepsInput(request.json, "--json", request.om, "--om"));
  return CheckWritable(request.json, "--json");
}

Status Show(const ShowRequest& request, std::ostream& out) {
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(request.om));
  if (request.mode == kInformation) {
    auto text = formats::om::Information(file);
    if (!text.ok()) return Unloadable(text.status());
    out << text.value();
    return Status::Ok();
  }
  if (request.mode == kTextToJson) return TextToJson(request, file);
  return request.framework == kOnnx ? SourceModelToJson(request, file) : OfflineModelToJson(request, file);
}

}  // namespace ge::compiler
