// The messages of GE's IR by name.
#ifndef GE_FORMATS_AIR_SCHEMA_H_
#define GE_FORMATS_AIR_SCHEMA_H_

#include "formats/wire/schema.h"

namespace ge::formats::air {

const wire::MessageSpec& ModelSchema();

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_SCHEMA_H_
