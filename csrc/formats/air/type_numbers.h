// Numbers and names of element types and layouts in files of GE's IR.
#ifndef GE_FORMATS_AIR_TYPE_NUMBERS_H_
#define GE_FORMATS_AIR_TYPE_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/types.h"

namespace ge::formats::air {

// TensorDescriptor.dtype counts differently from everything else.
uint32_t ToProtoType(ir::DataType type);
std::optional<ir::DataType> FromProtoType(uint64_t number);
// Of attributes; nothing for numbers that stand for no type.
std::optional<ir::DataType> FromMemoryType(int64_t number);

// "NCHW", "FORMAT_RESERVED", ...: the name of a layout in files.
std::string_view LayoutName(ir::Format format);
// Also takes the names that older files have, and those with a sub-format ("FRACTAL_Z:16").
std::optional<ir::Format> FromLayoutName(std::string_view name);
// A number with a sub-format and a C0 code in its upper bits; nothing for layouts that are not known.
std::optional<ir::Format> FromLayoutNumber(int64_t number);

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_TYPE_NUMBERS_H_
