# An image of facepipe for machines without a GPU. Build it in the root folder of the repository:
#   docker build --file docker/cpu.Dockerfile --tag facepipe .
FROM debian:12 AS build
WORKDIR /src
# Docker keeps the results of these steps while only sources change, so it doesn't fetch the packages again.
COPY dev ./
COPY data data
RUN FACEPIPE_CUDA=OFF ./dev setup
COPY . .
RUN FACEPIPE_CUDA=OFF ./dev build -DFACEPIPE_TESTS=OFF '-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib/facepipe'
RUN docker/install /opt/facepipe

FROM debian:12-slim
COPY --from=build /opt/facepipe /usr/local
RUN apt-get update -q \
 && xargs apt-get install -q -y --no-install-recommends </usr/local/share/facepipe/packages \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home facepipe \
 && install -d -o facepipe -g facepipe /data
USER facepipe
WORKDIR /data
VOLUME /data
# This step fails if a library is missing.
RUN facepipe --version
ENTRYPOINT ["facepipe"]
CMD ["--help"]
