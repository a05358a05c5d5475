#include <algorithm>
#include <atomic>
#include <cassert>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "ops/families.h"
#include "ops/op_def.h"
#include "ops/opaque.h"
#include "ops/registrar.h"

namespace ge::ops {
namespace {

using RegisterFn = void (*)(OpRegistrar&);

constexpr RegisterFn kFamilies[] = {
    RegisterActivation,
    RegisterAttention,
    RegisterControl,
    RegisterConv,
    RegisterCreation,
    RegisterElementwiseBinary,
    RegisterElementwiseUnary,
    RegisterFramework,
    RegisterFrameworkData,
    RegisterJoining,
    RegisterMatmul,
    RegisterNorm,
    RegisterPooling,
    RegisterQuant,
    RegisterRecurrent,
    RegisterReduction,
    RegisterSelection,
    RegisterShape,
    RegisterSlice,
    RegisterVision,
};

// Definitions by symbol id; shorter than the symbol table.
struct Index {
  std::vector<const OpDef*> by_symbol;

  const OpDef*& At(ir::Symbol type) {
    const uint32_t id = type.id();
    if (id >= by_symbol.size()) by_symbol.resize(id + 1, nullptr);
    return by_symbol[id];
  }
  void Add(const OpDef& def) {
    const OpDef*& place = At(def.type());
    assert(place == nullptr && "an operator type is defined once");
    place = &def;
  }
  const OpDef* Find(ir::Symbol type) const {
    return type.id() < by_symbol.size() ? by_symbol[type.id()] : nullptr;
  }
};

// What readers see. Never changed once it is published: a change publishes another one, and those before it stay, so
// that reading takes no lock and references into them stay good.
struct Snapshot {
  Index index;
  std::vector<const OpDef*> sorted;
};

OpRegistrar AllFamilies() {
  OpRegistrar registrar;
  for (RegisterFn fn : kFamilies) fn(registrar);
  return registrar;
}

std::vector<ForeignFn>& ForeignFamilies() {
  static auto* families = new std::vector<ForeignFn>;
  return *families;
}

struct ForeignRegistry {
  OpRegistrar registrar;
  Index index;

  ForeignRegistry() {
    for (ForeignFn fn : ForeignFamilies()) fn(registrar);
    for (const OpDef& def : registrar.defs()) index.Add(def);
  }
};

struct Registry {
  OpRegistrar families = AllFamilies();
  std::mutex changing;
  std::deque<OpDef> added;
  // Families and what users added: what there is without overrides.
  Index base;
  std::unordered_map<ir::Symbol, const OpDef*> overrides;
  std::vector<std::unique_ptr<const Snapshot>> snapshots;
  std::atomic<const Snapshot*> current{nullptr};
  std::atomic<uint64_t> version{0};

  Registry() {
    for (const OpDef& def : families.defs()) base.Add(def);
    Publish();
  }

  // A state that was there before is taken again: overriding and restoring for ever needs no more memory than once.
  void Publish() {
    auto next = std::make_unique<Snapshot>();
    next->index = base;
    for (const auto& [type, def] : overrides) next->index.At(type) = def;
    for (const OpDef* def : next->index.by_symbol) {
      if (def != nullptr) next->sorted.push_back(def);
    }
    std::sort(next->sorted.begin(), next->sorted.end(),
              [](const OpDef* a, const OpDef* b) { return a->type().view() < b->type().view(); });
    auto same = std::find_if(snapshots.begin(), snapshots.end(),
                             [&](const auto& earlier) { return earlier->sorted == next->sorted; });
    if (same == snapshots.end()) same = snapshots.insert(snapshots.end(), std::move(next));
    current.store(same->get(), std::memory_order_release);
    version.fetch_add(1, std::memory_order_release);
  }
};

Registry& TheRegistry() {
  static auto* registry = new Registry;  // never destroyed
  return *registry;
}

const Snapshot& Current() { return *TheRegistry().current.load(std::memory_order_acquire); }

template <typename T, typename Same>
bool SameList(const std::vector<T>& a, const std::vector<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// The first part in which two definitions would be called differently; null when there is none. Element types may differ:
// the definition that was there first knows better.
const char* DifferentPart(const OpDef& a, const OpDef& b) {
  auto same_io = [](const IoDef& x, const IoDef& y) { return x.name == y.name && x.kind == y.kind; };
  auto same_attr = [](const AttrDef& x, const AttrDef& y) {
    return x.name == y.name && x.type == y.type && x.required == y.required &&
           (x.required || ir::Equal(x.default_value, y.default_value));
  };
  auto same_subgraph = [](const SubgraphDef& x, const SubgraphDef& y) { return x.name == y.name && x.kind == y.kind; };
  if (!SameList(a.inputs(), b.inputs(), same_io)) return "inputs";
  if (!SameList(a.outputs(), b.outputs(), same_io)) return "outputs";
  if (!SameList(a.attrs(), b.attrs(), same_attr)) return "attributes";
  if (!SameList(a.subgraphs(), b.subgraphs(), same_subgraph)) return "subgraphs";
  return nullptr;
}

}  // namespace

const OpDef* FindOp(ir::Symbol type) { return Current().index.Find(type); }

bool AddForeignOps(ForeignFn fn) {
  ForeignFamilies().push_back(fn);
  return true;
}

const OpDef* FindForeignOp(ir::Symbol type) {
  static const auto* registry = new ForeignRegistry;  // never destroyed
  return registry->index.Find(type);
}

const std::vector<const OpDef*>& AllOps() { return Current().sorted; }

Status AddUserOps(std::vector<OpDef> defs) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.changing);
  std::vector<OpDef> wanted;
  for (OpDef& def : defs) {
    const OpDef* earlier = nullptr;
    for (const OpDef& one : wanted) {
      if (one.type() == def.type()) earlier = &one;
    }
    const OpDef* existing = earlier ? earlier : Current().index.Find(def.type());
    const char* part = existing ? DifferentPart(*existing, def) : nullptr;
    if (part != nullptr) {
      return Status::Error(StrCat("failed to define operator '", def.type().view(), "' for group '", def.es_group(),
                                  "': expected the ", part, " of the definition that group '", existing->es_group(),
                                  "' has made already, found others; use another name"));
    }
    // Below an override it waits for the override to go.
    if (earlier == nullptr && registry.base.Find(def.type()) == nullptr) wanted.push_back(std::move(def));
  }
  if (wanted.empty()) return Status::Ok();
  for (OpDef& def : wanted) {
    if (def.infer() == nullptr) def.Infer(InferOpaque);
    registry.base.Add(registry.added.emplace_back(std::move(def)));
  }
  registry.Publish();
  return Status::Ok();
}

uint64_t RegistryVersion() { return TheRegistry().version.load(std::memory_order_acquire); }

void OverrideOps(std::span<const OpDef* const> defs) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.changing);
  for (const OpDef* def : defs) registry.overrides[def->type()] = def;
  registry.Publish();
}

void RestoreOps(std::span<const ir::Symbol> types) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.changing);
  size_t restored = 0;
  for (const ir::Symbol type : types) restored += registry.overrides.erase(type);
  if (restored != 0) registry.Publish();
}

std::vector<const OpDef*> OpsOfGroup(std::string_view es_group) {
  std::vector<const OpDef*> group;
  for (const OpDef* def : AllOps()) {
    if (def->es_group() == es_group) group.push_back(def);
  }
  return group;
}

}  // namespace ge::ops
