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
