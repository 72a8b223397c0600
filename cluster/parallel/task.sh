#!/bin/bash
# Runs one task of facepipe, and repeats it if its exit code says that this may help.
#
#   task.sh facepipe hide clip.mp4 -o hidden/ --task --skip-existing
#
# FACEPIPE_RESTARTS says how often the task is repeated at most; the default is 4. Before that, the script waits for
# FACEPIPE_PAUSE seconds (by default 5), then twice as long, and so on. docs/cluster.md explains the exit codes.
set -u

pause=${FACEPIPE_PAUSE:-5}
for ((attempt = 1; ; attempt++)); do
  code=0
  FACEPIPE_ATTEMPT=$attempt "$@" || code=$?
  case $code in
    75 | 134 | 135 | 136 | 137 | 139) most=${FACEPIPE_RESTARTS:-4} ;;  # it may pass, or the system killed the program
    1 | 4) most=1 ;;                                                   # a device that fails may work the next time
    *) most=0 ;;
  esac
  ((attempt <= most)) || exit "$code"
  echo "task.sh: exit code $code in attempt $attempt; trying again after $pause s" >&2
  sleep "$pause"
  pause=$((2 * pause))
done
