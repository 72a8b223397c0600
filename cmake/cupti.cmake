# CUPTI as one imported target, facepipe_cupti, where it is found: bench/copy_trace alone needs it, and
# the records that version 13 has. It comes with the toolkit, in a folder of its own or among the others.
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
