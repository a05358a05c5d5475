#include "compiler/atc_report.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "base/strings.h"

namespace ge::compiler {
namespace {

std::string Format(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Signed(int64_t value) { return value > 0 ? StrCat("+", value) : StrCat(value); }

std::string AbsolutePath(const std::string& path) {
  std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

constexpr size_t kColumns = 6;
using Row = std::array<std::string, kColumns>;

Row RowOf(const fusion::PassReport& pass) {
  return {std::string(fusion::Name(pass.stage)),
          pass.name,
          StrCat(pass.matches),
          pass.failed ? "failed" : StrCat(pass.rewrites),
          Signed(pass.nodes_after - pass.nodes_before),
          Milliseconds(pass.seconds)};
}

// Bytes of UTF-8 that begin a character: names may hold others than ASCII.
size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string HookProblem(std::string_view what, const fusion::HookError& error) {
  return StrCat("[WARNING] E13028: ", what, ": ", HookPlace(error), error.message, "\n",
                Indented(error.traceback));
}

}  // namespace

std::string Milliseconds(double seconds) {
  double ms = seconds * 1e3;
  return Format(ms < 10 ? "%.2f ms" : ms < 1000 ? "%.1f ms" : "%.0f ms", ms);
}

std::string FileSize(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return "";
  double size = static_cast<double>(st.st_size);
  if (size < 1e3) return StrCat(static_cast<int64_t>(st.st_size), " bytes");
  if (size < 1e6) return Format("%.1f kB", size / 1e3);
  return size < 1e9 ? Format("%.1f MB", size / 1e6) : Format("%.2f GB", size / 1e9);
}

std::string HookPlace(const fusion::HookError& error) {
  std::string out;
  if (!error.source.empty()) out += StrCat(error.source, error.hook.empty() ? ": " : ", ");
  if (!error.hook.empty()) out += StrCat("hook '", error.hook, "': ");
  return out;
}

std::string Indented(std::string_view text) {
  std::string out;
  text = text.substr(0, text.find_last_not_of("\n") + 1);
  if (text.empty()) return out;
  for (std::string_view line : Split(text, '\n')) out += StrCat("        ", line, "\n");
  return out;
}

std::string PassTable(const std::vector<fusion::PassReport>& passes) {
  if (passes.empty()) return "";
  std::vector<Row> rows = {{"stage", "pass", "matches", "rewrites", "nodes", "time"}};
  for (const fusion::PassReport& pass : passes) rows.push_back(RowOf(pass));
  std::array<size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], Width(row[c]));
  }
  std::string out;
  for (const Row& row : rows) {
    out += " ";
    for (size_t c = 0; c < kColumns; ++c) {
      std::string fill(widths[c] - Width(row[c]), ' ');
      bool left = c < 2;
      out += StrCat(" ", left ? row[c] : fill, left ? fill : row[c], c + 1 < kColumns ? " " : "");
    }
    out += "\n";
  }
  return out;
}

std::string PassExplanation(const std::vector<fusion::PassReport>& passes, std::string_view name) {
  std::vector<std::string> ran;
  for (const fusion::PassReport& pass : passes) {
    if (pass.name == name) return StrCat("Explanation of pass '", name, "'\n", fusion::ToText(pass.explanation));
    ran.push_back(StrCat("'", pass.name, "'"));
  }
  return StrCat("[WARNING] --explain_pass: no pass '", name, "' ran",
                ran.empty() ? "" : StrCat("; those that did: ", Join(ran, ", ")), "\n");
}

std::string PassProblems(const std::vector<fusion::PassReport>& passes) {
  std::string out;
  for (const fusion::PassReport& pass : passes) {
    for (const fusion::HookError& error : pass.errors) {
      out += HookProblem(StrCat("pass '", pass.name, "' failed and was left out"), error);
    }
    if (pass.failed && pass.errors.empty()) {
      out += StrCat("[WARNING] E13028: pass '", pass.name,
                    "' failed and was left out: ", pass.error, "\n");
    }
    for (const fusion::HookError& warning : pass.warnings) {
      out += HookProblem(StrCat("pass '", pass.name, "' raised and skipped a place"), warning);
    }
    if (!pass.note.empty()) out += StrCat("[WARNING] E13028: pass '", pass.name, "': ", pass.note, "\n");
    if (pass.more_warnings > 0) {
      out += StrCat("[WARNING] E13028: pass '", pass.name, "': ", pass.more_warnings,
                    " more of that kind\n");
    }
  }
  return out;
}

std::string LoadProblems(const std::vector<loader::LoadProblem>& problems) {
  std::string out;
  for (const loader::LoadProblem& problem : problems) {
    out += HookProblem("Python passes left out",
                       {problem.hook, problem.source, problem.message, problem.traceback, false});
  }
  return out;
}

std::string ProblemCount(const std::vector<fusion::PassReport>& passes, size_t sources_left_out) {
  auto failed = std::count_if(passes.begin(), passes.end(),
                              [](const fusion::PassReport& p) { return p.failed; });
  std::vector<std::string> parts;
  if (failed > 0)
    parts.push_back(StrCat(failed, failed == 1 ? " pass failed and was left out"
                                               : " passes failed and were left out"));
  if (sources_left_out > 0) {
    parts.push_back(StrCat(sources_left_out, sources_left_out == 1 ? " source of passes was left out"
                                                                   : " sources of passes were left out"));
  }
  return Join(parts, ", ");
}

std::string Totals(const CompileReport& report, const AtcTimes& times, const std::vector<OutputLine>& outputs) {
  std::string out =
      StrCat("Nodes    ", report.nodes_before, " -> ", report.nodes_after, " (",
             Signed(report.nodes_after - report.nodes_before), ")\n", "Time     load ", Milliseconds(times.load),
             ", compile ", Milliseconds(times.compile), ", save ", Milliseconds(times.save), "\n");
  for (const OutputLine& line : outputs) {
    out += StrCat("Output   ", AbsolutePath(line.file), " (", FileSize(line.file), ")", line.note.empty() ? "" : ": ",
                  line.note, "\n");
  }
  return out;
}

}  // namespace ge::compiler
