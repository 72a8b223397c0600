#!/bin/bash
#SBATCH --requeue
#SBATCH --open-mode=append
# Runs one task of facepipe in a job of Slurm, and asks for another attempt if that may help.
#
#   sbatch --array=1-8 task.sh facepipe part /shared/plan.json auto --out /shared/parts
#   sbatch --array=1-99 task.sh --line /shared/videos.txt facepipe hide {} -o /shared/hidden/ --task --skip-existing
#
# With --line FILE, {} stands for the line of FILE whose number is the index in the array. FACEPIPE_RESTARTS says how
# often a job is started again at most; the default is 4. docs/cluster.md explains the exit codes.
set -u

if [[ ${1:-} == --line ]]; then
  file=$2
  shift 2
  if ! line=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$file") || [[ -z $line ]]; then
    echo "task.sh: error: $file: has no line $SLURM_ARRAY_TASK_ID" >&2
    exit 2
  fi
  set -- "${@/#\{\}/"$line"}"
fi

restarts=${SLURM_RESTART_COUNT:-0}
code=0
"$@" || code=$?
case $code in
  75 | 134 | 135 | 136 | 137 | 139) most=${FACEPIPE_RESTARTS:-4} ;;  # it may pass, or the system killed the program
  1 | 4) most=1 ;;                                                   # a device that fails may be another one next time
  *) most=0 ;;
esac
if ((restarts < most)); then
  echo "task.sh: exit code $code in attempt $((restarts + 1)); Slurm tries again" >&2
  # One job of an array also has the number of the whole array, so only this name means it alone.
  job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
  # Slurm ends this script when it puts the job into the queue.
  scontrol requeue "${job:-$SLURM_JOB_ID}" && sleep 120
fi
if [[ $code == 6 && ${2:-} == part ]]; then
  echo "task.sh: the part is damaged; join says it again" >&2
  exit 0  # the job that joins waits for success
fi
exit "$code"
