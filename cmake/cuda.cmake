# Looks for CUDA, unless FACEPIPE_CUDA is OFF. Other files read from FACEPIPE_HAS_CUDA whether CUDA was found.
set(FACEPIPE_CUDA AUTO CACHE STRING "CUDA: AUTO (if nvcc is found), ON or OFF")

# Sets RESULT to the compute capabilities of this machine's GPUs, as far as CUDA 13 supports them. If there is none, it is
# 90, on which we measure. Numbers without an ending include PTX, which newer GPUs can run, too.
function(facepipe_architectures_here result)
  set(found)
  find_program(NVIDIA_SMI nvidia-smi)
  if(NVIDIA_SMI)
    execute_process(COMMAND ${NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE printed ERROR_QUIET RESULT_VARIABLE failed)
    string(REGEX MATCHALL "[0-9]+[.][0-9]" found "${printed}")
    string(REPLACE "." "" found "${found}")
    list(REMOVE_DUPLICATES found)
    list(FILTER found EXCLUDE REGEX "^([1-6].|7[0-4])$")
  endif()
  if(failed OR NOT found)
    set(found 90)
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

if(NOT DEFINED FACEPIPE_CUDA_ARCHITECTURES)
  facepipe_architectures_here(architectures)
endif()
set(FACEPIPE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
  "As CMAKE_CUDA_ARCHITECTURES; default: those of this machine's GPUs, or 90 if there is none")
# Line numbers let the profiler and compute-sanitizer name lines of our sources. The kernels are as fast with them, but
# they are nearly half of the code's size.
option(FACEPIPE_CUDA_LINES "Kernels have line numbers, for ncu and compute-sanitizer" OFF)

set(FACEPIPE_HAS_CUDA OFF)
if(NOT FACEPIPE_CUDA STREQUAL OFF)
  # These variables are set before CUDA is enabled as a language. Otherwise CMake would choose their values.
  set(CMAKE_CUDA_ARCHITECTURES ${FACEPIPE_CUDA_ARCHITECTURES})
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 doesn't know that nvcc supports C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    # CUDA 13 no longer has this library. Debian 12's CMake 3.25.1 tries to mark it as deprecated, and fails.
    if(NOT TARGET CUDA::nvToolsExt)
      add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
    endif()
    find_package(CUDAToolkit REQUIRED)
    # The strongest compression makes the code less than half as large. Drivers of CUDA 12 may be too old to read it;
    # each driver of CUDA 13 can.
    set(facepipe_compress)
    if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
      set(facepipe_compress --compress-mode=size)
    endif()
    set(FACEPIPE_HAS_CUDA ON)
    include(${CMAKE_CURRENT_LIST_DIR}/nvjpeg.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/ffnvcodec.cmake)
    if(FACEPIPE_BENCH)
      include(${CMAKE_CURRENT_LIST_DIR}/cupti.cmake)
    endif()
  elseif(FACEPIPE_CUDA STREQUAL ON)
    message(FATAL_ERROR "FACEPIPE_CUDA=ON, but nvcc is not found: set CUDACXX or CMAKE_CUDA_COMPILER")
  endif()
endif()

# facepipe_cuda_sources(TARGET FILES...): compiles FILES into TARGET, and links CUDA's runtime statically.
# FILES are CUDA sources, or C++ sources that use the runtime.
function(facepipe_cuda_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:${facepipe_compress}>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FACEPIPE_CUDA_LINES}>>:-lineinfo>)
endfunction()
