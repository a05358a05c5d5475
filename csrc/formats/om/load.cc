#include "base/strings.h"
#include "formats/air/air.h"
#include "formats/om/container.h"
#include "formats/om/decompress.h"
#include "formats/om/om.h"

namespace ge::formats::om {
namespace {

Result<ModelBytes> ModelOf(const Container& container, const std::shared_ptr<const MappedFile>& file) {
  const Partition* model = container.Find(PartitionType::kModelDef);
  if (model == nullptr) {
    bool bundle = container.Find(PartitionType::kBundleModelInfo) != nullptr;
    return Status::Error(bundle ? StrCat("expected a single model, found a bundle of ", container.model_num,
                                         "; have the models saved one by one, or show the model each was made from")
                                : "expected a model with a graph, found none in its partitions",
                         "E10001");
  }
  if (!IsCompressed(model->bytes)) return ModelBytes{model->bytes, file};
  GE_ASSIGN_OR_RETURN(std::string clear, Decompress(model->bytes));
  auto held = std::make_shared<const std::string>(std::move(clear));
  return ModelBytes{*held, held};
}

Result<ir::GraphPtr> ParseFile(const std::shared_ptr<const MappedFile>& file) {
  GE_ASSIGN_OR_RETURN(Container container, ReadContainer(file->bytes()));
  GE_ASSIGN_OR_RETURN(ModelBytes model, ModelOf(container, file));
  const Partition* weights = container.Find(PartitionType::kWeightsData);
  return air::Parse(file, model.bytes, model.owner, weights != nullptr ? weights->bytes : std::string_view());
}

}  // namespace

Result<ModelBytes> ModelOf(const std::shared_ptr<const MappedFile>& file) {
  GE_ASSIGN_OR_RETURN(Container container, ReadContainer(file->bytes()));
  return ModelOf(container, file);
}

Result<ir::GraphPtr> Parse(std::shared_ptr<const MappedFile> file) {
  auto graph = ParseFile(file);
  if (!graph.ok()) return graph.status().WithContext(StrCat("model '", file->path(), "'"));
  return graph;
}

Result<ir::GraphPtr> Load(const std::string& path) {
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return Parse(std::move(file));
}

}  // namespace ge::formats::om
