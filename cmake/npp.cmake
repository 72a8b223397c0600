# Defines NPP, NVIDIA's library of image processing, as one target, facepipe_npp, if NPP is found. data/fetch-npp
# unpacks NPP's wheel into data/fetched. A toolkit that contains NPP works, too.
set(npp_folder ${CMAKE_SOURCE_DIR}/data/fetched/npp/nvidia/cu13)
find_path(NPP_INCLUDE_DIR nppi.h HINTS ${npp_folder}/include ${CUDAToolkit_INCLUDE_DIRS})
set(npp_libraries)
foreach(part c icc if ig ial idei)
  find_library(NPP_${part}_LIBRARY npp${part} HINTS ${npp_folder}/lib ${CUDAToolkit_LIBRARY_DIR})
  list(APPEND npp_libraries ${NPP_${part}_LIBRARY})
endforeach()
if(NPP_INCLUDE_DIR AND NOT "${npp_libraries}" MATCHES "NOTFOUND")
  add_library(facepipe_npp INTERFACE)
  target_include_directories(facepipe_npp SYSTEM INTERFACE ${NPP_INCLUDE_DIR})
  target_link_libraries(facepipe_npp INTERFACE ${npp_libraries})
endif()
