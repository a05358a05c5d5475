#include "formats/dump/dump_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/strings.h"
#include "formats/dump/onnx_schema.h"
#include "formats/dump/onnx_text.h"
#include "formats/dump/proto_text.h"
#include "formats/dump/readable.h"
#include "formats/wire/text_form.h"

namespace ge::formats::dump {
namespace {

// "" if not set.
std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// There is no device; files are named as those of the first one.
constexpr int kDevice = 0;

std::string Folder() {
  int pid = getpid();
  if (std::string_view it = Environment("NPU_COLLECT_PATH"); !it.empty()) {
    return StrCat(it, "/extra-info/graph/", pid, "_", kDevice, "/");
  }
  if (std::string_view it = Environment("DUMP_GRAPH_PATH"); !it.empty()) {
    return StrCat(it, "/pid_", pid, "_deviceid_", kDevice, "/");
  }
  if (std::string_view it = Environment("ASCEND_WORK_PATH"); !it.empty()) return StrCat(it, "/");
  return "./";
}

Status MakeFolder(const std::string& folder) {
  for (size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    std::string path = folder.substr(0, slash);
    if (mkdir(path.c_str(), 0750) != 0 && errno != EEXIST) {
      return Status::Error(StrCat("folder '", path, "' cannot be made: ", std::strerror(errno)));
    }
  }
  return Status::Ok();
}

std::string CleanSuffix(std::string_view suffix) {
  std::string out(suffix);
  for (char& c : out) {
    if (std::strchr("/\\:*?\"<>|", c) != nullptr && c != '\0') c = '_';
  }
  return out;
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::string scratch = StrCat(path, ".part");
  auto failed = [&] {
    Status status = Status::Error(StrCat("file '", path, "' cannot be written: ", std::strerror(errno)));
    std::remove(scratch.c_str());
    return status;
  };
  std::FILE* file = std::fopen(scratch.c_str(), "wb");
  if (file == nullptr) return failed();
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  written = std::fclose(file) == 0 && written;
  if (!written || std::rename(scratch.c_str(), path.c_str()) != 0) return failed();
  return Status::Ok();
}

enum class Level { kUnset, kAll, kNoData, kRelations };

Level LevelOf(std::string_view text) {
  if (text == "1") return Level::kAll;
  if (text == "2") return Level::kNoData;
  return text == "3" ? Level::kRelations : Level::kUnset;
}

OnnxContent OnnxContentAt(Level level) {
  OnnxContent content;
  content.attributes = level != Level::kRelations;
  content.strings = level == Level::kAll || level == Level::kUnset;
  content.tensor_data = level == Level::kAll;
  return content;
}

}  // namespace

std::string Text(const ir::Graph& graph, Form form, const Options* options) {
  const Level level = LevelOf(Environment("DUMP_GE_GRAPH"));
  switch (form) {
    case Form::kOnnx: return OnnxText(graph, OnnxContentAt(level));
    case Form::kOnnxModel: {
      Result<std::string> model = wire::FromText(OnnxText(graph, OnnxContentAt(level)), OnnxSchema());
      return model.ok() ? std::move(model).value() : std::string();
    }
    case Form::kProto: {
      bool without = level == Level::kNoData || level == Level::kRelations;
      Weights weights = level == Level::kAll ? Weights::kData : without ? Weights::kNone : Weights::kDescription;
      bool with_options = level == Level::kAll || level == Level::kNoData;
      return ProtoText(graph, weights, with_options ? options : nullptr);
    }
    case Form::kReadable: break;
  }
  return Readable(graph);
}

Result<std::string> ToFile(const ir::Graph& graph, Form form, std::string_view suffix, const Options* options) {
  static std::atomic<unsigned> counters[4];
  constexpr const char* kNames[] = {"onnx", "proto", "readable", "onnx"};
  constexpr const char* kEndings[] = {"pbtxt", "txt", "txt", "onnx"};
  auto i = static_cast<size_t>(form);
  std::string folder = Folder();
  GE_RETURN_IF_ERROR(MakeFolder(folder));
  char number[16];
  std::snprintf(number, sizeof number, "%08u", counters[i]++);
  std::string path = StrCat(folder, "ge_", kNames[i], "_", number, "_graph_0_", CleanSuffix(suffix), ".", kEndings[i]);
  GE_RETURN_IF_ERROR(WriteFile(path, Text(graph, form, options)));
  return path;
}

}  // namespace ge::formats::dump
