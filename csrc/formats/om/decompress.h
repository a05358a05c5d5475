// Attribute compression of offline models: names and values of attributes as numbers into tables of the model.
#ifndef GE_FORMATS_OM_DECOMPRESS_H_
#define GE_FORMATS_OM_DECOMPRESS_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace ge::formats::om {

// Whether the ModelDef says that it is compressed.
bool IsCompressed(std::string_view model);
// The same model in the clear, without the attributes that tell how it was compressed.
Result<std::string> Decompress(std::string_view model);

}  // namespace ge::formats::om

#endif  // GE_FORMATS_OM_DECOMPRESS_H_
