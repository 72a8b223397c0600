# try.sh STEP [FILE]: installs a package in a bare system, or uses it there. package/test copies this script into the
# system, and runs it there as root.
set -eu

install_tarball() {
  ln -s /somewhere/else/facepipe-*/bin/facepipe /usr/local/bin/facepipe
}

install_wheel() {
  python3 -m venv /opt/venv
  /opt/venv/bin/pip install --quiet --no-index "$1"
  ln -s /opt/venv/bin/facepipe /usr/local/bin/facepipe
}

install_deb() {
  dpkg --install "$1"
}

hide() {
  cd /try
  facepipe hide clip.mp4 -o hidden.mp4
}

use() {
  cd /try
  facepipe doctor
  facepipe verify clip.mp4 hidden.mp4 --quick || test $? = 7  # the clip shows a crowd, so a face may be left
  facepipe run clip.mp4 -o faces.mkv --codec libsvtav1 --end 0.2
  facepipe run clip.mp4 -o faces.webm --codec libvpx-vp9 --end 0.2
}

use_tarball() {
  use
}

use_wheel() {
  use
  /opt/venv/bin/python - <<'PYTHON'
import facepipe
frames = list(facepipe.detect("/try/clip.mp4"))
assert len(frames) == 25 and any(frame.faces for frame in frames), len(frames)
PYTHON
  test -s /opt/venv/share/man/man1/facepipe-hide.1
}

use_deb() {
  use
  test -s /usr/share/man/man1/facepipe-hide.1.gz || ! test -d /usr/share/man/man1  # a bare system may leave out man pages
}

"$@"
