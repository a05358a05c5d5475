// Protobuf text format, a field a line.
#ifndef GE_FORMATS_DUMP_TEXT_PROTO_H_
#define GE_FORMATS_DUMP_TEXT_PROTO_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ge::formats::dump {

class TextProto {
 public:
  // A string or bytes field.
  void Text(std::string_view field, std::string_view value);
  void Int(std::string_view field, int64_t value);
  void Float(std::string_view field, float value);
  void Bool(std::string_view field, bool value) { Word(field, value ? "true" : "false"); }
  // A name of an enumeration.
  void Word(std::string_view field, std::string_view value);
  // `body` writes the fields of a message.
  template <typename Body>
  void Message(std::string_view field, Body body) {
    Open(field);
    body();
    Close();
  }
  std::string Take() { return std::move(out_); }

 private:
  void Indent() { out_.append(static_cast<size_t>(depth_) * 2, ' '); }
  void Open(std::string_view field);
  void Close();

  int depth_ = 0;
  std::string out_;
};

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_TEXT_PROTO_H_
