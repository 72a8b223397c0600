#include "app/plan/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"
#include "core/files/output_file.h"
#include "core/files/output_names.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns 0 if this process may make files in the folder, else an errno.
int reason_against_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return error ? error.value() : ENOENT;
  if (error) return error.value();
  if (!fs::is_directory(status)) return ENOTDIR;
  return faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/// Returns the folder itself, or the nearest one above it that exists.
fs::path existing_folder(fs::path folder) {
  std::error_code none;
  while (!folder.empty() && !fs::exists(fs::symlink_status(folder, none))) {
    const fs::path above = folder.parent_path();
    if (above == folder) break;
    folder = above;
  }
  return folder.empty() ? fs::path(".") : folder;
}

void check_target(const fs::path& target) {
  if (target.empty()) return;
  if (const std::string reason = reason_against_target(target); !reason.empty())
    throw Error(ErrorKind::output, target.string() + ": " + reason);
  if (is_stream_target(target)) return;
  if (const int code = reason_against_folder(folder_of(target)); code != 0)
    throw Error(ErrorKind::output, target.string() + ": " + write_failure(code));
}

}  // namespace

void check_output_folder(const RunOptions& options, const InputOutcome& outcome) {
  const fs::path& output = outcome.planned.output;
  if (output.empty() || outcome.keeps_video) return;
  // With --output DIR/, the run makes missing folders.
  const fs::path folder = output.parent_path();
  std::error_code none;
  const bool makes_folder =
      !options.output.empty() && output != fs::path(options.output) && !fs::exists(folder, none);
  if (!makes_folder) {
    check_target(output);
    return;
  }
  if (const int code = reason_against_folder(existing_folder(folder)); code != 0)
    throw Error(ErrorKind::output,
                folder.string() + ": can't be made: " + std::generic_category().message(code));
}

void check_side_folders(const SideFiles& files) {
  for (const fs::path& file :
       {files.detections, files.latency, files.report, files.tracks, files.page})
    check_target(file);
}

}  // namespace facepipe::app
