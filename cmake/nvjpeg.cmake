# Defines nvJPEG as one target, facepipe_nvjpeg. ./dev setup unpacks nvJPEG's wheel into data/fetched. A toolkit
# that contains nvJPEG works, too. In the wheel, the library's name is libnvjpeg.so.13; there is no libnvjpeg.so.
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
