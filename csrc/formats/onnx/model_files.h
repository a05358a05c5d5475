// A model and the data file it names, put in their places so that no moment shows one without the other.
#ifndef GE_FORMATS_ONNX_MODEL_FILES_H_
#define GE_FORMATS_ONNX_MODEL_FILES_H_

#include <functional>
#include <memory>
#include <string>

#include "base/output_file.h"
#include "base/status.h"
#include "formats/onnx/external_data.h"

namespace ge::formats::onnx {

// The data file is called <model>.data, or <model>.data1 while the model that is to be replaced uses the former. So the old
// model keeps its data until the new one has taken its place, which is one step.
class ModelFiles {
 public:
  // `sources` as for OutputFile.
  ModelFiles(const std::string& path, const OutputFile::Sources* sources);

  // What the model calls its data file.
  const std::string& data_name() const { return data_name_; }
  // Writes the model with the name given for its data file.
  using ModelWriter = std::function<Status(const std::string& data_name, OutputFile*)>;
  Status WriteModel(const ModelWriter& write);
  Status WriteData(const ExternalSink& sink);
  Status Commit();

 private:
  // Our name of the data file that the model in place uses; "" if it uses none of that name.
  std::string UsedDataName() const;
  std::string Beside(const std::string& name) const;

  std::string path_, first_name_, second_name_, data_name_;
  const OutputFile::Sources* sources_;
  ModelWriter write_model_;
  std::unique_ptr<OutputFile> model_, data_;
};

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_MODEL_FILES_H_
