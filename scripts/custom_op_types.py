"""The same as native_types.py, for the native classes of ge.custom_op, ge.onnx_plugin and ge.runtime."""

from __future__ import annotations

from typing import Dict

PARAMETERS: Dict[str, str] = {
    "copy": "Optional[bool]",
    "data_type": "DataType",
    "dtype": "Union[DataType, int]",
    "Tensor.__array__.dtype": "Any",
    "format": "Format",
    "TensorDesc.__init__.format": "Optional[Format]",
    "inputs": "List[Any]",
    "kernel_name": "str",
    "CustomNode.__init__.name": "Optional[str]",
    "op_type": "str",
    "node": "Node",
    "origin_format": "Format",
    "origin_shape": "List[int]",
    "rule": "Union[str, int]",
    "shape": "List[int]",
    "TensorDesc.__init__.shape": "Union[StorageShape, List[int], None]",
    "storage_format": "Format",
    "storage_shape": "List[int]",
    "value": "int",
}

RESULTS: Dict[str, str] = {
    "__repr__": "str",
    "attrs": "Mapping[str, Union[float, int, str, List[float], List[int], List[str]]]",
    "create_kernel_args": "AnnotatedKernelArgs",
    "data_type": "DataType",
    "dims": "List[int]",
    "expand_dims_type": "ExpandDimsType",
    "format": "StorageFormat",
    "TensorDesc.format": "Optional[Format]",
    "get_attrs": "RuntimeAttrs",
    "get_data_type": "DataType",
    "get_dynamic_input_tensor": "Tensor",
    "get_input_tensor": "Tensor",
    "get_list_bool": "List[bool]",
    "get_list_data_type": "List[DataType]",
    "get_list_float": "List[float]",
    "get_list_int": "List[int]",
    "get_list_list_int": "List[List[int]]",
    "get_list_str": "List[str]",
    "get_optional_input_tensor": "Optional[Tensor]",
    "get_output_tensor": "Tensor",
    "get_required_input_tensor": "Tensor",
    "get_str": "str",
    "get_tensor": "Tensor",
    "infer": "List[TensorDesc]",
    "inputs": "Tuple[str, ...]",
    "make_output_ref_input": "Tensor",
    "malloc_output_tensor": "Tensor",
    "AnnotatedArgsContext.malloc_workspace": "WorkspaceAddr",
    "EagerOpExecutionContext.malloc_workspace": "int",
    "name": "str",
    "numpy": "Any",
    "__array__": "Any",
    "origin_format": "Format",
    "origin_shape": "Shape",
    "origin_type": "str",
    "outputs": "Tuple[str, ...]",
    "placement": "TensorPlacement",
    "run": "List[Any]",
    "shape": "StorageShape",
    "storage_format": "Format",
    "storage_shape": "Shape",
    "type": "str",
}

# What a property may be set to, where that is more than it gives.
SETTERS: Dict[str, str] = {
    "TensorDesc.format": "Optional[Format]",
    "TensorDesc.shape": "Union[StorageShape, List[int], None]",
}
