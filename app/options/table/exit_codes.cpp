// The exit codes, as the help and the man pages explain them.
#include "app/failure.h"
#include "app/options/table.h"

namespace facepipe::app {

const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> codes{
      {kExitDone, "done"},
      {exit_code(ErrorKind::usage),
       "usage: options that make no sense, or contradict each other; hide: tracks or regions none "
       "of which applies to a frame"},
      {exit_code(ErrorKind::input),
       "input: can't be opened, read or decoded; where reading fails midway, the video so far is "
       "kept as NAME.partial.EXT"},
      {exit_code(ErrorKind::device), "device, engine, model or sandbox can't be used"},
      {exit_code(ErrorKind::output), "output: can't be written, or exists already"},
      {kExitDamaged,
       "frames lost or damaged; the output is finished and kept (--tolerate-damage: 0), and "
       "--skip-existing gives 6 for it again; verify: frames or time stamps differ, or a video is "
       "damaged"},
      {kExitLeak,
       "a face may be seen in the hidden video: verify found one, or most faces that hide found "
       "are turned in the pixels; the video is kept"},
      {kExitTryAgain,
       "--task and part only: another attempt may succeed, because reading broke off, the disk is "
       "full, another run holds a lock, or memory or threads are lacking; no output is kept"},
      {kExitInterrupted,
       "interrupted (Ctrl-C, SIGTERM, SIGHUP); the video so far is kept as NAME.partial.EXT, "
       "except with --task"},
      {kExitTerminated, "--task and part only: SIGTERM has stopped the run; no output is kept"},
      {exit_code(ErrorKind::internal), "anything else"}};
  return codes;
}

std::string exit_code_notes() {
  return "Where hide fails, the frames that were hidden so far are kept as NAME.partial.EXT, too. "
         "With several inputs a bad one doesn't stop the others; the code is that of the first "
         "that failed; with --task, 75 comes first.";
}

}  // namespace facepipe::app
