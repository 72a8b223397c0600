// A chooser finds the fastest of several ways to divide an operator's work on a chip. It measures
// them once, and remembers the result in a file of the user's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "detector/cnn/cuda/chip.h"

namespace facepipe::detector::engine {

/// Returns the path of the file among the user's caches: $XDG_CACHE_HOME/facepipe/cuda-tiles.
/// Without that variable, ~/.cache takes its place. The path is empty if neither $XDG_CACHE_HOME
/// nor $HOME is an absolute path.
[[nodiscard]] std::filesystem::path default_tile_file();

/// What choose() does with an operator that the file doesn't know: it tries all ways, or takes the
/// first.
enum class UnknownTiles { tried, first };

/// Remembers what has been chosen so far, even if the file can't be written. Sums of halves may
/// differ in the last bit between ways. With one memory, all plans of a run take the same way, and
/// so do all devices of one kind. Thread-safe.
class TileMemory {
 public:
  /// Returns the memory of this process.
  [[nodiscard]] static TileMemory& of_process();

  /// Returns nullopt if nothing has been chosen.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  /// Keeps the first choice, and returns it.
  std::string keep(const std::string& key, const std::string& way);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> chosen_;
};

/// Not thread-safe. If several processes choose for the same operator at the same time, the file
/// keeps the choice of the last one.
class TileChooser {
 public:
  /// This chooser always takes the first way, without trials and without a file.
  TileChooser() = default;
  /// Tries ways on `chip`, and remembers them in `file`, unless that is empty. A way from the file
  /// is taken only if choose() gets it among its ways. A file that is damaged, too long or of
  /// another version counts as empty. `memory` takes precedence over the file, and must outlive the
  /// chooser.
  TileChooser(const Chip& chip, std::filesystem::path file,
              UnknownTiles unknown = UnknownTiles::tried, TileMemory* memory = nullptr);

  /// Returns the index of the fastest of `ways`, which must not be empty. `what` names the
  /// operator, its version and its sizes. Names and ways are words without spaces.
  /// microseconds(way, launches) measures a way with that many launches, and may return infinity.
  using Try = std::function<float(std::size_t way, int launches)>;
  [[nodiscard]] std::size_t choose(const std::string& what, const std::vector<std::string>& ways,
                                   const Try& microseconds);

  /// Writes the file, completely or not at all, if there have been trials. If it can't be written,
  /// the log says so at the level debug.
  void save();

  [[nodiscard]] int trials() const { return trials_; }  ///< number of operators that were tried
  /// Number of operators that the file or the memory knew.
  [[nodiscard]] int remembered() const { return remembered_; }

 private:
  [[nodiscard]] std::optional<std::string> known(const std::string& key) const;
  [[nodiscard]] static std::size_t fastest(std::size_t ways, const Try& microseconds);

  UnknownTiles unknown_ = UnknownTiles::first;
  TileMemory* memory_ = nullptr;
  std::string chip_;
  std::filesystem::path file_;
  std::map<std::string, std::string> known_;  ///< from "CHIP WHAT" to the way
  int trials_ = 0;
  int remembered_ = 0;
};

}  // namespace facepipe::detector::engine
