#include "formats/onnx/model_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/mapped_file.h"
#include "formats/onnx/nested_tensors.h"

namespace ge::formats::onnx {
namespace {

// With the slash at its end; "" is the current one.
std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Keeps other writers out of a folder while files change their places; where the file system has no locks, nothing does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) {
    fd_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

}  // namespace

ModelFiles::ModelFiles(const std::string& path, const OutputFile::Sources* sources)
    : path_(path),
      first_name_(path.substr(FolderOf(path).size()) + ".data"),
      second_name_(first_name_ + "1"),
      sources_(sources) {
  data_name_ = UsedDataName() == first_name_ ? second_name_ : first_name_;
}

std::string ModelFiles::Beside(const std::string& name) const { return FolderOf(path_) + name; }

std::string ModelFiles::UsedDataName() const {
  bool any = false;
  for (const std::string* name : {&first_name_, &second_name_}) any |= ::access(Beside(*name).c_str(), F_OK) == 0;
  if (!any) return {};
  auto model = MappedFile::Open(path_);
  if (!model.ok()) return {};
  std::string used(FirstDataFile(model.value()->bytes()));
  return used == first_name_ || used == second_name_ ? used : std::string();
}

Status ModelFiles::WriteModel(const ModelWriter& write) {
  write_model_ = write;
  model_ = std::make_unique<OutputFile>(sources_);
  GE_RETURN_IF_ERROR(model_->Create(path_));
  return write(data_name_, model_.get());
}

Status ModelFiles::WriteData(const ExternalSink& sink) {
  data_ = std::make_unique<OutputFile>(sources_);
  GE_RETURN_IF_ERROR(data_->Create(Beside(data_name_)));
  data_->Reserve(sink.size());
  for (const ExternalSink::Entry& e : sink.entries()) {
    GE_RETURN_IF_ERROR(data_->PadTo(e.offset));
    GE_RETURN_IF_ERROR(data_->Write(e.data, e.size));
  }
  return data_->Flush();
}

Status ModelFiles::Commit() {
  FolderLock lock(FolderOf(path_));
  const std::string used = UsedDataName();
  if (data_ != nullptr) {
    if (used == data_name_) {
      // Another writer took the name meanwhile.
      data_name_ = used == first_name_ ? second_name_ : first_name_;
      GE_RETURN_IF_ERROR(WriteModel(std::exchange(write_model_, nullptr)));
    }
    GE_RETURN_IF_ERROR(data_->CommitAs(Beside(data_name_)));
  }
  GE_RETURN_IF_ERROR(model_->Commit());
  if (!used.empty()) ::unlink(Beside(used).c_str());
  return Status::Ok();
}

}  // namespace ge::formats::onnx
