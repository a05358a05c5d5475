# find_package(ge CONFIG) gives the target ge::compiler: include folder and library for C++ passes.
#
# The wheel holds the libraries: `python -m ge.config --cmakedir` prints the folder of this file.
get_filename_component(_ge_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(ge_INCLUDE_DIR "${_ge_root}/include")
set(ge_LIBRARY "${_ge_root}/lib/libge_compiler.so")

if(NOT EXISTS "${ge_LIBRARY}" OR NOT EXISTS "${ge_INCLUDE_DIR}/ge/fusion/pass/pattern_fusion_pass.h")
  set(ge_FOUND FALSE)
  set(ge_NOT_FOUND_MESSAGE "expected '${ge_LIBRARY}' and headers in '${ge_INCLUDE_DIR}'; reinstall ge-py")
  unset(_ge_root)
  return()
endif()

if(NOT TARGET ge::compiler)
  add_library(ge::compiler SHARED IMPORTED)
  set_target_properties(ge::compiler PROPERTIES
    IMPORTED_LOCATION "${ge_LIBRARY}"
    IMPORTED_NO_SONAME FALSE
    INTERFACE_INCLUDE_DIRECTORIES "${ge_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
unset(_ge_root)
