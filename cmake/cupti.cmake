# Defines CUPTI as one target, facepipe_cupti, if CMake finds it. Only bench/copy_trace needs CUPTI, and it needs
# the records of version 13. CUPTI is a part of CUDA's toolkit, in a separate folder or among the other libraries.
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
  find_path(CUPTI_INCLUDE_DIR cupti.h
    HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
  find_library(CUPTI_LIBRARY NAMES cupti libcupti.so.13
    HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64)
endif()
if(CUPTI_INCLUDE_DIR AND CUPTI_LIBRARY)
  add_library(facepipe_cupti INTERFACE)
  target_include_directories(facepipe_cupti SYSTEM INTERFACE ${CUPTI_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(facepipe_cupti INTERFACE ${CUPTI_LIBRARY})
endif()
