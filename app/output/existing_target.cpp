#include "app/output/existing_target.h"

#include <system_error>

#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::app {

namespace fs = std::filesystem;

const fs::path& checked_target(const fs::path& path, ExistingOutput existing) {
  std::error_code error;
  const bool exists = fs::exists(fs::symlink_status(path, error)) && !is_stream_target(path);
  if (exists && existing == ExistingOutput::refuse)
    throw Error(ErrorKind::output, path.string() + ": exists already (--overwrite replaces it)");
  return path;
}

ExistingTarget at_the_end(ExistingOutput existing) {
  return existing == ExistingOutput::overwrite ? ExistingTarget::replace : ExistingTarget::refuse;
}

}  // namespace facepipe::app
