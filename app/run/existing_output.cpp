#include "app/run/existing_output.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/files/output_file.h"
#include "video/write/image_sequence.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns the output. If the output is a sequence of pictures, returns the first picture of the
/// sequence that exists. Only a name that the user gave as --output can mean a sequence.
fs::path existing_output(const RunOptions& options, const fs::path& output) {
  const bool named = !output.empty() && output == fs::path(options.output);
  return named && video::is_sequence_name(output) ? video::existing_picture(output) : output;
}

}  // namespace

void check_existing_output(const RunOptions& options, InputOutcome& outcome) {
  const fs::path output = existing_output(options, outcome.planned.output);
  std::error_code error;
  if (output.empty() || is_stream_target(output) || !fs::exists(fs::symlink_status(output, error)))
    return;
  const std::string reason = reason_against_target(output);
  if (options.existing == ExistingOutput::refuse && !fs::is_directory(output, error))
    throw Error(ErrorKind::output, output.string() +
                                       ": exists already (--overwrite replaces it, "
                                       "--skip-existing leaves it)");
  if (!reason.empty()) throw Error(ErrorKind::output, output.string() + ": " + reason);
  if (options.existing != ExistingOutput::skip) return;
  outcome.status = InputStatus::skipped;
  if (const auto damage = OutputLock::damage_of(outcome.planned.output))
    note_earlier_damage(options, outcome, *damage);
}

void note_earlier_damage(const RunOptions& options, InputOutcome& outcome,
                         const std::string& damage) {
  if (options.tolerate_damage) return;
  outcome.code = kExitDamaged;
  spdlog::warn("{}: skipped; an earlier run found damage in it: {}", outcome.planned.input, damage);
}

}  // namespace facepipe::app
