# Downloads through pip, as the user has configured it, and only with the SHA-256 that is named: for
# data/fetch and data/opencv-cuda, which source this.

DATA=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly DATA

# As CMake looks for it.
has_nvcc() {
  command -v "${CUDACXX:-nvcc}" >/dev/null
}

# One fixed Python and platform: the file is the same whatever runs here. It is never installed.
download_wheel() {
  local requirement=$1 hash=$2 folder=$3
  shift 3
  pip_download "$requirement" "$hash" "$folder" --only-binary :all: \
    --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 "$@"
}

# pip would fetch unpinned build tools and run them before it saves a source package; sdist-only/
# answers in their place, so nothing is built.
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
  # pip has checked it; this line holds even where its configuration or a mirror misleads it.
  echo "$hash  $(echo "$folder"/*)" | sha256sum --check --quiet --strict
}
