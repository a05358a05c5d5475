#include "loader/build_id.h"

#include <link.h>

#include <cstring>
#include <string_view>

namespace ge::loader {
namespace {

constexpr std::string_view kOwner("GNU\0", 4);

struct Search {
  ElfW(Addr) address;  // something in the library that is meant
  std::string id;
};

bool Holds(const dl_phdr_info& info, ElfW(Addr) address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const ElfW(Addr) start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz)
      return true;
  }
  return false;
}

size_t Padded(size_t size) { return (size + 3) / 4 * 4; }

std::string IdAmong(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, body = name + Padded(note.n_namesz);
    const size_t next = body + Padded(note.n_descsz);
    if (next > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(notes + name, note.n_namesz) == kOwner) {
      std::string digits;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(notes[body + i]);
        digits += "0123456789abcdef"[byte >> 4];
        digits += "0123456789abcdef"[byte & 15];
      }
      return digits;
    }
    notes += next;
    size -= next;
  }
  return "";
}

int Visit(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (!Holds(*info, search->address)) return 0;
  for (int i = 0; i < info->dlpi_phnum && search->id.empty(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    search->id = IdAmong(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr),
                         segment.p_memsz);
  }
  return 1;
}

}  // namespace

std::string ThisBuildId() {
  Search search{reinterpret_cast<ElfW(Addr)>(&ThisBuildId), ""};
  ::dl_iterate_phdr(&Visit, &search);
  return search.id;
}

}  // namespace ge::loader
