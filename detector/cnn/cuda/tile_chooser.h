// Chooses the fastest of several ways to divide an operator's work on a chip. The ways are measured
// once, and the result is stored in a file of the user's.
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

/// Returns the path of the file among the user's caches: $XDG_CACHE_HOME/facepipe/cuda-tiles. If
/// $XDG_CACHE_HOME is not an absolute path, ~/.cache is used instead. The path is empty if $HOME
/// isn't an absolute path, either.
[[nodiscard]] std::filesystem::path default_tile_file();

/// Says what choose() does with an operator that the file doesn't know: it measures all ways, or
/// takes the first way.
enum class UnknownTiles { tried, first };

/// Remembers the ways that this process has chosen, even if the file can't be written. Sums of
/// halves may differ in the last bit between ways. With one memory, all plans of a run take the
/// same way, and so do all devices of one kind. Thread-safe.
class TileMemory {
 public:
  [[nodiscard]] static TileMemory& of_process();

  /// Returns the way that was chosen for a key, or nullopt if no way was chosen.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  /// Stores a way for a key, unless a way was stored before. Returns the stored way.
  std::string keep(const std::string& key, const std::string& way);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> chosen_;
};

/// Not thread-safe. If several processes choose a way for the same operator at the same time, the
/// file keeps the last choice.
class TileChooser {
 public:
  /// Makes a chooser that always takes the first way, without measuring and without a file.
  TileChooser() = default;
  /// Measures ways on `chip`, and stores the fastest in `file`, unless this path is empty. A way
  /// from the file is taken only if it is among the ways that choose() gets. A file that is
  /// damaged, too long or of another version counts as empty. `memory` takes precedence over the
  /// file, and must outlive the chooser.
  TileChooser(const Chip& chip, std::filesystem::path file,
              UnknownTiles unknown = UnknownTiles::tried, TileMemory* memory = nullptr);

  /// Returns the index of the fastest of `ways`, which must not be empty. `what` names the
  /// operator, its version and its sizes. Names and ways are words without spaces.
  /// microseconds(way, launches) measures a way with that many launches, and may return infinity.
  using Try = std::function<float(std::size_t way, int launches)>;
  [[nodiscard]] std::size_t choose(const std::string& what, const std::vector<std::string>& ways,
                                   const Try& microseconds);

  /// Writes the file, completely or not at all, if ways were measured. If the file can't be
  /// written, logs this at level debug.
  void save();

  [[nodiscard]] int trials() const { return trials_; }  ///< operators that were measured
  /// Returns the number of operators that the file or the memory knew.
  [[nodiscard]] int remembered() const { return remembered_; }

 private:
  [[nodiscard]] std::optional<std::string> known(const std::string& key) const;
  [[nodiscard]] static std::size_t fastest(std::size_t ways, const Try& microseconds);

  UnknownTiles unknown_ = UnknownTiles::first;
  TileMemory* memory_ = nullptr;
  std::string chip_;
  std::filesystem::path file_;
  std::map<std::string, std::string> known_;  ///< the fastest way, by "CHIP WHAT"
  int trials_ = 0;
  int remembered_ = 0;
};

}  // namespace facepipe::detector::engine
