// How ONNX operators and GE operators correspond. Each family file holds both halves, import and export, of its rules.
#ifndef GE_FORMATS_ONNX_MAPPING_H_
#define GE_FORMATS_ONNX_MAPPING_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "ir/symbol.h"

namespace ge::formats::onnx {

class NodeImporter;
class NodeExporter;

inline constexpr int kAnyOpset = 1 << 20;
// Mapped operators are read from here on; older models have other attribute rules and stay opaque.
inline constexpr int kFirstOpset = 7;

// How the value of an attribute is written on either side.
enum class AttrForm : uint8_t {
  kInt, kFloat, kString, kInts, kFloats, kStrings,
  kBool,          // GE bool, ONNX int
  kType,          // GE data type number, ONNX element type number
  kDataType,      // GE data type, ONNX element type number
  kInvertedBool,  // GE bool, ONNX int of the opposite
  kSpatial,       // GE [1, 1, a, b], ONNX [a, b]
  kSpatialZeros,  // GE [0, 0, a, b], ONNX [a, b]
  kPads,          // GE [begin0, end0, begin1, end1], ONNX [begin0, begin1, end0, end1]
  kSingleInList,  // GE [a], ONNX a
  kWholeFloat,    // GE float, ONNX int
  kBools,         // GE list of bools, ONNX ints
  kDataTypes,     // GE list of data types, ONNX element type numbers
  kIntLists,      // GE list of lists of ints, ONNX string: JSON, "[[1,2],[3]]"
  kTensor,
};

struct AttrRule {
  AttrRule(std::string_view onnx_name, std::string_view ge_name, AttrForm attr_form, ir::AttrValue default_value = {})
      : onnx(onnx_name), ge(ge_name), form(attr_form), onnx_default(std::move(default_value)) {}

  std::string_view onnx;
  ir::Symbol ge;
  AttrForm form;
  // What ONNX means when the attribute is left out, in GE's form; monostate: ONNX has no default.
  ir::AttrValue onnx_default;
};

struct FixedAttr {
  FixedAttr(std::string_view name, ir::AttrValue v) : ge(name), value(std::move(v)) {}

  ir::Symbol ge;
  ir::AttrValue value;
};

// One ONNX operator <-> one GE operator, inputs and outputs in the same or in a permuted order.
struct OpRow {
  const char* onnx;
  const char* ge;
  int since;
  // One character a GE input: the number of the ONNX input it takes; a letter for an optional one ('c' is input 2);
  // '-' for a GE input that ONNX lacks; '*' for all ONNX inputs (alone).
  const char* inputs;
  std::vector<AttrRule> attrs = {};
  // What ONNX takes for granted: set on import, required on export.
  std::vector<FixedAttr> fixed = {};
  // Required on export alone, since the GE default is right.
  std::vector<FixedAttr> expected = {};
  // GE inputs that ONNX wants as int64.
  std::vector<uint32_t> int64_slots = {};
  int ge_outputs = 1;
  int onnx_outputs = 1;
  int until = kAnyOpset;  // first opset in which the ONNX operator no longer has this form
  ir::Symbol ge_symbol = {};  // of `ge`; filled in by the table
};

// False: the node uses something that the rule cannot keep; nothing was changed and the node stays opaque.
using ImportFn = bool (*)(NodeImporter&);
using ExportFn = Status (*)(NodeExporter&);
// The least opset >= `opset` in which the node can be written.
using OpsetFn = int64_t (*)(const ir::Node&, int64_t opset);

struct ImportRule {
  int since = 0, until = kAnyOpset;  // opsets [since, until)
  ImportFn fn = nullptr;             // or
  const OpRow* row = nullptr;
};
struct ExportRule {
  int since = 0;
  ExportFn fn = nullptr;      // or
  const OpRow* row = nullptr;
  OpsetFn opset = nullptr;        // beside `since`, for what depends on the node
  const char* typed_as = nullptr;  // the ONNX operator that must take the element type of the first input
  int spelled_out_since = 0;       // the rule can write the node with older operators from here on; 0: it cannot
};

class MappingTable {
 public:
  // Built at the first call; read-only afterwards.
  static const MappingTable& Get();

  const ImportRule* FindImport(std::string_view onnx_op, int64_t opset) const;
  // Whether there is a rule in any opset.
  bool Maps(std::string_view onnx_op) const { return imports_.find(onnx_op) != imports_.end(); }
  const ExportRule* FindExport(ir::Symbol ge_type) const {
    return ge_type.id() < exports_.size() && (exports_[ge_type.id()].fn || exports_[ge_type.id()].row)
               ? &exports_[ge_type.id()]
               : nullptr;
  }

  void Import(const char* onnx, int since, ImportFn fn, int until = kAnyOpset);
  void Export(const char* ge, ExportRule rule) { AddExport(ge, rule); }
  void Export(const char* ge, int since, ExportFn fn) { AddExport(ge, {.since = since, .fn = fn}); }
  // Both halves. The row lives as long as the table.
  const OpRow* Row(OpRow row);
  // The export half is another rule's.
  const OpRow* ImportRow(OpRow row);
  // The import half is a function that hands on to the row.
  const OpRow* ExportRow(OpRow row);

 private:
  MappingTable();
  const OpRow* Keep(OpRow row);
  void AddExport(const char* ge, const ExportRule& rule);

  std::unordered_map<std::string_view, std::vector<ImportRule>> imports_;
  std::vector<ExportRule> exports_;  // by symbol id
  std::vector<std::unique_ptr<OpRow>> rows_;
};

// The families.
void AddElementwise(MappingTable& table);
void AddActivations(MappingTable& table);
void AddMatMul(MappingTable& table);
void AddConv(MappingTable& table);
void AddPool(MappingTable& table);
void AddNorm(MappingTable& table);
void AddReduce(MappingTable& table);
void AddReshape(MappingTable& table);
void AddIndexing(MappingTable& table);
void AddSplitConcat(MappingTable& table);
void AddResize(MappingTable& table);
void AddSoftmax(MappingTable& table);
void AddLayers(MappingTable& table);
void AddSampling(MappingTable& table);
void AddSequences(MappingTable& table);
void AddMisc(MappingTable& table);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_MAPPING_H_
