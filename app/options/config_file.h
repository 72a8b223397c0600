// These functions check the file of --config before CLI11 reads it. CLI11 alone would wait for a
// FIFO, and read a device for ever. If an option or a section stands twice, it would leave one out.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace facepipe::app {

/// facepipe refuses larger files: a file of options has a few lines.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// Throws Error(usage), without the file's name, if the file is no regular one, can't be read, or
/// has more than kMostConfigBytes.
void check_config_file(const std::string& path);

/// Reads a file as CLI11 does, and adds up what stands in several places. It throws Error(usage)
/// with the line for three faults that CLI11 would pass over in silence: an option of one value
/// that stands again, a list without an end, and a line that is too short for an option.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  /// @param app  has the commands, and outlives this object
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& app_;
};

}  // namespace facepipe::app
