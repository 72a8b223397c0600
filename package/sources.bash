# Functions that fetch sources of Debian's packages with apt, from the servers that this machine's apt uses.

# fetch_debian_source NAME VERSION FOLDER "SHA256  FILE"...: downloads the source package into FOLDER, and checks the
# files. It changes neither apt's configuration nor its lists.
fetch_debian_source() {
  local name=$1 version=$2 folder=$3 state
  shift 3
  state=$(mktemp -d)
  mkdir -p "$state/lists/partial"
  # shellcheck disable=SC2016  # apt-get expands the words
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT) # $(ORIGIN)' 'Created-By: Packages' |
    sed -n 's/ # Debian$//p' | sort -u >"$state/sources.list"
  local options=(-q -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$state/lists" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >/dev/null
  (cd "$folder" && apt-get "${options[@]}" source --download-only --only-source "$name=$version" >/dev/null)
  rm -rf "$state"
  (cd "$folder" && printf '%s\n' "$@" | sha256sum --check --quiet --strict)
}

# unpack_debian_source NAME FOLDER: unpacks the files in FOLDER that fetch_debian_source has downloaded, into FOLDER/NAME,
# with Debian's patches. A file NAME_*.orig-PART.tar.xz becomes the folder PART in it.
unpack_debian_source() {
  local name=$1 folder=$2 source=$2/$1 file part patch
  mkdir "$source"
  tar -xJf "$folder/${name}"_*.orig.tar.xz -C "$source" --strip-components 1
  for file in "$folder/${name}"_*.orig-*.tar.xz; do
    [[ -f $file ]] || continue
    part=${file##*.orig-}
    part=${part%.tar.xz}
    mkdir "$source/$part"
    tar -xJf "$file" -C "$source/$part" --strip-components 1
  done
  tar -xJf "$folder/${name}"_*.debian.tar.xz -C "$source"
  sed '/^#/d; /^$/d' "$source/debian/patches/series" | while read -r patch; do
    patch -d "$source" -p1 --quiet <"$source/debian/patches/$patch"
  done
}
