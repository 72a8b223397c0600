# facepipe for NVIDIA's GPUs of compute capability 7.5 and newer. From the repository's root:
#   docker build --file docker/cuda.Dockerfile --tag facepipe:cuda .
# The image needs the host's driver (580 or newer, for CUDA 13) and nothing else of CUDA: the runtime
# is linked statically, and nvJPEG comes along.
# With OpenCV's dnn on CUDA besides (--engine opencv --device cuda), built once and kept while data/ stays:
#   docker build --file docker/cuda.Dockerfile --build-arg OPENCV=cuda --tag facepipe:cuda-opencv .
ARG CUDA_IMAGE=nvidia/cuda:13.0.1-devel-ubuntu24.04
ARG OPENCV=debian
FROM ${CUDA_IMAGE} AS toolkit

# The toolkit comes from its image and all else from Debian 12, the system that is tested.
FROM debian:12 AS packages
COPY --from=toolkit /usr/local/cuda-13.0 /usr/local/cuda
ENV PATH=/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV FACEPIPE_CUDA=ON
WORKDIR /src
# What is fetched is kept while only sources change.
COPY dev ./
COPY data data
RUN ./dev setup
# A GPU newer than the last one compiles that one's PTX when it is first used.
ARG CUDA_ARCHITECTURES=75-real;80-real;86-real;89-real;90
ENV FACEPIPE_CUDA_ARCHITECTURES=$CUDA_ARCHITECTURES

FROM packages AS opencv-debian

FROM packages AS opencv-cuda
RUN data/opencv-cuda /opt/opencv dnn
ENV FACEPIPE_OPENCV=/opt/opencv

FROM opencv-${OPENCV} AS build
COPY . .
RUN ./dev build -DFACEPIPE_TESTS=OFF '-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib/facepipe' \
    "-DFACEPIPE_CUDA_ARCHITECTURES=$FACEPIPE_CUDA_ARCHITECTURES"
RUN docker/install /opt/facepipe

FROM debian:12-slim
COPY --from=build /opt/facepipe /usr/local
RUN apt-get update -q \
 && xargs apt-get install -q -y --no-install-recommends </usr/local/share/facepipe/packages \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home facepipe \
 && install -d -o facepipe -g facepipe /data
# What of the driver is put into the container: CUDA, NVDEC and NVENC, nvidia-smi.
ENV NVIDIA_VISIBLE_DEVICES=all
ENV NVIDIA_DRIVER_CAPABILITIES=compute,video,utility
USER facepipe
WORKDIR /data
VOLUME /data
# Fails where a library is missing; needs no driver.
RUN facepipe --version
ENTRYPOINT ["facepipe"]
CMD ["--help"]
