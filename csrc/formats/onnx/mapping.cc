#include "formats/onnx/mapping.h"

#include "formats/onnx/private_attrs.h"

namespace ge::formats::onnx {

const PrivateAttrs& Private() {
  static const PrivateAttrs* attrs = new PrivateAttrs;
  return *attrs;
}

const MappingTable& MappingTable::Get() {
  static const MappingTable* table = new MappingTable;  // never destroyed
  return *table;
}

MappingTable::MappingTable() {
  AddElementwise(*this);
  AddActivations(*this);
  AddMatMul(*this);
  AddConv(*this);
  AddPool(*this);
  AddNorm(*this);
  AddReduce(*this);
  AddReshape(*this);
  AddIndexing(*this);
  AddSplitConcat(*this);
  AddResize(*this);
  AddSoftmax(*this);
  AddLayers(*this);
  AddSampling(*this);
  AddSequences(*this);
  AddMisc(*this);
}

const ImportRule* MappingTable::FindImport(std::string_view onnx_op, int64_t opset) const {
  auto found = imports_.find(onnx_op);
  if (found == imports_.end() || opset < kFirstOpset) return nullptr;
  for (const ImportRule& rule : found->second) {
    if (opset >= rule.since && opset < rule.until) return &rule;
  }
  return nullptr;
}

void MappingTable::Import(const char* onnx, int since, ImportFn fn, int until) {
  imports_[onnx].push_back({since, until, fn, nullptr});
}

void MappingTable::AddExport(const char* ge, const ExportRule& rule) {
  ir::Symbol type(ge);
  if (type.id() >= exports_.size()) exports_.resize(type.id() + 1);
  exports_[type.id()] = rule;
}

const OpRow* MappingTable::Keep(OpRow row) {
  row.ge_symbol = ir::Symbol(row.ge);
  rows_.push_back(std::make_unique<OpRow>(std::move(row)));
  return rows_.back().get();
}

const OpRow* MappingTable::Row(OpRow row) {
  const OpRow* kept = ExportRow(std::move(row));
  imports_[kept->onnx].push_back({kept->since, kept->until, nullptr, kept});
  return kept;
}

const OpRow* MappingTable::ImportRow(OpRow row) {
  const OpRow* kept = Keep(std::move(row));
  imports_[kept->onnx].push_back({kept->since, kept->until, nullptr, kept});
  return kept;
}

const OpRow* MappingTable::ExportRow(OpRow row) {
  const OpRow* kept = Keep(std::move(row));
  AddExport(kept->ge, {.since = kept->since, .row = kept, .typed_as = kept->onnx});
  return kept;
}

}  // namespace ge::formats::onnx
