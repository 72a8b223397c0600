# Sets the language, the warnings and the sanitizers of every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The program is in the root of the build folder, as the README says.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Error messages name the source file of a failed call. This option makes the file's path relative to the root of
# the sources, so that it doesn't show a folder of the machine that built facepipe.
set(prefix_map -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:${prefix_map}>" "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=${prefix_map}>")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(facepipe_warnings INTERFACE)
target_compile_options(facepipe_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${FACEPIPE_WERROR}>:-Werror>>)

# CUDA sources are compiled without -Wpedantic, because nvcc generates host code that causes such warnings.
target_compile_options(facepipe_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra,-Wshadow,-Wnon-virtual-dtor>"
  "$<$<AND:$<BOOL:${FACEPIPE_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")

# GCC 12 wrongly warns of overlapping copies in std::string's operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(facepipe_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(FACEPIPE_SANITIZE)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FACEPIPE_SANITIZE};-fno-omit-frame-pointer;-g;-O1>")
  add_link_options(-fsanitize=${FACEPIPE_SANITIZE})
endif()
