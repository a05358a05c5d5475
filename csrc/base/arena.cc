#include "base/arena.h"

#include <sys/mman.h>

namespace ge {
namespace {

constexpr size_t kHugePage = 2 << 20;

// A mapping aligned to huge pages, or null.
void* MapAligned(size_t size) {
  void* mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(mapped);
  uintptr_t aligned = (begin + kHugePage - 1) & ~(kHugePage - 1);
  if (aligned != begin) munmap(mapped, aligned - begin);
  size_t behind = begin + kHugePage - aligned;
  if (behind != 0) munmap(reinterpret_cast<void*>(aligned + size), behind);
  return reinterpret_cast<void*>(aligned);
}

}  // namespace

Arena::~Arena() {
  for (const Block& block : blocks_) {
    if (block.mapped != 0) {
      munmap(block.data, block.mapped);
    } else {
      std::free(block.data);
    }
  }
}

Arena::Block Arena::AllocateBlock(size_t* size) {
  if (*size < kHugePage) return {std::malloc(*size), 0};
  // A large graph touches all of its memory once: one fault for a huge page instead of 512 small ones.
  *size = (*size + kHugePage - 1) & ~(kHugePage - 1);
  void* data = MapAligned(*size);
  if (data != nullptr) madvise(data, *size, MADV_HUGEPAGE);
  return {data, *size};
}

void* Arena::AllocateSlow(size_t size, size_t align) {
  size_t bytes = next_block_;
  if (next_block_ < kMaxBlock) next_block_ *= 2;
  if (size + align > bytes) bytes = size + align;
  Block block = AllocateBlock(&bytes);
  if (block.data == nullptr) throw std::bad_alloc();
  blocks_.push_back(block);
  next_ = reinterpret_cast<uintptr_t>(block.data);
  end_ = next_ + bytes;
  return Allocate(size, align);
}

}  // namespace ge
