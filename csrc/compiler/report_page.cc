#include "compiler/report_page.h"

#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "compiler/output_path.h"
#include "compiler/python_program.h"
#include "compiler/temporary_file.h"
#include "compiler/verify_process.h"
#include "loader/subprocess.h"

namespace ge::compiler {
namespace {

constexpr const char* kCannotWrite = "E13004";
constexpr int kTimeoutSeconds = 600;
constexpr int kNotWritten = 3;  // an exit code of ge._report

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

Status Failed(const std::string& path, std::string_view reason) {
  return Status::Error(StrCat("cannot write --report '", path, "': ", reason), kCannotWrite);
}

Status WriteHtml(const std::string& json, const std::string& path, const std::string& python) {
  TemporaryFile data;
  if (!data.Write(json))
    return Failed(path, StrCat("no temporary file: ", std::strerror(errno), "; name another folder in TMPDIR"));
  auto done =
      loader::RunSubprocess({python, "-c", PythonProgram("ge._report"), PackageParent(), data.path(), path}, kTimeoutSeconds);
  constexpr std::string_view kRemedy =
      "; name an interpreter in GE_PYTHON_EXECUTABLE, or write JSON, which needs none, with --report=NAME.json";
  if (!done.ok()) {
    return Failed(path,
                  StrCat("the page is made by Python, which could not be run: ", done.status().message(), kRemedy));
  }
  if (done.value().exit_code == 0) return Status::Ok();
  std::string_view said = Trim(done.value().text);
  size_t last = said.rfind('\n');
  if (last != std::string_view::npos) said = said.substr(last + 1);
  if (done.value().exit_code == kNotWritten) {
    return Failed(path, StrCat(said, "; free some space or choose another folder, what was there before is untouched"));
  }
  return Failed(path, StrCat("'", python, " -m ge._report' said '", said, "'", kRemedy));
}

}  // namespace

Status CheckReportPath(const std::string& path) {
  if (!EndsWith(path, ".html") && !EndsWith(path, ".json")) {
    return Status::Error(StrCat("value '", path,
                                "' of --report ends neither in .html nor in .json; use for example "
                                "report.html"),
                         "E10001");
  }
  return CheckWritable(path, "--report");
}

Status WriteReport(const std::string& json, const std::string& path, const std::string& python) {
  GE_RETURN_IF_ERROR(CreateFolders(path));
  return EndsWith(path, ".json") ? WriteTextFile(path, json) : WriteHtml(json, path, python);
}

}  // namespace ge::compiler
