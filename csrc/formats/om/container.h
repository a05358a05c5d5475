// The container of offline models (.om): a header and a table of partitions.
#ifndef GE_FORMATS_OM_CONTAINER_H_
#define GE_FORMATS_OM_CONTAINER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace ge::formats::om {

inline constexpr size_t kHeaderSize = 256;

enum class PartitionType : uint32_t {
  kModelDef = 0, kWeightsData = 1, kTaskInfo = 2, kTbeKernels = 3, kCustAicpuKernels = 4, kSoBins = 5, kFlowModel = 6,
  kFlowSubmodel = 7, kModelInOutInfo = 8, kBundleModelInfo = 24, kCustomOps = 26,
};

struct Partition {
  PartitionType type;
  std::string_view bytes;
};

// What is known of the first model of a file. Views point into the file.
struct Container {
  std::string name;
  uint32_t model_num = 1;
  bool unknown_shape = false;
  std::vector<Partition> partitions;

  const Partition* Find(PartitionType type) const {
    for (const Partition& p : partitions) {
      if (p.type == type) return &p;
    }
    return nullptr;
  }
  uint64_t SizeOf(PartitionType type) const {
    const Partition* p = Find(type);
    return p != nullptr ? p->bytes.size() : 0;
  }
};

// Whether the file begins like an .om.
bool IsContainer(std::string_view file);
// Errors (E10001) say what is wrong with header or table.
Result<Container> ReadContainer(std::string_view file);

struct PartitionSize {
  PartitionType type;
  uint64_t size;
};
// Header and table of a file with one model whose partitions follow back to back.
std::string HeaderAndTable(std::string_view name, bool unknown_shape, std::string_view platform,
                           const std::vector<PartitionSize>& partitions);

}  // namespace ge::formats::om

#endif  // GE_FORMATS_OM_CONTAINER_H_
