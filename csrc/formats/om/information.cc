// What --mode=6 shows.
#include <vector>

#include "base/strings.h"
#include "formats/air/fields.h"
#include "formats/om/container.h"
#include "formats/om/om.h"
#include "formats/wire/reader.h"

namespace ge::formats::om {
namespace {

using air::AttrField;
using air::ListField;
using air::MapField;
using air::ModelField;
using wire::Field;
using wire::Reader;

// The attributes of a model, as far as they are shown.
class ModelAttrs {
 public:
  explicit ModelAttrs(std::string_view model) {
    Reader reader(model);
    Field f;
    while (reader.Next(&f)) {
      if (f.bytes_of(ModelField::kAttr)) entries_.push_back(f.bytes);
    }
  }
  // "" when missing.
  std::string_view Text(std::string_view name) const {
    Field f;
    return Find(name, AttrField::kS, &f) ? f.bytes : std::string_view();
  }
  // -1 when missing.
  int64_t Number(std::string_view name) const {
    Field f;
    return Find(name, AttrField::kI, &f) ? f.Int() : -1;
  }
  std::vector<int64_t> Numbers(std::string_view name) const {
    std::vector<int64_t> out;
    Field f, item;
    if (!Find(name, AttrField::kList, &f)) return out;
    Reader list(f.bytes);
    while (list.Next(&item)) {
      if (item.number == ListField::kI) (void)wire::AppendVarints(item, &out);
    }
    return out;
  }

 private:
  bool Find(std::string_view name, uint32_t member, Field* out) const {
    for (std::string_view entry : entries_) {
      std::string_view key, value;
      Reader reader(entry);
      Field f;
      while (reader.Next(&f)) {
        if (f.bytes_of(MapField::kKey)) key = f.bytes;
        if (f.bytes_of(MapField::kValue)) value = f.bytes;
      }
      if (key != name) continue;
      Reader inner(value);
      while (inner.Next(out)) {
        if (out->number == member) return true;
      }
    }
    return false;
  }
  std::vector<std::string_view> entries_;
};

constexpr size_t kSizes = 5;

}  // namespace

Result<std::string> Information(const std::shared_ptr<const MappedFile>& file) {
  auto container = ReadContainer(file->bytes());
  if (!container.ok()) return container.status().WithContext(StrCat("model '", file->path(), "'"));
  auto model = ModelOf(file);
  if (!model.ok()) return model.status().WithContext(StrCat("model '", file->path(), "'"));
  ModelAttrs attrs(model.value().bytes);
  auto bytes = [](int64_t n) { return StrCat("[", n, " B]"); };
  std::string out = "============ Display Model Info start ============\n";
  out += StrCat("Original Atc command line: ", attrs.Text("atc_cmdline"), "\n");
  out += StrCat("system   info: atc_version[", attrs.Text("atc_version"), "], soc_version[", attrs.Text("soc_version"),
                "], framework_type[", attrs.Text("framework_type"), "].\n");
  out += StrCat("resource info: memory_size", bytes(attrs.Number("memory_size")), ", weight_size",
                bytes(attrs.Number("weight_size")), ", stream_num[", attrs.Number("stream_num"), "], event_num[",
                attrs.Number("event_num"), "].\n");
  std::vector<int64_t> sizes = attrs.Numbers("om_info_list");
  if (sizes.size() == kSizes) {
    auto model_size = static_cast<int64_t>(container.value().SizeOf(PartitionType::kModelDef));
    out += StrCat("om       info: modeldef_size", bytes(model_size), ", weight_data_size", bytes(sizes[0]),
                  ", tbe_kernels_size", bytes(sizes[1]), ", cust_aicpu_kernel_store_size", bytes(sizes[2]),
                  ", task_info_size", bytes(sizes[3]), ", so_store_size", bytes(sizes[4]), ".\n");
  } else {
    out += "om       info: the model does not say how large its parts are.\n";
  }
  out += "============ Display Model Info end   ============\n";
  return out;
}

}  // namespace ge::formats::om
