#include "compiler/output_path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/output_file.h"
#include "base/strings.h"
#include "compiler/folders.h"

namespace ge::compiler {
namespace {

Status NotWritable(std::string_view option, const std::string& file, std::string_view reason, std::string_view remedy) {
  return Status::Error(StrCat("cannot write ", option, " '", file, "': ", reason, "; ", remedy),
                       "E10001");
}

std::string FolderOf(const std::string& file) {
  size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace

Result<std::string> OutputFile(const std::string& output, std::string_view suffix) {
  std::string file = output;
  bool has_suffix = file.size() > suffix.size() &&
                    file.compare(file.size() - suffix.size(), suffix.size(), suffix) == 0;
  std::string name = file.substr(file.rfind('/') + 1);
  if (name.empty() || name == "." || name == ".." || (has_suffix && name == suffix)) {
    return Status::Error(
        StrCat("--output '", output, "' does not end in a file name; use for example out/model"),
        "E10022");
  }
  if (!has_suffix) file += suffix;
  if (file.size() >= PATH_MAX || file.size() - (file.rfind('/') + 1) > NAME_MAX) {
    return Status::Error(
        StrCat("--output is too long with ", file.size(), " bytes; a path has less than ", PATH_MAX,
               ", a file name at most ", NAME_MAX),
        "E10021");
  }
  return file;
}

Status CheckWritable(const std::string& file, std::string_view option) {
  std::string folder = FolderOf(file);
  struct stat st {};
  int missing = 0;
  while ((missing = ::stat(folder.c_str(), &st)) != 0 && errno == ENOENT && FolderOf(folder) != folder) {
    // A link that leads nowhere is there, so no folder can be made in its place.
    if (::lstat(folder.c_str(), &st) == 0) break;
    folder = FolderOf(folder);
  }
  if (missing != 0) {
    return NotWritable(option, file, StrCat("folder '", folder, "': ", std::strerror(errno)),
                       "name a folder that can be written");
  }
  if (!S_ISDIR(st.st_mode))
    return NotWritable(option, file, StrCat("'", folder, "' is not a folder"), "name another folder");
  bool exists = ::stat(file.c_str(), &st) == 0;
  if (!exists && errno == ENAMETOOLONG) return NotWritable(option, file, std::strerror(errno), "name another file");
  if (exists && !S_ISREG(st.st_mode))
    return NotWritable(option, file, "it exists and is not a regular file", "name another file");
  if (exists && ::access(file.c_str(), W_OK) != 0)
    return NotWritable(option, file, std::strerror(errno), "allow writing to it or name another file");
  // Permissions alone tell too little (root, read-only file systems, /proc), so a file is made for
  // a moment.
#ifdef O_TMPFILE
  int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (unnamed >= 0) {
    ::close(unnamed);
    return Status::Ok();
  }
#endif
  std::string probe = StrCat(folder, "/.atc-", ::getpid(), ".tmp");
  int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno != EEXIST) {
    return NotWritable(
        option, file, StrCat("no file can be made in folder '", folder, "': ", std::strerror(errno)),
        "name a folder that can be written");
  }
  if (fd >= 0) {
    ::close(fd);
    ::unlink(probe.c_str());
  }
  return Status::Ok();
}

Status CreateFolders(const std::string& file) {
  const int error = MakeFolders(FolderOf(file));
  if (error == 0) return Status::Ok();
  return Status::Error(
      StrCat("cannot create the folder of '", file, "': ", std::strerror(error), "; name a folder that can be written"),
      "E13004");
}

Status CheckKeepsInput(const std::string& file, std::string_view option, const std::string& input,
                       std::string_view input_option) {
  if (!IsSameFile(file, input)) return Status::Ok();
  return NotWritable(option, file, StrCat("it is the ", input_option, " that is read"), "name another file");
}

Status WriteTextFile(const std::string& file, std::string_view text) {
  GE_RETURN_IF_ERROR(CreateFolders(file));
  ge::OutputFile out(nullptr);
  GE_RETURN_IF_ERROR(out.Create(file));
  GE_RETURN_IF_ERROR(out.Write(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return out.Commit();
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat sa {
  }, sb{};
  return ::stat(a.c_str(), &sa) == 0 && ::stat(b.c_str(), &sb) == 0 && sa.st_dev == sb.st_dev &&
         sa.st_ino == sb.st_ino;
}

}  // namespace ge::compiler
