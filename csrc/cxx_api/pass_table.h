// What C++ passes are registered, by the library that brought them: nothing of a library stays registered once it is closed.
#ifndef GE_CXX_API_PASS_TABLE_H_
#define GE_CXX_API_PASS_TABLE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/legacy_pass.h"
#include "fusion/pass_registry.h"

namespace ge::cxx_api {

struct FusionRegistration {
  std::string name;
  fusion::Stage stage = fusion::Stage::kBeforeInferShape;
  std::string kind;
  // ge::v1::fusion::CreateFusionPassFn; its address also tells which library it is in.
  void (*create)() = nullptr;
};

// Thread-safe. A registration that a library makes while LoadScope names it belongs to that library, another one to the file
// that holds its code.
class GE_API PassTable {
 public:
  static PassTable& Get();

  // While it lives, registrations of this thread belong to `library`.
  class GE_API LoadScope {
   public:
    explicit LoadScope(std::string library);
    ~LoadScope();
    LoadScope(const LoadScope&) = delete;
    LoadScope& operator=(const LoadScope&) = delete;
  };

  // The numbers are for Remove; 0 is never given.
  uint64_t Add(FusionRegistration registration);
  // `code` is an address in the library.
  uint64_t Add(fusion::LegacyPass pass, const void* code);
  // For good: the library is about to go. Nothing happens for an unknown number.
  void Remove(uint64_t number);

  // Takes the library's passes out of the registries, so that it can be closed.
  void TakeOut(std::string_view library);
  // Puts back what TakeOut took out, if the library is still in memory: then its initialisers don't run again.
  void PutBack(std::string_view library);
  // Registrations of the library that the registry refused, with the reason.
  std::vector<std::string> Refusals(std::string_view library) const;
  // Number of its passes that are registered.
  size_t Count(std::string_view library) const;
  // Of the registration with that descriptor key; null if it is gone.
  void (*FindCreator(std::string_view descriptor_key) const)();

 private:
  struct Entry {
    std::string library;
    bool is_legacy = false;
    FusionRegistration fusion;
    fusion::LegacyPass legacy;
    bool active = false;
    uint64_t legacy_number = 0;
    std::string refusal;
  };

  uint64_t Insert(Entry entry);
  void Activate(uint64_t number, Entry& entry);
  void Deactivate(uint64_t number, Entry& entry);

  mutable std::mutex mutex_;
  uint64_t last_ = 0;
  std::map<uint64_t, Entry> entries_;
};

// The creator of every C++ pass in the core's registry.
fusion::FusionBasePass* CreateCxxPass();

}  // namespace ge::cxx_api

#endif  // GE_CXX_API_PASS_TABLE_H_
