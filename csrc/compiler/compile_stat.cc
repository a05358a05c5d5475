#include "compiler/compile_stat.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {
namespace {

struct Counts {
  int64_t matches = 0;
  int64_t rewrites = 0;
};

// A pass that failed has no effect, and one that works by hand is counted by what it reports.
bool IsCounted(const fusion::PassReport& pass) {
  if (pass.failed) return false;
  return pass.kind == "pattern_fusion" || pass.kind == "decompose" || pass.matches > 0;
}

std::string Quoted(std::string_view text) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += StrCat("\\u00", kHex[c >> 4], kHex[c & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::string CompileStatPath() {
  const char* work = std::getenv("ASCEND_WORK_PATH");
  std::string folder = work != nullptr && *work != '\0' ? JoinPath(work, StrCat("FE/", ::getpid())) : "";
  return JoinPath(folder, "fusion_result.json");
}

std::string CompileStatText(const std::vector<fusion::PassReport>& passes) {
  std::map<std::string, Counts> by_name;
  for (const fusion::PassReport& pass : passes) {
    if (!IsCounted(pass)) continue;
    Counts& counts = by_name[pass.name];
    counts.matches += pass.matches;
    counts.rewrites += pass.rewrites;
  }
  if (by_name.empty()) return "";
  // One process compiles one graph in one session.
  std::string out = "{\n    \"session_and_graph_id_0_0\": {\n        \"graph_fusion\": {";
  const char* separator = "\n";
  for (const auto& [name, counts] : by_name) {
    out += StrCat(separator, "            ", Quoted(name), ": {\n                \"effect_times\": \"", counts.rewrites,
                  "\",\n                \"match_times\": \"", counts.matches, "\"\n            }");
    separator = ",\n";
  }
  return out + "\n        }\n    }\n}\n";
}

Status WriteCompileStat(const std::vector<fusion::PassReport>& passes) {
  std::string text = CompileStatText(passes);
  if (text.empty()) return Status::Ok();
  const std::string path = CompileStatPath();
  const std::string folder = ParentOf(path);
  int error = folder.empty() ? 0 : MakeFolders(folder);
  const std::string temporary = StrCat(path, ".", ::getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (file) error = std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (file && error == 0) return Status::Ok();
  ::unlink(temporary.c_str());
  return Status::Error(StrCat("cannot write the statistics '", path, "': ",
                              error != 0 ? std::strerror(error) : "the file cannot be created",
                              "; name a writable folder in ASCEND_WORK_PATH, or use --export_compile_stat=0"),
                       "E13001");
}

}  // namespace ge::compiler
