// Starts the processes that read and decode inputs for `--sandbox process`.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "video/read/worker/channel.h"
#include "video/read/worker/input_workers.h"

namespace facepipe::app {

/// Owns a process that forks a worker for each input. It exists from before the sandbox is closed,
/// because in the sandbox no process can be started. It can read the inputs and the system's
/// libraries, and nothing else; a worker only its own input. Both write nothing, not even to the
/// standard streams, and leave signals of the terminal to the program. They end with the program,
/// however it ends. While this object exists, demuxers and decoders use its workers.
class WorkerStarter final : public video::InputWorkers {
 public:
  /// Must be made while the process has one thread.
  /// @param inputs  files, and folders of files, that workers may read
  /// Throws Error(device) if the process can't be started or limited.
  explicit WorkerStarter(const std::vector<std::filesystem::path>& inputs);
  /// Ends the process, and all workers.
  ~WorkerStarter() override;

  [[nodiscard]] Worker start(const std::string& input) override;
  std::string end(int process, bool broken) noexcept override;

 private:
  WorkerStarter(std::pair<video::Channel, Descriptor> ends,
                const std::vector<std::filesystem::path>& inputs);
  [[nodiscard]] int ask(const std::string& request, int file);

  std::mutex asking_;  // guards channel_
  video::Channel channel_;
  const pid_t process_;
};

}  // namespace facepipe::app
