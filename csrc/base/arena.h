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
  ~Arena();

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
  void* AllocateSlow(size_t size, size_t align);

  // Small first: a replacement graph of a few nodes is made for every match.
  static constexpr size_t kFirstBlock = 4096;
  static constexpr size_t kMaxBlock = 2 << 20;
  struct Block {
    void* data;
    size_t mapped;  // bytes mapped from the system; 0: from malloc
  };
  static Block AllocateBlock(size_t* size);
  std::vector<Block> blocks_;
  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  size_t next_block_ = kFirstBlock;
};

}  // namespace ge

#endif  // GE_BASE_ARENA_H_
