// Checks the file of --config before CLI11 reads it. CLI11 alone would wait for a FIFO, read a
// device for ever, and leave out what a section or an option says where it stands again.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace facepipe::app {

/// Larger files are refused: a file of options has a few lines.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// Throws Error(usage), without the file's name, for a file that is no regular one, can't be read,
/// or has more than kMostConfigBytes.
void check_config_file(const std::string& path);

/// Reads a file as CLI11 does, and adds up what stands in several places. Errors: Error(usage),
/// with the line, for an option of one value that stands again, a list without an end, and a line
/// too short for an option, all of which CLI11 would leave out in silence.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  /// @param app  which has the commands; outlives it
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& app_;
};

}  // namespace facepipe::app
