# An image of facepipe for NVIDIA's GPUs of compute capability 7.5 and newer. Build it in the root folder of the
# repository:
#   docker build --file docker/cuda.Dockerfile --tag facepipe:cuda .
# The host needs NVIDIA's driver (580 or newer, for CUDA 13), but no other part of CUDA: CUDA's runtime is in the program,
# and nvJPEG is in the package.
FROM debian:12 AS build
# The name must not occur in the libraries of others: ./dev package checks that no file of the package names the folder
# in which it was made.
WORKDIR /facepipe-source
# Docker keeps the results of these steps while only sources change, so it doesn't fetch the packages and the compiler
# again.
COPY dev ./
COPY data data
RUN FACEPIPE_CUDA=OFF ./dev setup && data/fetch-cuda
ENV CUDACXX=/facepipe-source/data/fetched/cuda/bin/nvcc
COPY . .
RUN ./dev package --cuda deb && install -D build-package/facepipe-cuda_*_amd64.deb /made/facepipe.deb

FROM debian:12-slim
# The package is mounted, not copied, so that it takes no room in the image. debian:12-slim leaves out documentation, but
# the licences must stay.
RUN --mount=type=bind,from=build,source=/made,target=/made \
    dpkg --path-include='/usr/share/doc/facepipe*' --install /made/facepipe.deb \
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
