#include "adapters/python_pass_table.h"

#include "base/strings.h"

namespace ge::adapters {
namespace {

std::string_view Text(const char* text) { return text ? text : ""; }

std::vector<std::string> Texts(const char* const* texts, size_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) out.emplace_back(Text(texts[i]));
  return out;
}

Status Refuse(const ge_pass_descriptor& d, std::string_view why) {
  return Status::Error(StrCat("Python pass '", Text(d.pass_name), "' of '", Text(d.source_file),
                              ": ", Text(d.class_name), "' cannot be registered: ", why));
}

bool HasHooks(const ge_pass_hooks& hooks, uint32_t kind) {
  if (hooks.struct_size < sizeof(ge_pass_hooks) || !hooks.create || !hooks.destroy) return false;
  switch (kind) {
    case GE_PASS_FUSION_BASE:
    case GE_PASS_LEGACY_CUSTOM:
      return hooks.run != nullptr;
    case GE_PASS_PATTERN_FUSION:
      return hooks.matcher_config && hooks.patterns && hooks.meet_requirements && hooks.replacement;
    default:
      return hooks.decompose_meet_requirements && hooks.decompose_replacement;
  }
}

}  // namespace

std::string_view Name(ge_pass_kind kind) {
  switch (kind) {
    case GE_PASS_PATTERN_FUSION:
      return "pattern_fusion";
    case GE_PASS_DECOMPOSE:
      return "decompose";
    case GE_PASS_LEGACY_CUSTOM:
      return "legacy_custom";
    default:
      return "fusion_base";
  }
}

PythonPassTable& PythonPassTable::Get() {
  static PythonPassTable* table = new PythonPassTable;
  return *table;
}

Status PythonPassTable::Add(const ge_pass_descriptor& d, const ge_pass_hooks& hooks) {
  if (Text(d.descriptor_key).empty() || Text(d.pass_name).empty())
    return Refuse(d, "it has no name");
  if (d.kind > GE_PASS_LEGACY_CUSTOM) return Refuse(d, StrCat("kind '", d.kind, "' is unknown"));
  if (d.stage >= static_cast<uint32_t>(fusion::Stage::kInvalid)) {
    return Refuse(d, StrCat("stage '", d.stage, "' is unknown"));
  }
  if (!HasHooks(hooks, d.kind)) return Refuse(d, "its bridge lacks a hook of this kind of pass");
  auto pass = std::make_shared<PythonPass>();
  pass->descriptor_key = d.descriptor_key;
  pass->name = d.pass_name;
  pass->source = StrCat(Text(d.source_file), ": ", Text(d.class_name));
  pass->stage = static_cast<fusion::Stage>(d.stage);
  pass->kind = static_cast<ge_pass_kind>(d.kind);
  for (size_t i = 0; i < d.num_op_types; ++i)
    pass->op_types.push_back(ir::Symbol(Text(d.op_types[i])));
  pass->before = Texts(d.before, d.num_before);
  pass->after = Texts(d.after, d.num_after);
  pass->on_demand = (d.flags & GE_PASS_ON_DEMAND) != 0;
  pass->hooks = &hooks;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, added] = passes_.emplace(pass->descriptor_key, pass);
  if (!added)
    return Refuse(d,
                  StrCat("descriptor key '", it->first, "' belongs to '", it->second->source, "'"));
  return Status::Ok();
}

std::shared_ptr<const PythonPass> PythonPassTable::Find(std::string_view descriptor_key) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = passes_.find(descriptor_key);
  return it == passes_.end() ? nullptr : it->second;
}

std::shared_ptr<const PythonPass> PythonPassTable::Remove(std::string_view descriptor_key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = passes_.find(descriptor_key);
  if (it == passes_.end()) return nullptr;
  auto pass = std::move(it->second);
  passes_.erase(it);
  return pass;
}

void PythonPassTable::SetLegacyNumber(std::string_view descriptor_key, uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = passes_.find(descriptor_key);
  if (it == passes_.end()) return;
  // Entries are shared as they are, so a changed one is a new one.
  auto changed = std::make_shared<PythonPass>(*it->second);
  changed->legacy_number = number;
  it->second = std::move(changed);
}

std::vector<std::string> PythonPassTable::Keys() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, pass] : passes_) keys.push_back(key);
  return keys;
}

}  // namespace ge::adapters
