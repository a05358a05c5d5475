// The messages of ONNX by name, for the text and JSON forms.
#ifndef GE_FORMATS_DUMP_ONNX_SCHEMA_H_
#define GE_FORMATS_DUMP_ONNX_SCHEMA_H_

#include "formats/wire/schema.h"

namespace ge::formats::dump {

// onnx.ModelProto
const wire::MessageSpec& OnnxSchema();

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_ONNX_SCHEMA_H_
