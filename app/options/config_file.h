// The file of --config, checked before CLI11 takes it. By itself that would wait for a FIFO, read a
// device for ever, and leave out what a section or an option says where it stands again.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace facepipe {

/// More is refused: a file of options has a few lines.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// Error(usage), without the file's name, for what is no regular file, can't be read, or has more
/// than kMostConfigBytes.
void check_config_file(const std::string& path);

/// As CLI11 reads a file, but that what stands in several places is added up. Errors: Error(usage),
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

}  // namespace facepipe
