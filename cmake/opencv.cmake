# Defines OpenCV as one target, facepipe_opencv. It is the system's OpenCV, or the OpenCV with CUDA in the folder
# FACEPIPE_OPENCV.
set(FACEPIPE_OPENCV "" CACHE PATH
  "Where an OpenCV >= 4.14 and < 5 with CUDA and its dnn is installed (data/opencv-cuda builds one); empty: the system's")

add_library(facepipe_opencv INTERFACE)
if(FACEPIPE_OPENCV)
  if(NOT FACEPIPE_HAS_CUDA)
    message(FATAL_ERROR "FACEPIPE_OPENCV is for an OpenCV with CUDA, and this build has none: set FACEPIPE_CUDA=ON")
  endif()
  unset(OpenCV_DIR CACHE)  # an earlier configuration may have set another prefix
  find_package(OpenCV CONFIG QUIET NO_DEFAULT_PATH PATHS ${FACEPIPE_OPENCV})
  if(NOT OpenCV_FOUND)
    message(FATAL_ERROR "FACEPIPE_OPENCV=${FACEPIPE_OPENCV}: no OpenCV is installed there")
  endif()
  if(OpenCV_VERSION VERSION_LESS 4.14 OR NOT OpenCV_VERSION VERSION_LESS 5)
    message(FATAL_ERROR "FACEPIPE_OPENCV=${FACEPIPE_OPENCV}: OpenCV ${OpenCV_VERSION}, but 4.14 or newer below 5 is needed")
  endif()
  if(NOT OpenCV_CUDA_VERSION OR NOT OpenCV_USE_CUDNN)
    message(FATAL_ERROR "FACEPIPE_OPENCV=${FACEPIPE_OPENCV}: this OpenCV was built without CUDA or cuDNN")
  endif()
  foreach(module core imgproc dnn)
    if(NOT TARGET opencv_${module})
      message(FATAL_ERROR "FACEPIPE_OPENCV=${FACEPIPE_OPENCV}: this OpenCV was built without ${module}")
    endif()
  endforeach()
  target_link_libraries(facepipe_opencv INTERFACE opencv_dnn opencv_imgproc opencv_core)
  set(OPENCV_DNN_LIBRARY "${OpenCV_VERSION}, CUDA ${OpenCV_CUDA_VERSION}, cuDNN ${OpenCV_CUDNN_VERSION} (${FACEPIPE_OPENCV})")
else()
  # Debian's libopencv-dnn-dev contains headers and libraries, but no CMake package.
  find_path(OPENCV_INCLUDE_DIR opencv2/dnn.hpp PATH_SUFFIXES opencv4 REQUIRED)
  find_library(OPENCV_CORE_LIBRARY opencv_core REQUIRED)
  find_library(OPENCV_IMGPROC_LIBRARY opencv_imgproc REQUIRED)
  find_library(OPENCV_DNN_LIBRARY opencv_dnn REQUIRED)
  target_include_directories(facepipe_opencv SYSTEM INTERFACE ${OPENCV_INCLUDE_DIR})
  target_link_libraries(facepipe_opencv INTERFACE
    ${OPENCV_DNN_LIBRARY} ${OPENCV_IMGPROC_LIBRARY} ${OPENCV_CORE_LIBRARY})
endif()
