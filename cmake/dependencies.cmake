# Looks for the libraries that facepipe links, and makes a target for each. Two other files look for the remaining
# libraries: cuda.cmake for the libraries that need CUDA, and opencv.cmake for OpenCV, which can be built with CUDA.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# ./dev setup unpacks OpenVINO's wheel here. OpenVINO_DIR names another installation.
if(NOT FACEPIPE_OPENVINO STREQUAL OFF)
  find_package(OpenVINO QUIET COMPONENTS Runtime
    HINTS ${CMAKE_SOURCE_DIR}/data/fetched/openvino/openvino/cmake)
  if(FACEPIPE_OPENVINO STREQUAL ON AND NOT OpenVINO_FOUND)
    message(FATAL_ERROR "FACEPIPE_OPENVINO=ON, but OpenVINO is not found: run ./dev setup or set OpenVINO_DIR")
  endif()
endif()

find_package(hwy REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(Boost 1.81 REQUIRED)  # only headers: Beast, which reads and writes HTTP
find_package(Protobuf REQUIRED)
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
  libavformat>=59.27 libavcodec>=59.37 libavfilter libavutil libswscale)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp>=2.5)
pkg_check_modules(AVUTIL REQUIRED IMPORTED_TARGET libavutil)

# ONNX's own CMake package names files that Debian does not install.
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
add_library(facepipe_onnx INTERFACE)
target_include_directories(facepipe_onnx SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
target_compile_definitions(facepipe_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(facepipe_onnx INTERFACE ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)

if(FACEPIPE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(FACEPIPE_BENCH)
  find_package(benchmark REQUIRED)
endif()
