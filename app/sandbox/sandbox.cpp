#include "app/sandbox/sandbox.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <system_error>
#include <utility>

#include "app/backends.h"
#include "app/output/line_spool.h"
#include "app/sandbox/close_sandbox.h"
#include "app/sandbox/seccomp.h"
#include "app/sandbox/system_paths.h"
#include "core/error.h"
#include "core/files/output_names.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

// Sanitizers start programs and threads of their own, which a sandbox refuses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// Returns the option as the user gave it.
std::string given(SandboxMode mode) {
  return mode == SandboxMode::process ? "--sandbox process: " : "--sandbox on: ";
}

/// Returns whether this process has other threads, which Landlock would leave free.
bool has_threads() {
  std::error_code error;
  const fs::directory_iterator threads("/proc/self/task", error);
  return !error && std::distance(fs::begin(threads), fs::end(threads)) > 1;
}

}  // namespace

std::string machine_against_sandbox() {
  if (landlock_version() == 0) return "the kernel has no Landlock, or doesn't allow it";
  if (!can_limit_calls()) return "the kernel has no seccomp, or doesn't allow it";
  return {};
}

std::string reason_against_sandbox() {
  if (kSanitized) return "this build has a sanitizer";
  if (std::string reason = machine_against_sandbox(); !reason.empty()) return reason;
  if (has_threads()) return "a library has started a thread, or the stack is small (ulimit -s)";
  return {};
}

Sandbox::Sandbox(SandboxMode mode, const std::function<SandboxNeeds()>& needs) {
  if (mode == SandboxMode::off) return;
  const bool asked = mode != SandboxMode::automatic;
  if (!asked && kSanitized) return;
  std::string reason = reason_against_sandbox();
  if (reason.empty()) {
    SandboxNeeds all = needs();
    if (mode == SandboxMode::process && all.cuda && !probe_cuda().devices.empty())
      throw Error(ErrorKind::usage, given(mode) + "works on the CPU only so far (--device cpu)");
    if (mode != SandboxMode::on && all.cuda) {
      if (!probe_cuda().devices.empty()) {
        spdlog::debug("no sandbox: a CUDA device may be used");
        return;
      }
      all.cuda = false;
      reason = reason_against_sandbox();  // the driver may have started threads
    }
    if (reason.empty() && mode == SandboxMode::process)
      workers_ = std::make_unique<WorkerStarter>(all.inputs);
    if (reason.empty()) reason = close(std::move(all));
  }
  if (reason.empty()) return;
  if (asked) throw Error(ErrorKind::device, given(mode) + reason);
  spdlog::warn("no sandbox protects from hostile inputs: {} (--sandbox off: no warning)", reason);
}

Sandbox::~Sandbox() {
  // The sandbox refuses fs::remove(), which tries to unlink the folder first.
  for (const fs::path& folder : made_ | std::views::reverse)
    static_cast<void>(rmdir(folder.c_str()));
}

/// Makes a folder and those around it. If it can't be made, the work that needs it says why.
void Sandbox::make_folder(const fs::path& folder, std::vector<AllowedPath>& allowed) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path each = folder; !each.empty() && !fs::exists(each, error); each = each.parent_path())
    if (each.has_filename()) missing.push_back(each);
  for (const fs::path& each : missing | std::views::reverse) {
    if (!fs::create_directory(each, error)) return;
    made_.push_back(each);
  }
  if (!missing.empty()) allowed.push_back({folder_of(missing.back()), FileAccess::remove_empty});
}

/// Returns why the sandbox can't be closed; empty if it is closed.
std::string Sandbox::close(SandboxNeeds needs) {
  std::vector<AllowedPath> allowed = std::move(needs.paths);
  if (needs.cuda) std::ranges::move(cuda_paths(), std::back_inserter(allowed));
  for (const fs::path& folder : needs.made) {
    make_folder(folder, allowed);
    allowed.push_back({folder, FileAccess::write});
  }
  if (needs.spool) SpoolFile::prepare();
  return close_sandbox(allowed, needs.network, Processes::none,
                       needs.cuda && has_nvidia_driver() ? Driver::nvidia : Driver::none);
}

}  // namespace facepipe::app
