#include "custom_op/onnx_plugin.h"

#include <atomic>
#include <map>
#include <mutex>

#include "base/strings.h"

namespace ge::custom_op {
namespace {

struct Plugins {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const OnnxPlugin>, std::less<>> by_origin;
  std::atomic<size_t> count{0};
};

Plugins& ThePlugins() {
  static auto* plugins = new Plugins;  // never destroyed
  return *plugins;
}

}  // namespace

Status RegisterOnnxPlugin(OnnxPlugin plugin) {
  Plugins& all = ThePlugins();
  auto shared = std::make_shared<const OnnxPlugin>(std::move(plugin));
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const std::string& origin : shared->origin_types) {
    const auto it = all.by_origin.find(origin);
    if (it == all.by_origin.end() || it->second->descriptor_key == shared->descriptor_key) continue;
    return Status::Error(StrCat("ONNX plugin '", shared->descriptor_key, "' cannot be registered: '", origin,
                                "' belongs to plugin '", it->second->descriptor_key, "'"));
  }
  for (const std::string& origin : shared->origin_types) all.by_origin[origin] = shared;
  all.count.store(all.by_origin.size(), std::memory_order_release);
  return Status::Ok();
}

void ClearOnnxPlugins() {
  Plugins& all = ThePlugins();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.by_origin.clear();
  all.count.store(0, std::memory_order_release);
}

bool HasOnnxPlugins() { return ThePlugins().count.load(std::memory_order_acquire) != 0; }

std::shared_ptr<const OnnxPlugin> FindOnnxPlugin(std::string_view domain, int64_t opset, std::string_view type) {
  if (!HasOnnxPlugins()) return nullptr;
  Plugins& all = ThePlugins();
  const std::string origin = StrCat(domain, "::", opset, "::", type);
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto it = all.by_origin.find(origin);
  return it == all.by_origin.end() ? nullptr : it->second;
}

}  // namespace ge::custom_op
