// Implements the detector of cascades on the CPU. It makes the picture grey, reduces it to smaller
// levels, and slides a window over each level.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "core/workers.h"
#include "detector/cascade/cpu/scan.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/score.h"
#include "detector/detector.h"

namespace facepipe::detector::cascade {

/// Finds the windows of a picture that pass. These are exactly the windows that OpenCV 4's
/// CascadeClassifier finds with minNeighbors 0, before it clips them. Thread-safe.
class WindowFinder {
 public:
  /// `picture` is the size of the upright picture.
  WindowFinder(std::shared_ptr<const Scanner> scanner, Size picture, const LevelOptions& options,
               std::size_t most_windows = kMostWindows);

  /// Holds memory that is reused for the next picture.
  struct Memory {
    std::vector<cv::Mat> levels;
    std::vector<ScanMemory> threads;
  };
  /// Returns the windows that pass, ordered by level, then by row, then by column. `grey` must have
  /// one byte a pixel. `workers` share the work. Throws Error(device) if more than most_windows
  /// pass.
  [[nodiscard]] std::vector<Box> find(const cv::Mat& grey, Workers& workers, Memory& memory) const;

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }

 private:
  struct Band {
    std::size_t level = 0;
    int first_row = 0;
    int rows = 0;
  };
  /// Describes levels that are made together, and then scanned together.
  struct Batch {
    std::size_t first_level = 0;
    std::size_t level_count = 0;
    std::vector<Band> bands;
  };

  void make_levels(const cv::Mat& grey, const Batch& batch, Workers& workers, Memory& memory) const;
  [[nodiscard]] std::vector<std::vector<Place>> scan(const Batch& batch, Workers& workers,
                                                     Memory& memory,
                                                     std::atomic<std::size_t>& found) const;

  std::shared_ptr<const Scanner> scanner_;
  std::size_t most_windows_;
  std::vector<Level> levels_;
  std::vector<Batch> batches_;
};

struct CascadeOptions {
  LevelOptions levels;
  float score_threshold = 0.5F;  ///< candidates need score > this
  /// If true, all windows are candidates, with score 1 and not clipped to the picture. The rule of
  /// suppression that counts windows (`groups`) needs this.
  bool every_window = false;
  int requests = 1;  ///< number of frames that the detector may hold at the same time, >= 1
};

/// Makes a detector. Its scores are agreement_score() (score.h).
[[nodiscard]] std::shared_ptr<Detector> make_cascade_detector(
    std::shared_ptr<const Scanner> scanner, std::shared_ptr<Workers> workers, Size frame,
    const CascadeOptions& options);

}  // namespace facepipe::detector::cascade
