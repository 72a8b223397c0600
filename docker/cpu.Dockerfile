# An image of facepipe for machines without a GPU. Build it in the root folder of the repository:
#   docker build --file docker/cpu.Dockerfile --tag facepipe .
FROM debian:12 AS build
# The name must not occur in the libraries of others: ./dev package checks that no file of the package names the folder
# in which it was made.
WORKDIR /facepipe-source
# Docker keeps the results of these steps while only sources change, so it doesn't fetch the packages again.
COPY dev ./
COPY data data
RUN FACEPIPE_CUDA=OFF ./dev setup
COPY . .
RUN ./dev package deb && install -D build-package/facepipe_*_amd64.deb /made/facepipe.deb

FROM debian:12-slim
# The package is mounted, not copied, so that it takes no room in the image. debian:12-slim leaves out documentation, but
# the licences must stay.
RUN --mount=type=bind,from=build,source=/made,target=/made \
    dpkg --path-include='/usr/share/doc/facepipe*' --install /made/facepipe.deb \
 && useradd --create-home facepipe \
 && install -d -o facepipe -g facepipe /data
USER facepipe
WORKDIR /data
VOLUME /data
# This step fails if a library is missing.
RUN facepipe --version
ENTRYPOINT ["facepipe"]
CMD ["--help"]
