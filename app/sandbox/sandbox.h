// Closes the program into a sandbox before it opens what others have made: videos, pictures,
// models. Code of a hostile file that a defect in a library runs can then reach only the files of
// this run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/sandbox/landlock.h"
#include "app/sandbox/worker_starter.h"

namespace facepipe::app {

/// Says what a command needs from outside of the sandbox.
struct SandboxNeeds {
  std::vector<AllowedPath> paths;               ///< besides those of the system
  std::vector<std::filesystem::path> inputs{};  ///< those of `paths` that are inputs
  std::vector<std::filesystem::path> made;  ///< folders to make, for files that are written there
  Network network = Network::none;
  bool cuda = false;   ///< the command may use a CUDA device
  bool spool = false;  ///< lines of several inputs may wait in a SpoolFile
};

/// Returns why this process can't be closed into a sandbox now, as part of a sentence ("the kernel
/// has no Landlock"); empty if it can.
[[nodiscard]] std::string reason_against_sandbox();

/// Returns why no process can be closed into a sandbox on this machine; empty if one can.
[[nodiscard]] std::string machine_against_sandbox();

/// Closes this process into the sandbox, which it never leaves. Must be made before other threads
/// start.
class Sandbox {
 public:
  /// With SandboxMode::off, does nothing. With `automatic`, leaves a command free that may use a
  /// CUDA device, and logs a warning where the system can't close the sandbox. With `on`, throws
  /// Error(device) there. With `process`, as with `on`, but other processes read and decode the
  /// inputs (WorkerStarter).
  /// @param needs  is called only if the sandbox will be closed
  Sandbox(SandboxMode mode, const std::function<SandboxNeeds()>& needs);
  /// Removes the folders that the constructor has made, if they are empty.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

 private:
  void make_folder(const std::filesystem::path& folder, std::vector<AllowedPath>& allowed);
  [[nodiscard]] std::string close(SandboxNeeds needs);

  std::vector<std::filesystem::path> made_;  ///< inner folders behind outer ones
  std::unique_ptr<WorkerStarter> workers_;
};

}  // namespace facepipe::app
