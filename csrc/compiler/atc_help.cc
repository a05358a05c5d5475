#include <string>

#include "base/strings.h"
#include "compiler/atc_options.h"

namespace ge::compiler {
namespace {

constexpr size_t kHelpColumn = 38;
constexpr size_t kWidth = 110;

std::string_view Heading(OptionGroup group) {
  switch (group) {
    case OptionGroup::kGeneral:
      return "\n===== Basic Functionality =====\n[General]\n";
    case OptionGroup::kInput:
      return "\n[Input]\n";
    case OptionGroup::kOutput:
      return "\n[Output]\n";
    case OptionGroup::kTarget:
      return "\n[Target]\n";
    case OptionGroup::kFeature:
      return "\n===== Advanced Functionality =====\n[Feature]\n";
    case OptionGroup::kModelTuning:
      return "\n[Model Tuning]\n";
    case OptionGroup::kOperatorTuning:
      return "\n[Operator Tuning]\n";
    case OptionGroup::kDebug:
      return "\n[Debug]\n";
  }
  return "";
}

// Words of `text` from `column` on, further lines begin at kHelpColumn.
void AppendWrapped(std::string_view text, size_t column, std::string* out) {
  bool first = true;
  for (std::string_view word : Split(text, ' ')) {
    if (!first && column + 1 + word.size() > kWidth) {
      out->append("\n").append(kHelpColumn, ' ');
      column = kHelpColumn;
    } else if (!first) {
      out->push_back(' ');
      ++column;
    }
    out->append(word);
    column += word.size();
    first = false;
  }
  out->push_back('\n');
}

void AppendOption(const OptionSpec& spec, std::string* out) {
  std::string left = StrCat("  --", spec.name);
  if (!spec.value_name.empty()) left += StrCat("=", spec.value_name);
  out->append(left);
  if (left.size() + 1 > kHelpColumn) {
    out->push_back('\n');
    left.clear();
  }
  out->append(kHelpColumn - left.size(), ' ');
  std::string text(spec.help);
  // A long help says its values itself.
  bool no_effect = spec.effect == OptionEffect::kIgnored || spec.effect == OptionEffect::kNoted;
  if (!spec.values.empty() && no_effect) {
    std::vector<std::string_view> values;
    for (std::string_view v : Split(spec.values, '|')) {
      if (!v.empty()) values.push_back(v);
    }
    text += StrCat(": ", Join(values, ", "));
  }
  if (spec.effect == OptionEffect::kIgnored) text += " (no effect)";
  if (spec.effect == OptionEffect::kNoted) text += " (noted in the .om)";
  if (spec.effect == OptionEffect::kRefused) text += " (refused)";
  AppendWrapped(text, kHelpColumn, out);
}

}  // namespace

std::string AtcHelp(std::string_view command) {
  std::string out = StrCat(
      "usage: ", command,
      " <args>\n\n"
      "Compiles an ONNX or AIR model: runs the graph passes found through ASCEND_GE_PY_PASS_PATH "
      "(colon-separated .py files\n"
      "and folders of them) over it and writes the better model.\n\n"
      "examples:\n  ",
      command,
      " --framework=5 --model=m.onnx --output=out/m --verify\n"
      "  ASCEND_GE_PY_PASS_PATH=passes ",
      command,
      " --framework=5 --model=m.onnx --output=m --input_shape=\"x:1,3\"\n\n"
      "exit status: 0 success, 255 failure, 130 after Ctrl-C\n"
      "(no effect) marks what is accepted and checked so that existing command lines run, (noted in the .om)\n"
      "the same, but the .om tells it to whoever builds kernels, (refused) what can't be left out without changing\n"
      "the model\n");
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& spec : AtcOptionTable()) {
    if (previous == nullptr || previous->group != spec.group) out.append(Heading(spec.group));
    AppendOption(spec, &out);
    previous = &spec;
  }
  return out;
}

}  // namespace ge::compiler
