# What the stable-ABI targets need of Python and nanobind: include folders, the floor, and the verbs to make them.
#
# nanobind's own CMake package insists on Python 3.10 headers and on a 3.10 floor, so the few flags of its split mode are
# set here.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "Looking for the headers of '${Python_EXECUTABLE}': expected the folder of its 'Python.h', found none; "
                      "install the development package of that Python (on Debian: apt-get install python3-dev)")
endif()

if(GE_NANOBIND_INCLUDE_DIR)
  set(GE_NANOBIND_INCLUDE ${GE_NANOBIND_INCLUDE_DIR})
else()
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --include_dir
                  OUTPUT_VARIABLE GE_NANOBIND_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_VARIABLE error RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "Looking for nanobind with '${Python_EXECUTABLE} -m nanobind --include_dir': expected its "
                        "include folder, found '${error}'; run '${Python_EXECUTABLE} -m pip install nanobind'")
  endif()
endif()
get_filename_component(GE_NANOBIND_ROOT ${GE_NANOBIND_INCLUDE} DIRECTORY)

# The floor follows from what the wheel will hold: PyPI has nanobind's backend for 3.10 and later, the one for 3.9 is ours.
if(GE_CP39_PYTHON)
  set(GE_ABI3_FLOOR 3.9)
  set(GE_LIMITED_API 0x03090000)
else()
  set(GE_ABI3_FLOOR 3.10)
  set(GE_LIMITED_API 0x030A0000)
endif()

# Free-threaded interpreters have a stable ABI of their own from 3.15 on. Folders of its headers, those of an ordinary 3.15 will do;
# empty: no sets for them.
set(GE_ABI3T_INCLUDE "" CACHE STRING "Include folders of CPython 3.15 or later, for artifact sets of the ABI 'abi3t'")
set(GE_ABI3T_FLOOR 3.15)
set(GE_ABI3T_LIMITED_API 0x030F0000)

set(GE_PLATFORM linux-${CMAKE_SYSTEM_PROCESSOR})

# Makes an existing library target a user of the stable ABI and of nanobind's split mode.
#   LIBRARY_PATH: where ge/lib is, seen from the folder the target is installed in.
#   ABI3T: the stable ABI of free-threaded interpreters (PEP 803), by the headers in GE_ABI3T_INCLUDE.
function(ge_use_abi3 target)
  cmake_parse_arguments(ARG "ABI3T" "LIBRARY_PATH;DOMAIN;EXPORTS" "" ${ARGN})
  set(limited_api ${GE_LIMITED_API})
  set(headers ${Python_INCLUDE_DIRS})
  if(ARG_ABI3T)
    set(limited_api ${GE_ABI3T_LIMITED_API})
    set(headers ${GE_ABI3T_INCLUDE})
    target_compile_definitions(${target} PRIVATE Py_TARGET_ABI3T=${limited_api} NB_FREE_THREADED)
  endif()
  set(forced ${PROJECT_SOURCE_DIR}/csrc/abi3_bridge/limited_api.h)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -include ${forced})
  target_compile_definitions(${target} PRIVATE
    GE_VERSION="${PROJECT_VERSION}" GE_LIMITED_API=${limited_api} NB_DOMAIN=${ARG_DOMAIN}
    NB_BACKEND_MODULE=nanobind_backend NB_BACKEND_PYPI=nanobind-backend)
  target_include_directories(${target} SYSTEM PRIVATE ${headers} ${GE_NANOBIND_INCLUDE})
  target_link_libraries(${target} PRIVATE ge_compiler_library ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${ARG_LIBRARY_PATH}")
  ge_export_map(${target} ${ARG_EXPORTS})
endfunction()
