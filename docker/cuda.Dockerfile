# An image of facepipe for NVIDIA's GPUs of compute capability 7.5 and newer. Build it in the root folder of the
# repository:
#   docker build --file docker/cuda.Dockerfile --tag facepipe:cuda .
# The host needs NVIDIA's driver (580 or newer, for CUDA 13), but no other part of CUDA: CUDA's runtime is linked
# statically, and the image contains nvJPEG.
# The next command also adds OpenCV with CUDA, for --engine opencv --device cuda. Docker builds this OpenCV once, and
# keeps it while data/ doesn't change:
#   docker build --file docker/cuda.Dockerfile --build-arg OPENCV=cuda --tag facepipe:cuda-opencv .
ARG CUDA_IMAGE=nvidia/cuda:13.0.1-devel-ubuntu24.04
ARG OPENCV=debian
FROM ${CUDA_IMAGE} AS toolkit

# Only the toolkit comes from NVIDIA's image. Everything else comes from Debian 12, the system on which we test.
FROM debian:12 AS packages
COPY --from=toolkit /usr/local/cuda-13.0 /usr/local/cuda
ENV PATH=/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV FACEPIPE_CUDA=ON
WORKDIR /src
# Docker keeps the results of these steps while only sources change, so it doesn't fetch the packages again.
COPY dev ./
COPY data data
RUN ./dev setup
# For a GPU that is newer than all of these architectures, the driver compiles the PTX of the last architecture at
# the first use.
ARG CUDA_ARCHITECTURES=75-real;80-real;86-real;89-real;90
ENV FACEPIPE_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES

FROM packages AS opencv-debian

FROM packages AS opencv-cuda
RUN data/opencv-cuda /opt/opencv dnn
ENV FACEPIPE_OPENCV=/opt/opencv

FROM opencv-${OPENCV} AS build
COPY . .
RUN ./dev build -DFACEPIPE_TESTS=OFF "-DFACEPIPE_CUDA_ARCHITECTURES=$FACEPIPE_CUDA_ARCHITECTURES"
RUN docker/install /opt/facepipe

FROM debian:12-slim
COPY --from=build /opt/facepipe /usr/local
RUN apt-get update -q \
 && xargs apt-get install -q -y --no-install-recommends </usr/local/share/facepipe/packages \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home facepipe \
 && install -d -o facepipe -g facepipe /data
# These variables say which parts of the driver the container gets: CUDA, NVDEC and NVENC, and nvidia-smi.
ENV NVIDIA_VISIBLE_DEVICES=all
ENV NVIDIA_DRIVER_CAPABILITIES=compute,video,utility
USER facepipe
WORKDIR /data
VOLUME /data
# This step fails if a library is missing. It needs no driver.
RUN facepipe --version
ENTRYPOINT ["facepipe"]
CMD ["--help"]
