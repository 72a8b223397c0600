# Defines one target, facepipe_ffnvcodec, for the interfaces of NVDEC and NVENC. These are only headers. They are
# the headers with which FFmpeg itself is built.
find_path(FFNVCODEC_INCLUDE_DIR ffnvcodec/dynlink_cuviddec.h)
if(NOT FFNVCODEC_INCLUDE_DIR)
  message(FATAL_ERROR "nvcc is here, but ffnvcodec/dynlink_cuviddec.h is not: run ./dev setup (it is in Debian's "
    "libffmpeg-nvenc-dev, elsewhere in nv-codec-headers), or build with FACEPIPE_CUDA=OFF")
endif()
add_library(facepipe_ffnvcodec INTERFACE)
target_include_directories(facepipe_ffnvcodec SYSTEM INTERFACE ${FFNVCODEC_INCLUDE_DIR})
