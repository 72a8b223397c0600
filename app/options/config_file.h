// Checks the file of --config before CLI11 reads it. Otherwise, CLI11 would wait for a FIFO, and
// read a device for ever. If an option or a section appears twice, CLI11 would ignore one of them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace facepipe::app {

/// facepipe refuses larger files. A file of options has only a few lines.
inline constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

/// Throws Error(usage), without the file's name, if the file is not regular, can't be read, or has
/// more than kMostConfigBytes.
void check_config_file(const std::string& path);

/// Reads a file as CLI11 does, and combines values of an option that appear in several places.
/// Throws Error(usage), with the line, for an unknown option that is nearly a known one, and for
/// three faults that CLI11 would silently ignore:
/// * an option of one value appears again;
/// * a list has no end;
/// * a line is too short for an option.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  /// @param app  has the commands; must outlive this object
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& app_;
};

}  // namespace facepipe::app
