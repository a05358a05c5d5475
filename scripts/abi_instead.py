"""What to call instead of a symbol that is not in the stable ABI, or not yet at the floor."""

from __future__ import annotations

from abi3info import DATAS, FUNCTIONS
from abi3info.models import Symbol

# A symbol, and the ways to do without it, newest first; a way is a tuple of symbols of the stable ABI.
_INSTEAD: dict[str, list[tuple[str, ...]]] = {
    # Not in the stable ABI.
    "PyClassMethod_New": [("PyEval_GetBuiltins", "PyObject_CallFunctionObjArgs")],
    "PyConfig_Clear": [("Py_InitializeEx",)],
    "PyConfig_InitPythonConfig": [("Py_InitializeEx",)],
    "PyConfig_SetBytesString": [("Py_DecodeLocale", "Py_InitializeEx")],
    "PyDict_SetDefault": [("PyDict_GetItemWithError", "PyDict_SetItem")],
    "_PyEval_EvalFrameDefault": [("PyEval_EvalFrameEx",)],
    "PyFrame_GetBack": [("PyObject_GetAttrString",)],
    "PyFrame_GetLocals": [("PyObject_GetAttrString",)],
    "PyGILState_Check": [("PyGILState_GetThisThreadState",)],
    "PyMethod_New": [("PyDescr_NewMethod",), ("PyCFunction_NewEx",)],
    "PyObject_CallMethodNoArgs": [("PyObject_CallMethodObjArgs",)],
    "PyObject_CallMethodOneArg": [("PyObject_CallMethodObjArgs",)],
    "PyObject_CallOneArg": [("PyObject_CallFunctionObjArgs",)],
    "PyObject_Print": [("PyObject_Str", "PyFile_WriteObject")],
    "PyObject_VectorcallDict": [("PyObject_Call",)],
    "PyRun_FileExFlags": [("Py_CompileString", "PyEval_EvalCode")],
    "PyRun_SimpleFileExFlags": [("Py_CompileString", "PyEval_EvalCode")],
    "PyRun_SimpleString": [("Py_CompileString", "PyEval_EvalCode")],
    "PyRun_SimpleStringFlags": [("Py_CompileString", "PyEval_EvalCode")],
    "PyRun_String": [("Py_CompileString", "PyEval_EvalCode")],
    "PyRun_StringFlags": [("Py_CompileString", "PyEval_EvalCode")],
    "PyStaticMethod_New": [("PyEval_GetBuiltins", "PyObject_CallFunctionObjArgs")],
    "PyThreadState_GetUnchecked": [("PyThreadState_Get",)],
    "PyUnicode_AsUTF8": [("PyUnicode_AsUTF8AndSize",), ("PyUnicode_AsUTF8String", "PyBytes_AsString")],
    "PyUnicode_AsUnicode": [("PyUnicode_AsWideCharString",)],
    "PyUnicode_FromKindAndData": [("PyUnicode_DecodeUTF32",)],
    "PyUnicode_FromUnicode": [("PyUnicode_FromWideChar",)],
    "PyUnicode_New": [("PyUnicode_FromStringAndSize",)],
    "Py_InitializeFromConfig": [("Py_InitializeEx",)],
    "_PyBytes_Join": [("PyObject_CallMethodObjArgs",)],
    "_PyDict_GetItem_KnownHash": [("PyDict_GetItemWithError",)],
    "_PyDict_NewPresized": [("PyDict_New",)],
    "_PyLong_AsByteArray": [("PyObject_CallMethod",)],
    "_PyLong_FromByteArray": [("PyObject_CallMethod",)],
    "_PyObject_GetDictPtr": [("PyObject_GenericGetDict",), ("PyObject_GetAttrString",)],
    "_PyObject_GetMethod": [("PyObject_GetAttr",)],
    "_PyObject_LookupAttr": [("PyObject_GetOptionalAttr",), ("PyObject_GetAttr", "PyErr_ExceptionMatches")],
    "_PySet_NextEntry": [("PyObject_GetIter", "PyIter_Next")],
    "_PyThreadState_UncheckedGet": [("PyThreadState_Get",)],
    "_PyType_Lookup": [("PyObject_GetAttr",)],
    "_PyUnicode_FastCopyCharacters": [("PyUnicode_Concat",)],
    "_PyUnicode_Ready": [("PyUnicode_GetLength",)],
    "_Py_HashBytes": [("PyObject_Hash",)],
    "_Py_HashDouble": [("PyObject_Hash",)],
    "_Py_HashPointer": [("PyObject_Hash",)],
    # In the stable ABI, but of later versions.
    "PyDict_GetItemRef": [("PyDict_GetItemWithError", "Py_IncRef")],
    "PyDict_GetItemStringRef": [("PyDict_GetItemString", "Py_IncRef")],
    "PyErr_DisplayException": [("PyErr_Display",)],
    "PyErr_GetHandledException": [("PyErr_GetExcInfo",)],
    "PyErr_GetRaisedException": [("PyErr_Fetch", "PyErr_NormalizeException")],
    "PyErr_SetHandledException": [("PyErr_SetExcInfo",)],
    "PyErr_SetRaisedException": [("PyErr_Restore",)],
    "PyImport_AddModuleRef": [("PyImport_AddModule", "Py_IncRef")],
    "PyList_GetItemRef": [("PyList_GetItem", "Py_IncRef")],
    "PyLong_AsInt": [("PyLong_AsLong",)],
    "PyMapping_GetOptionalItem": [("PyObject_GetItem", "PyErr_ExceptionMatches")],
    "PyMapping_GetOptionalItemString": [("PyMapping_GetItemString", "PyErr_ExceptionMatches")],
    "PyModule_Add": [("PyModule_AddObjectRef",), ("PyModule_AddObject",)],
    "PyModule_AddObjectRef": [("PyModule_AddObject", "Py_IncRef")],
    "PyModule_AddType": [("PyType_Ready", "PyModule_AddObject")],
    "PyObject_CallNoArgs": [("PyObject_CallObject",)],
    "PyObject_GetBuffer": [("PyMemoryView_FromObject", "PyObject_CallMethod")],
    "PyObject_GetOptionalAttr": [("PyObject_GetAttr", "PyErr_ExceptionMatches")],
    "PyObject_GetOptionalAttrString": [("PyObject_GetAttrString", "PyErr_ExceptionMatches")],
    "PyObject_HasAttrStringWithError": [("PyObject_GetAttrString", "PyErr_ExceptionMatches")],
    "PyObject_HasAttrWithError": [("PyObject_GetAttr", "PyErr_ExceptionMatches")],
    "PyObject_Vectorcall": [("PyObject_Call",)],
    "PyObject_VectorcallMethod": [("PyObject_GetAttr", "PyObject_Call")],
    "PyType_FromMetaclass": [("PyType_FromModuleAndSpec",), ("PyType_FromSpecWithBases",)],
    "PyType_FromModuleAndSpec": [("PyType_FromSpecWithBases",)],
    "PyType_GetFullyQualifiedName": [("PyObject_GetAttrString",)],
    "PyType_GetModule": [("PyState_FindModule",)],
    "PyType_GetModuleByDef": [("PyState_FindModule",)],
    "PyType_GetModuleName": [("PyObject_GetAttrString",)],
    "PyType_GetModuleState": [("PyState_FindModule", "PyModule_GetState")],
    "PyType_GetName": [("PyObject_GetAttrString",)],
    "PyType_GetQualName": [("PyObject_GetAttrString",)],
    "PyUnicode_AsUTF8AndSize": [("PyUnicode_AsUTF8String", "PyBytes_AsStringAndSize")],
    "PyUnicode_EqualToUTF8": [("PyUnicode_CompareWithASCIIString",)],
    "PyVectorcall_Call": [("PyObject_Call",)],
    "PyWeakref_GetRef": [("PyWeakref_GetObject", "Py_IncRef")],
    "Py_GetConstant": [("Py_BuildValue",)],
    "Py_NewRef": [("Py_IncRef",)],
    "Py_Version": [("Py_GetVersion",)],
    "Py_XNewRef": [("Py_IncRef",)],
}


def since(name: str) -> int | None:
    """The minor version that took the symbol into the stable ABI; None if it is not there."""
    entry = FUNCTIONS.get(Symbol(name)) or DATAS.get(Symbol(name))
    return None if entry is None else entry.added.minor


def instead(name: str, floor: int) -> str | None:
    """How to do without `name` at that floor: symbols, each with the version that it is stable since."""
    for way in _INSTEAD.get(name, []):
        versions = [since(symbol) for symbol in way]
        if all(version is not None and version <= floor for version in versions):
            return " and ".join(f"'{symbol}' (3.{version})" for symbol, version in zip(way, versions))
    return None


def remedy(name: str, floor: int) -> str:
    """What to do about a symbol that CPython 3.`floor` does not promise."""
    way, added = instead(name, floor), since(name)
    if added is not None:
        return (f"use {way}" if way else "do without it") + f", or raise the floor to 3.{added}"
    if way:
        return f"use {way}"
    if name.startswith("_"):
        return "it is private to CPython: use a function of the limited API"
    if name.startswith("PyUnstable_"):
        return "it may change with every minor version: use a function of the limited API"
    return "use a function of the limited API"
