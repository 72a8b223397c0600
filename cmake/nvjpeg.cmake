# Defines nvJPEG as one imported target, facepipe_nvjpeg. ./dev setup unpacks its wheel into data/fetched; a
# toolkit that has it will do, too. The wheel has no library with the plain name.
find_path(NVJPEG_INCLUDE_DIR nvjpeg.h
  HINTS ${CMAKE_SOURCE_DIR}/data/fetched/nvjpeg/include ${CUDAToolkit_INCLUDE_DIRS})
find_library(NVJPEG_LIBRARY NAMES libnvjpeg.so.13 nvjpeg
  HINTS ${CMAKE_SOURCE_DIR}/data/fetched/nvjpeg/lib ${CUDAToolkit_LIBRARY_DIR})
if(NOT NVJPEG_INCLUDE_DIR OR NOT NVJPEG_LIBRARY)
  message(FATAL_ERROR "nvcc is here, but nvJPEG is not: run ./dev setup, or build with FACEPIPE_CUDA=OFF")
endif()
add_library(facepipe_nvjpeg INTERFACE)
target_include_directories(facepipe_nvjpeg SYSTEM INTERFACE ${NVJPEG_INCLUDE_DIR})
target_link_libraries(facepipe_nvjpeg INTERFACE ${NVJPEG_LIBRARY})
