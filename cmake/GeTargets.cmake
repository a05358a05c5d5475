# Small verbs that make the project's targets and put them where they belong in the wheel.

# One OBJECT library a folder of csrc.
function(ge_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/csrc ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE GE_VERSION="${PROJECT_VERSION}")
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-missing-field-initializers
                                         # One copy of the core a process: nobody interposes its functions.
                                         -fno-semantic-interposition)
  target_link_libraries(${name} PUBLIC ${ARG_USES})
endfunction()

# Only what the map in cmake/exports names leaves the library.
function(ge_export_map target map)
  set(file ${PROJECT_SOURCE_DIR}/cmake/exports/${map})
  target_link_options(${target} PRIVATE -Wl,--version-script=${file})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${file})
endfunction()

# ge/lib/libge_compiler.so out of the layers given.
function(ge_core_library name)
  cmake_parse_arguments(ARG "" "" "LAYERS" ${ARGN})
  set(objects)
  foreach(layer IN LISTS ARG_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  add_library(${name} SHARED ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ge_compiler LINKER_LANGUAGE CXX)
  target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/csrc ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} pthread)
  # Once loaded it stays: the interpreter and the process's end hold addresses in it.
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,nodelete)
  # A sanitizer's runtime is a library of the process, not of ours.
  if(NOT GE_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  ge_export_map(${name} libge_compiler.map)
  install(TARGETS ${name} LIBRARY DESTINATION ge/lib)
endfunction()

# A native program in ge/bin that uses the core.
function(ge_program name)
  cmake_parse_arguments(ARG "" "OUTPUT_NAME" "SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE GE_VERSION="${PROJECT_VERSION}")
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
  target_link_libraries(${name} PRIVATE ge_compiler_library ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${ARG_OUTPUT_NAME} INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS ${name} RUNTIME DESTINATION ge/bin)
endfunction()
