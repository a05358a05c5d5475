#include <algorithm>
#include <atomic>
#include <cassert>
#include <deque>
#include <memory>
#include <mutex>
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

  void Add(const OpDef& def) {
    uint32_t id = def.type().id();
    if (id >= by_symbol.size()) by_symbol.resize(id + 1, nullptr);
    assert(by_symbol[id] == nullptr && "an operator type is defined once");
    by_symbol[id] = &def;
  }
  const OpDef* Find(ir::Symbol type) const {
    return type.id() < by_symbol.size() ? by_symbol[type.id()] : nullptr;
  }
};

// What readers see. Never changed once it is published: adding operators publishes another one, and those before it stay,
// so that reading takes no lock and references into them stay good.
struct Snapshot {
  Index index;
  std::vector<const OpDef*> sorted;

  void Add(const OpDef& def) {
    index.Add(def);
    sorted.push_back(&def);
  }
  void Sort() {
    std::sort(sorted.begin(), sorted.end(),
              [](const OpDef* a, const OpDef* b) { return a->type().view() < b->type().view(); });
  }
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
  std::mutex adding;
  std::deque<OpDef> added;
  std::vector<std::unique_ptr<const Snapshot>> snapshots;
  std::atomic<const Snapshot*> current{nullptr};

  Registry() {
    auto first = std::make_unique<Snapshot>();
    for (const OpDef& def : families.defs()) first->Add(def);
    Publish(std::move(first));
  }
  void Publish(std::unique_ptr<Snapshot> snapshot) {
    snapshot->Sort();
    current.store(snapshot.get(), std::memory_order_release);
    snapshots.push_back(std::move(snapshot));
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
  std::lock_guard<std::mutex> lock(registry.adding);
  auto next = std::make_unique<Snapshot>(Current());
  size_t before = registry.added.size();
  for (OpDef& def : defs) {
    const OpDef* existing = next->index.Find(def.type());
    if (existing == nullptr) {
      if (def.infer() == nullptr) def.Infer(InferOpaque);
      next->Add(registry.added.emplace_back(std::move(def)));
      continue;
    }
    const char* part = DifferentPart(*existing, def);
    if (part == nullptr) continue;
    while (registry.added.size() > before) registry.added.pop_back();
    return Status::Error(StrCat("failed to define operator '", def.type().view(), "' for group '", def.es_group(),
                                "': expected the ", part, " of the definition that group '", existing->es_group(),
                                "' has made already, found others; use another name"));
  }
  if (registry.added.size() != before) registry.Publish(std::move(next));
  return Status::Ok();
}

std::vector<const OpDef*> OpsOfGroup(std::string_view es_group) {
  std::vector<const OpDef*> group;
  for (const OpDef* def : AllOps()) {
    if (def->es_group() == es_group) group.push_back(def);
  }
  return group;
}

}  // namespace ge::ops
