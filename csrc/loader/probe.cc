#include "loader/probe.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/log.h"
#include "base/strings.h"
#include "loader/subprocess.h"

namespace ge::loader {
namespace {

constexpr char kModule[] = "loader";
constexpr int kTimeoutSeconds = 30;
constexpr std::string_view kMarker = "ge-interpreter-probe:";

// Looks beside the executable and its prefixes too, because a relocated Python's build-time paths
// don't exist.
constexpr char kScript[] = R"(
import json, os, sys, sysconfig
value = sysconfig.get_config_var
version = '%d.%d' % sys.version_info[:2]
names = [value('INSTSONAME'), value('LDLIBRARY'), 'libpython%s%s.so.1.0' % (version, getattr(sys, 'abiflags', '')),
         'libpython%s.so.1.0' % version, 'libpython%s.so' % version]
names = [n for n in names if n and '.so' in n]
folders = [value('LIBDIR'), os.path.join(value('LIBDIR') or '', value('MULTIARCH') or ''), value('LIBPL')]
for home in (sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))):
    folders += [os.path.join(home, 'lib'), os.path.join(home, 'lib64')]
found = [os.path.join(d, n) for n in names for d in folders if d and os.path.isfile(os.path.join(d, n))]
print('\nge-interpreter-probe:' + json.dumps({
    'version': sys.version, 'executable': sys.executable, 'prefix': sys.prefix, 'base_prefix': sys.base_prefix,
    'libpython': found[0] if found else '', 'library_name': names[0] if names else 'libpython%s.so' % version,
    'implementation': sys.implementation.name, 'free_threaded': bool(value('Py_GIL_DISABLED'))}))
)";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string TextOf(const JsonValue& json, std::string_view name) {
  const JsonValue* value = json.Find(name);
  return value && value->is_string() ? value->string() : "";
}

std::string LastLine(std::string_view text) {
  std::string_view last;
  for (std::string_view line : Split(text, '\n')) {
    if (!Trim(line).empty()) last = Trim(line);
  }
  constexpr size_t kLongest = 200;
  return last.size() <= kLongest ? std::string(last) : StrCat(last.substr(0, kLongest), "...");
}

Status Unusable(const InterpreterProbe& probe) {
  if (!probe.libpython.empty()) return Status::Ok();
  return Status::Error(StrCat("Python ", ToString(probe.key.version), " of '", probe.executable,
                              "' has no shared library ('", probe.library_name,
                              "'); install it (Debian: apt-get install libpython",
                              ToString(probe.key.version),
                              "; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared)"));
}

}  // namespace

Result<InterpreterProbe> ProbeInterpreter(const std::string& executable) {
  const std::string what = StrCat("cannot ask '", executable, "' which Python it is");
  auto output = RunSubprocess({executable, "-c", kScript}, kTimeoutSeconds);
  if (!output.ok()) return output.status().WithContext(what);
  const SubprocessOutput& run = output.value();
  const size_t marker = run.text.rfind(kMarker);
  if (run.exit_code != 0 || marker == std::string::npos) {
    return Status::Error(StrCat(what, ": it ended with code '", run.exit_code, "' and said '",
                                LastLine(run.text), "'"));
  }
  std::string_view line = std::string_view(run.text).substr(marker + kMarker.size());
  auto parsed = JsonValue::Parse(line.substr(0, line.find('\n')));
  if (!parsed.ok()) return parsed.status().WithContext(what);
  const JsonValue& json = parsed.value();
  if (TextOf(json, "implementation") != "cpython") {
    return Status::Error(
        StrCat(what, ": it is '", TextOf(json, "implementation"), "', expected CPython"));
  }
  auto key = RuntimeKeyFromVersionText(TextOf(json, "version"));
  if (!key)
    return Status::Error(StrCat(what, ": it gives '", TextOf(json, "version"), "' as its version"));
  InterpreterProbe probe;
  probe.key = *key;
  const JsonValue* free_threaded = json.Find("free_threaded");
  probe.key.free_threaded = free_threaded != nullptr && free_threaded->bool_value();
  probe.executable = TextOf(json, "executable");
  probe.key.source = StrCat("'", probe.executable, "'");
  probe.prefix = TextOf(json, "prefix");
  probe.base_prefix = TextOf(json, "base_prefix");
  probe.libpython = TextOf(json, "libpython");
  probe.library_name = TextOf(json, "library_name");
  return probe;
}

Result<InterpreterProbe> ChooseInterpreter() {
  std::vector<std::pair<std::string, std::string>> choices;  // reason, executable
  if (const std::string chosen = Environment("GE_PYTHON_EXECUTABLE"); !chosen.empty()) {
    choices.emplace_back("GE_PYTHON_EXECUTABLE", chosen);
  } else {
    if (const std::string venv = Environment("VIRTUAL_ENV"); !venv.empty()) {
      choices.emplace_back("VIRTUAL_ENV", venv + "/bin/python");
    }
    choices.emplace_back("PATH", "python3");
    choices.emplace_back("PATH", "python");
  }
  std::vector<std::string> problems;
  for (const auto& [reason, executable] : choices) {
    auto probe = ProbeInterpreter(executable);
    Status status = probe.ok() ? Unusable(probe.value()) : probe.status();
    if (status.ok()) {
      probe.value().chosen_because = reason;
      GE_LOG(LogLevel::kInfo, kModule, "chose Python ", ToString(probe.value().key.version),
             " of '", probe.value().executable, "' because of ", reason);
      return probe;
    }
    problems.push_back(StrCat(reason, ": ", status.message()));
    GE_LOG(LogLevel::kWarning, kModule, "interpreter passed over: ", problems.back());
  }
  return Status::Error(
      StrCat("no Python interpreter can be started in this process: ", Join(problems, "; "),
             "; set GE_PYTHON_EXECUTABLE to a CPython with a shared library, or start from Python "
             "(python -m ge.pyatc)"));
}

}  // namespace ge::loader
