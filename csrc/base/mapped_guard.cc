#include "base/mapped_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace ge {
namespace {

// The handler reads these without a lock. An entry is in use while `end` is not 0.
struct Region {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> damaged{false};
  FileState state;  // for MappingIntact, under the lock
};
struct Block {
  std::array<Region, 64> regions;
  std::atomic<Block*> next{nullptr};
};

// Blocks are never freed: a handler may be walking them.
Block first_block;
std::mutex regions_lock;
struct sigaction previous_action;
uintptr_t page_size = 4096;

template <typename Fn>
Region* FindRegion(Fn wanted) {
  for (Block* b = &first_block; b != nullptr; b = b->next.load(std::memory_order_acquire)) {
    for (Region& r : b->regions) {
      if (wanted(r)) return &r;
    }
  }
  return nullptr;
}

Region* RegionOf(uintptr_t address) {
  return FindRegion([address](const Region& r) {
    uintptr_t end = r.end.load(std::memory_order_acquire);
    return end != 0 && address < end && address >= r.begin.load(std::memory_order_relaxed);
  });
}

// Async-signal-safe: atomics and system calls.
bool PutZeros(uintptr_t address) {
  Region* region = RegionOf(address);
  if (region == nullptr) return false;
  uintptr_t page = address / page_size * page_size;
  // Where one page is missing the later ones mostly are, too, and the bytes are worthless now in any case.
  size_t rest = (region->end.load(std::memory_order_relaxed) - page + page_size - 1) / page_size * page_size;
  region->damaged.store(true, std::memory_order_release);
  void* zeros = mmap(reinterpret_cast<void*>(page), rest, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return zeros != MAP_FAILED;
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  if (info->si_code == BUS_ADRERR && PutZeros(reinterpret_cast<uintptr_t>(info->si_addr))) return;
  // A handler that was there first may raise the signal once more; then si_code says that it was sent.
  if (info->si_code > 0 && (previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
    return;
  }
  if (info->si_code > 0 && previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
    return;
  }
  struct sigaction end {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
  if (info->si_code <= 0) raise(signal);
  // Otherwise the read is tried again and ends the process.
}

void InstallHandler() {
  page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous_action);
}

}  // namespace

void GuardMapping(const void* data, const FileState& state) {
  static std::once_flag once;
  std::call_once(once, InstallHandler);
  std::lock_guard lock(regions_lock);
  auto unused = [](const Region& r) { return r.end.load(std::memory_order_relaxed) == 0; };
  Region* region = FindRegion(unused);
  if (region == nullptr) {
    Block* last = &first_block;
    while (Block* next = last->next.load(std::memory_order_relaxed)) last = next;
    last->next.store(new Block, std::memory_order_release);
    region = FindRegion(unused);
  }
  auto begin = reinterpret_cast<uintptr_t>(data);
  region->state = state;
  region->damaged.store(false, std::memory_order_relaxed);
  region->begin.store(begin, std::memory_order_relaxed);
  region->end.store(begin + state.size, std::memory_order_release);
}

void UnguardMapping(const void* data) {
  std::lock_guard lock(regions_lock);
  if (Region* region = RegionOf(reinterpret_cast<uintptr_t>(data))) region->end.store(0, std::memory_order_release);
}

bool MappingIntact(const void* address) {
  std::lock_guard lock(regions_lock);
  Region* region = RegionOf(reinterpret_cast<uintptr_t>(address));
  if (region == nullptr) return true;
  if (region->damaged.load(std::memory_order_acquire)) return false;
  struct stat st {};
  if (fstat(region->state.fd, &st) != 0) return false;
  int64_t mtime_ns = static_cast<int64_t>(st.st_mtim.tv_sec) * 1000000000 + st.st_mtim.tv_nsec;
  return static_cast<size_t>(st.st_size) == region->state.size && mtime_ns == region->state.mtime_ns;
}

}  // namespace ge
