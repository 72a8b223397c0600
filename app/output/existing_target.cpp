#include "app/output/existing_target.h"

#include <system_error>

#include "core/error.h"

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
  return at_the_end(existing == ExistingOutput::overwrite);
}

ExistingTarget at_the_end(bool overwrite) {
  return overwrite ? ExistingTarget::replace : ExistingTarget::refuse;
}

std::unique_ptr<OutputFile> open_output(const fs::path& path, bool overwrite,
                                        const std::stop_token& stop) {
  auto file = std::make_unique<OutputFile>(path, at_the_end(overwrite), stop);
  if (!overwrite) file->expect_no_file();
  return file;
}

}  // namespace facepipe::app
