// Conversions of attribute values between the forms of ONNX and GE.
#ifndef GE_FORMATS_ONNX_ATTR_FORMS_H_
#define GE_FORMATS_ONNX_ATTR_FORMS_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx/fields.h"
#include "formats/onnx/mapping.h"
#include "ir/attr.h"

namespace ge::formats::onnx {

// The kind an attribute of this form has in ONNX.
AttrKind OnnxKindOf(AttrForm form);
// ONNX to GE; false if the value has no GE counterpart.
bool IntFromOnnx(AttrForm form, int64_t value, ir::AttrValue* out);
bool IntsFromOnnx(AttrForm form, std::vector<int64_t> values, ir::AttrValue* out);
// GE to ONNX; false if the value is of another kind or has no ONNX counterpart.
bool IntToOnnx(AttrForm form, const ir::AttrValue& value, int64_t* out);
bool IntsToOnnx(AttrForm form, const ir::AttrValue& value, std::vector<int64_t>* out);

// Lists of lists of ints have no kind in ONNX: they are JSON in a string.
bool IntListsFromOnnx(std::string_view json, ir::AttrValue* out);
std::string IntListsToOnnx(const std::vector<std::vector<int64_t>>& lists);

// The tensor that a Constant node with attribute `name` (value_float, value_ints, ...) produces; null for other names.
ir::TensorPtr TensorFromValue(std::string_view name, const ir::AttrValue& value);
// The other way; monostate if the tensor does not fit the attribute.
ir::AttrValue ValueFromTensor(std::string_view name, const ir::Tensor& tensor);
// TensorProto.name as protobuf bytes; empty for an empty name.
std::string TensorNameField(std::string_view name);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_ATTR_FORMS_H_
