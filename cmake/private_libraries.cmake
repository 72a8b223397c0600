# Installs the libraries that are in no package of the system (OpenVINO, nvJPEG) into a folder beside the program's. The
# installed program looks for libraries in this folder, relative to its own place. So the folder of the installation can
# be moved, and the program doesn't need the folder in which it was built.
set(libraries lib/facepipe)
file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${libraries})
set(rpath "$ORIGIN/${from_program}")
if(FACEPIPE_OPENCV)  # the user has installed this OpenCV, so it stays where it is
  list(APPEND rpath ${FACEPIPE_OPENCV}/lib)
endif()
set_target_properties(facepipe PROPERTIES INSTALL_RPATH "${rpath}")

# OpenVINO loads its plug-in for the CPU and its reader of ONNX by name. The other plug-ins and readers aren't needed.
if(OpenVINO_FOUND)
  get_target_property(openvino_library openvino::runtime LOCATION)
  get_filename_component(openvino_folder ${openvino_library} DIRECTORY)
  if(NOT openvino_folder MATCHES "^(/usr)?/lib")  # a system's package, which stays where it is
    file(GLOB openvino_files CONFIGURE_DEPENDS
      ${openvino_folder}/libopenvino.so.* ${openvino_folder}/libopenvino_intel_cpu_plugin.so
      ${openvino_folder}/libopenvino_onnx_frontend.so.* ${openvino_folder}/libtbb.so.*
      ${openvino_folder}/libtbbbind_2_5.so.* ${openvino_folder}/libhwloc.so.*)
    install(FILES ${openvino_files} DESTINATION ${libraries})
  endif()
endif()
if(NVJPEG_LIBRARY)
  get_filename_component(nvjpeg_file ${NVJPEG_LIBRARY} REALPATH)
  install(FILES ${nvjpeg_file} DESTINATION ${libraries} RENAME libnvjpeg.so.13)
endif()
