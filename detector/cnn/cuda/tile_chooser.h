// Which of several ways to cut an operator's work is the fastest on a chip: tried once, then
// remembered in a file of the user's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "detector/cnn/cuda/chip.h"

namespace facepipe::engine {

/// The file beside the user's other caches: $XDG_CACHE_HOME or ~/.cache, then facepipe/cuda-tiles.
/// Empty where neither variable is an absolute path.
[[nodiscard]] std::filesystem::path default_tile_file();

/// What becomes of an operator of which the file knows nothing.
enum class UnknownTiles { tried, first };

/// Not thread-safe. What several processes choose at the same time is kept of the last one.
class TileChooser {
 public:
  /// Always the first way: no trial, no file.
  TileChooser() = default;
  /// Ways tried on `chip` and remembered in `file`; empty: remembered by nobody. What the file says
  /// is taken only where it is one of the ways there are; a file that is damaged, too long or
  /// another version's counts as empty. UnknownTiles::first: the first way, and no trial.
  TileChooser(const Chip& chip, std::filesystem::path file,
              UnknownTiles unknown = UnknownTiles::tried);

  /// The index of the fastest of `ways`, of which there must be one. `what` names the operator, its
  /// version and its sizes; names and ways are words without spaces. `microseconds(i)` tries a way,
  /// the more carefully the greater `launches`, and may say infinity.
  using Try = std::function<float(std::size_t way, int launches)>;
  [[nodiscard]] std::size_t choose(const std::string& what, const std::vector<std::string>& ways,
                                   const Try& microseconds);

  /// Writes the file if something new is known: complete or not at all. Where it can't be written
  /// the debug log says so.
  void save();

  [[nodiscard]] int trials() const { return trials_; }          ///< operators that were tried
  [[nodiscard]] int remembered() const { return remembered_; }  ///< and that the file knew

 private:
  UnknownTiles unknown_ = UnknownTiles::first;
  std::string chip_;
  std::filesystem::path file_;
  std::map<std::string, std::string> known_;  ///< "CHIP WHAT" to the way
  int trials_ = 0;
  int remembered_ = 0;
};

}  // namespace facepipe::engine
