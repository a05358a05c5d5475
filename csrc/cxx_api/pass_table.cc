#include "cxx_api/pass_table.h"

#include <dlfcn.h>

#include "base/log.h"
#include "base/strings.h"

namespace ge::cxx_api {
namespace {

constexpr std::string_view kModule = "C++ pass";

std::string& LibraryBeingLoaded() {
  thread_local std::string library;
  return library;
}

std::string LibraryOf(const void* code) {
  if (!LibraryBeingLoaded().empty()) return LibraryBeingLoaded();
  Dl_info info{};
  return ::dladdr(code, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string KeyOf(uint64_t number) { return StrCat("c++:", number); }

}  // namespace

PassTable& PassTable::Get() {
  // Never destroyed: libraries take their passes out while the process ends.
  static auto* table = new PassTable;
  return *table;
}

PassTable::LoadScope::LoadScope(std::string library) { LibraryBeingLoaded() = std::move(library); }
PassTable::LoadScope::~LoadScope() { LibraryBeingLoaded().clear(); }

uint64_t PassTable::Add(FusionRegistration registration) {
  Entry entry;
  entry.library = LibraryOf(reinterpret_cast<const void*>(registration.create));
  entry.fusion = std::move(registration);
  return Insert(std::move(entry));
}

uint64_t PassTable::Add(fusion::LegacyPass pass, const void* code) {
  Entry entry;
  entry.library = LibraryOf(code);
  entry.is_legacy = true;
  entry.legacy = std::move(pass);
  entry.legacy.source = StrCat("C++ ", entry.library);
  return Insert(std::move(entry));
}

uint64_t PassTable::Insert(Entry entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t number = ++last_;
  Activate(number, entries_.emplace(number, std::move(entry)).first->second);
  return number;
}

void PassTable::Activate(uint64_t number, Entry& entry) {
  if (entry.active) return;
  if (entry.is_legacy) {
    entry.legacy_number = fusion::LegacyPassRegistry::Get().Add(entry.legacy);
    entry.active = true;
    return;
  }
  fusion::PassRegistration registration;
  registration.name = entry.fusion.name;
  registration.stage = entry.fusion.stage;
  registration.create = &CreateCxxPass;
  registration.kind = entry.fusion.kind;
  registration.source = StrCat("C++ ", entry.library);
  registration.descriptor_key = KeyOf(number);
  Status status = entry.fusion.create == nullptr
                      ? Status::Error(StrCat("cannot register pass '", entry.fusion.name, "' from '", registration.source,
                                             "': it has no function that creates it"))
                      : fusion::PassRegistry::Get().Register(std::move(registration));
  entry.active = status.ok();
  entry.refusal = status.message();
  if (!status.ok()) GE_LOG(LogLevel::kWarning, kModule, status.message());
}

void PassTable::Deactivate(uint64_t number, Entry& entry) {
  if (!entry.active) return;
  entry.active = false;
  if (entry.is_legacy) {
    fusion::LegacyPassRegistry::Get().Remove(entry.legacy_number);
  } else {
    fusion::PassRegistry::Get().Unregister(entry.fusion.name);
  }
  GE_LOG(LogLevel::kInfo, kModule, "registration ", number, " of '", entry.library, "' is out of the registry");
}

void PassTable::Remove(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = entries_.find(number);
  if (found == entries_.end()) return;
  Deactivate(number, found->second);
  entries_.erase(found);
}

void PassTable::TakeOut(std::string_view library) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [number, entry] : entries_) {
    if (entry.library == library) Deactivate(number, entry);
  }
}

void PassTable::PutBack(std::string_view library) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [number, entry] : entries_) {
    if (entry.library == library) Activate(number, entry);
  }
}

std::vector<std::string> PassTable::Refusals(std::string_view library) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [number, entry] : entries_) {
    if (entry.library == library && !entry.refusal.empty()) out.push_back(entry.refusal);
  }
  return out;
}

size_t PassTable::Count(std::string_view library) const {
  std::lock_guard<std::mutex> lock(mutex_);
  size_t count = 0;
  for (const auto& [number, entry] : entries_) count += entry.library == library && entry.active ? 1 : 0;
  return count;
}

void (*PassTable::FindCreator(std::string_view descriptor_key) const)() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [number, entry] : entries_) {
    if (entry.active && !entry.is_legacy && KeyOf(number) == descriptor_key) return entry.fusion.create;
  }
  return nullptr;
}

}  // namespace ge::cxx_api
