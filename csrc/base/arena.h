// Bump allocation with stable addresses; everything is freed at once. Not thread-safe.
#ifndef GE_BASE_ARENA_H_
#define GE_BASE_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

namespace ge {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (void* block : blocks_) std::free(block);
  }

  // Uninitialised memory; destructors of what is put there are the caller's business.
  void* Allocate(size_t size, size_t align) {
    uintptr_t p = (next_ + align - 1) & ~(static_cast<uintptr_t>(align) - 1);
    if (p + size > end_) return AllocateSlow(size, align);
    next_ = p + size;
    return reinterpret_cast<void*>(p);
  }
  template <typename T>
  T* AllocateArray(size_t n) {
    return n == 0 ? nullptr : static_cast<T*>(Allocate(n * sizeof(T), alignof(T)));
  }
  // A copy of the text that lives as long as the arena.
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* p = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(p, text.data(), text.size());
    return {p, text.size()};
  }

 private:
  void* AllocateSlow(size_t size, size_t align) {
    size_t block = next_block_;
    if (next_block_ < kMaxBlock) next_block_ *= 2;
    if (size + align > block) block = size + align;
    void* p = std::malloc(block);
    if (p == nullptr) throw std::bad_alloc();
    blocks_.push_back(p);
    next_ = reinterpret_cast<uintptr_t>(p);
    end_ = next_ + block;
    return Allocate(size, align);
  }

  // Small first: a replacement graph of a few nodes is made for every match.
  static constexpr size_t kFirstBlock = 4096;
  static constexpr size_t kMaxBlock = 1 << 20;
  std::vector<void*> blocks_;
  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  size_t next_block_ = kFirstBlock;
};

}  // namespace ge

#endif  // GE_BASE_ARENA_H_
