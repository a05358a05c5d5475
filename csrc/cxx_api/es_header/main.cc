// Writes es_all_ops.h: one inline function an operator, out of the operator registry.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ops/op_def.h"

namespace {

using namespace ge;  // NOLINT: a program of one file
using ops::AttrType;
using ops::IoKind;

constexpr const char* kHead = R"(// The operators of the builder in ge/es_graph_builder.h; made out of the operator registry.
//
// A function takes the inputs in order, the builder where no input has to be a tensor, the counts of dynamic outputs, then the
// attributes, required ones first. An operator with several outputs returns a structure of them.
#ifndef GE_ES_ALL_OPS_H_
#define GE_ES_ALL_OPS_H_

#include <limits>
#include <vector>

#include "ge/es_graph_builder.h"

namespace ge {
inline namespace v1 {
namespace es {
)";
constexpr const char* kTail = R"(
}  // namespace es
}  // namespace v1
}  // namespace ge

#endif  // GE_ES_ALL_OPS_H_
)";

const std::set<std::string>& Keywords() {
  static const std::set<std::string> words = {
      "alignas", "alignof", "and",      "asm",      "auto",     "bool",      "break",   "case",     "catch",  "char",
      "class",   "compl",   "concept",  "const",    "continue", "default",   "delete",  "do",       "double", "else",
      "enum",    "explicit", "export",  "extern",   "false",    "float",     "for",     "friend",   "goto",   "if",
      "inline",  "int",     "long",     "mutable",  "namespace", "new",      "not",     "nullptr",  "operator", "or",
      "private", "protected", "public", "register", "requires", "return",    "short",   "signed",   "sizeof", "static",
      "struct",  "switch",  "template", "this",     "throw",    "true",      "try",     "typedef",  "typeid", "typename",
      "union",   "unsigned", "using",   "virtual",  "void",     "volatile",  "while",   "xor"};
  return words;
}

std::string Text(std::string_view view) { return std::string(view); }

std::string Number(float value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value)) return value > 0 ? "std::numeric_limits<float>::infinity()" : "-std::numeric_limits<float>::infinity()";
  char text[32];
  for (int digits = 6; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(text, nullptr) == value) break;
  }
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out + "f";
}

std::string Number(int64_t value) {
  if (value == INT64_MIN) return "std::numeric_limits<int64_t>::min()";
  return std::to_string(value);
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Shown(bool value) { return value ? "true" : "false"; }
std::string Shown(int64_t value) { return Number(value); }
std::string Shown(float value) { return Number(value); }
std::string Shown(const std::string& value) { return Quoted(value); }
std::string Shown(ir::DataType value) { return Text(ir::Name(value)); }
template <typename T>
std::string Shown(const std::vector<T>& values) {
  std::string out = "{";
  for (size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + Shown(static_cast<T>(values[i]));
  return out + "}";
}

const char* TypeOf(AttrType type) {
  switch (type) {
    case AttrType::kInt: return "int64_t ";
    case AttrType::kFloat: return "float ";
    case AttrType::kBool: return "bool ";
    case AttrType::kString: return "const AscendString &";
    case AttrType::kType: return "DataType ";
    case AttrType::kTensor: return "const Tensor &";
    case AttrType::kListInt: return "const std::vector<int64_t> &";
    case AttrType::kListFloat: return "const std::vector<float> &";
    case AttrType::kListBool: return "const std::vector<bool> &";
    case AttrType::kListString: return "const std::vector<AscendString> &";
    case AttrType::kListType: return "const std::vector<DataType> &";
    case AttrType::kListListInt: return "const std::vector<std::vector<int64_t>> &";
  }
  return "";
}

std::string DefaultOf(const ops::AttrDef& attr) {
  if (attr.type == AttrType::kTensor) return "Tensor()";
  const ir::AttrValue& v = attr.default_value;
  if (const auto* x = std::get_if<int64_t>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<float>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<bool>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::string>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<ir::DataType>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<int64_t>>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<float>>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<bool>>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<std::string>>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<ir::DataType>>(&v)) return Shown(*x);
  if (const auto* x = std::get_if<std::vector<std::vector<int64_t>>>(&v)) return Shown(*x);
  return "{}";
}

class Function {
 public:
  explicit Function(const ops::OpDef& def) : def_(def) {}

  std::string Write() {
    AddInputs();
    AddCounts();
    AddAttrs();
    std::ostringstream out;
    std::string result = Result();
    if (def_.outputs().size() > 1) {
      out << "\nstruct " << result << " {\n";
      for (const ops::IoDef& io : def_.outputs()) out << "  " << TypeOf(io) << " " << NameOf(io.name, "out_") << ";\n";
      out << "};\n";
    } else {
      out << "\n";
    }
    out << "inline " << result << " " << Text(def_.type().view()) << "(" << parameters_ << ") {\n";
    out << "  OpCall ge_call(\"" << Text(def_.type().view()) << "\"" << (has_builder_ ? ", owner_builder" : "") << ");\n";
    out << calls_ << Return() << "}\n";
    return out.str();
  }

 private:
  static std::string TypeOf(const ops::IoDef& io) {
    return io.kind == IoKind::kDynamic ? "std::vector<EsTensorHolder>" : "EsTensorHolder";
  }
  std::string NameOf(ir::Symbol name, const char* prefix) const {
    std::string text = Text(name.view());
    return Keywords().count(text) != 0 ? prefix + text : text;
  }
  std::string Unique(ir::Symbol name, const char* prefix) {
    std::string text = NameOf(name, prefix);
    if (!names_.insert(text).second) {
      text = prefix + text;
      names_.insert(text);
    }
    return text;
  }
  void Add(const std::string& parameter) { parameters_ += (parameters_.empty() ? "" : ", ") + parameter; }

  void Call(const std::string& call) { calls_ += "  ge_call." + call + ";\n"; }

  bool MayBeLeftOut(size_t position) const {
    if (def_.has_dynamic_output()) return false;
    for (size_t i = position; i < def_.inputs().size(); ++i) {
      if (def_.inputs()[i].kind != IoKind::kOptional) return false;
    }
    for (const ops::AttrDef& attr : def_.attrs()) {
      if (attr.required) return false;
    }
    return true;
  }

  void AddInputs() {
    bool all_optional = true;
    bool left_out = false;
    for (size_t i = 0; i < def_.inputs().size(); ++i) {
      const ops::IoDef& io = def_.inputs()[i];
      all_optional = all_optional && io.kind == IoKind::kOptional;
      std::string name = Unique(io.name, "in_");
      if (io.kind == IoKind::kDynamic) {
        Add("const std::vector<EsTensorHolder> &" + name);
        Call("DynamicInput(" + name + ")");
        continue;
      }
      left_out = MayBeLeftOut(i);
      Add("const EsTensorLike &" + name + (left_out ? " = nullptr" : ""));
      Call("Input(" + name + ")");
    }
    if (!all_optional) return;
    has_builder_ = true;
    names_.insert("owner_builder");
    Add(std::string("EsGraphBuilder *owner_builder") + (left_out ? " = nullptr" : ""));
  }

  void AddCounts() {
    for (const ops::IoDef& io : def_.outputs()) {
      if (io.kind != IoKind::kDynamic) {
        ++fixed_;
        continue;
      }
      count_ = Text(io.name.view()) + "_num";
      names_.insert(count_);
      Add("size_t " + count_);
    }
  }

  void AddAttrs() {
    for (bool required : {true, false}) {
      for (const ops::AttrDef& attr : def_.attrs()) {
        if (attr.required != required) continue;
        std::string name = Unique(attr.name, "attr_");
        Add(::TypeOf(attr.type) + name + (required ? "" : " = " + DefaultOf(attr)));
        // A tensor attribute without a value is not set.
        if (attr.type == AttrType::kTensor && !required) calls_ += "  if (" + name + ".GetSize() > 0)";
        Call("Attr(\"" + Text(attr.name.view()) + "\", " + name + ")");
      }
    }
  }

  std::string Result() const {
    if (def_.outputs().size() > 1) return Text(def_.type().view()) + "Output";
    return def_.has_dynamic_output() ? "std::vector<EsTensorHolder>" : "EsTensorHolder";
  }

  std::string Return() const {
    std::string total = count_.empty() ? std::to_string(fixed_) : std::to_string(fixed_) + " + " + count_;
    if (def_.outputs().size() <= 1 && count_.empty()) return "  return ge_call.Output();\n";
    std::string out = "  std::vector<EsTensorHolder> ge_outputs = ge_call.Outputs(" + total + ");\n";
    if (def_.outputs().size() == 1) return out + "  return ge_outputs;\n";
    std::string fields, offset = "0";
    for (const ops::IoDef& io : def_.outputs()) {
      fields += fields.empty() ? "" : ", ";
      if (io.kind == IoKind::kDynamic) {
        fields += "{ge_outputs.begin() + (" + offset + "), ge_outputs.begin() + (" + offset + " + " + count_ + ")}";
        offset += " + " + count_;
      } else {
        fields += "ge_outputs[" + offset + "]";
        offset += " + 1";
      }
    }
    return out + "  return {" + fields + "};\n";
  }

  const ops::OpDef& def_;
  std::set<std::string> names_;
  std::string parameters_, calls_, count_;
  size_t fixed_ = 0;
  bool has_builder_ = false;
};

// Made by the builder itself, or with subgraphs, which it does not take, or nothing that an output could depend on.
bool IsLeftOut(const ops::OpDef& def) {
  static const std::set<std::string> framework = {"Data",     "RefData",  "AippData", "AnnData", "AnyData",
                                                  "NetOutput", "Const",   "Constant", "Variable"};
  size_t dynamic_outputs = 0;
  for (const ops::IoDef& io : def.outputs()) dynamic_outputs += io.kind == IoKind::kDynamic ? 1 : 0;
  return framework.count(Text(def.type().view())) != 0 || !def.subgraphs().empty() || def.outputs().empty() || dynamic_outputs > 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE\n";
    return 2;
  }
  std::ostringstream out;
  out << kHead;
  for (const ops::OpDef* def : ops::AllOps()) {
    if (!IsLeftOut(*def)) out << Function(*def).Write();
  }
  out << kTail;
  std::ofstream file(argv[1], std::ios::binary);
  file << out.str();
  file.close();
  if (!file) {
    std::cerr << "[ERROR] writing '" << argv[1] << "': expected a writable file\n";
    return 1;
  }
  return 0;
}
