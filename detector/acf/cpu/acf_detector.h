// Implements the detector of aggregate channel features on the CPU. It makes a pyramid of channels,
// and slides a window over each of its scales.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "core/frame.h"
#include "core/timing.h"
#include "core/workers.h"
#include "detector/acf/cpu/bands.h"
#include "detector/acf/cpu/scan.h"
#include "detector/acf/pyramid.h"
#include "detector/cnn/cpu/byte_yuv.h"
#include "detector/detector.h"

namespace facepipe::detector::acf {

/// Makes upright pictures from frames in host memory. A pixel has 4 bytes: red, green, blue and an
/// unused byte. Samples are first reduced to 8 bits (ByteYuv). Owns scratch memory, so only one
/// thread at a time may use an object.
class RgbMaker {
 public:
  /// Returns the frame's picture, which is valid until the next call.
  [[nodiscard]] cv::Mat picture(const Frame& frame);

 private:
  void convert(const Frame& frame);
  void merge(const Frame& frame);

  ByteYuv byte_yuv_;
  cv::Mat packed_;
  cv::Mat flipped_;
  cv::Mat turned_;
  std::vector<std::uint8_t> chroma_[2];
};

/// Describes a window that passes (see Scanner). `scale` is its index in PyramidScanner::scales().
struct Window {
  int scale = 0;
  Place place;
  friend bool operator==(const Window&, const Window&) = default;
};

/// Makes the channels of all scales for pictures of one size, and finds the windows that pass. The
/// workers share the work on a picture. Thread-safe.
class PyramidScanner {
 public:
  /// `picture` is the size of the upright picture. Windows whose sum is less than `least_sum` don't
  /// pass.
  PyramidScanner(std::shared_ptr<const Model> model, Size picture, const SizeLimits& limits,
                 std::int32_t least_sum = std::numeric_limits<std::int32_t>::min(),
                 std::size_t most_windows = kMostWindows);

  /// Holds memory that is reused for the next picture.
  struct Memory {
    Planes luv;
    Planes half;                 ///< resized to half the picture's size
    std::vector<Planes> real;    ///< channels of the real scales
    std::vector<Planes> padded;  ///< padded cells of the scales of one batch
    std::vector<BandMemory> threads;
    /// time that the last find() spent in scanning windows
    Clock::duration scanned{};
  };

  /// Returns the windows that pass, ordered by scale, then by row, then by column. `rgb` has 4
  /// bytes a pixel, as RgbMaker makes them. Throws Error(device) if more than most_windows pass.
  [[nodiscard]] std::vector<Window> find(const cv::Mat& rgb, Workers& workers,
                                         Memory& memory) const;

  /// Returns the channels of one of scales(), for tests. The channels are in `memory`, and are
  /// valid until `memory` is used again.
  [[nodiscard]] const Planes& channels(const cv::Mat& rgb, std::size_t scale, Workers& workers,
                                       Memory& memory) const;

  [[nodiscard]] const std::vector<Scale>& scales() const { return scales_; }

 private:
  /// Describes a part of the work: rows of a scale.
  struct Band {
    std::size_t scale = 0;
    int first_row = 0;
    int rows = 0;
  };
  /// Describes scales whose channels are in memory at the same time.
  struct Batch {
    std::size_t first_scale = 0;
    std::size_t scale_count = 0;
    std::vector<Band> padded;
    std::vector<Band> places;
  };

  void plan_bands();
  void plan_batches();
  void make_luv(const cv::Mat& rgb, Workers& workers, Memory& memory) const;
  void make_half(Workers& workers, Memory& memory) const;
  void make_real(Workers& workers, Memory& memory) const;
  void make_padded(const Batch& batch, Workers& workers, Memory& memory) const;
  void make_sources(const cv::Mat& rgb, Workers& workers, Memory& memory) const;
  void scan(const Batch& batch, Workers& workers, const Memory& memory,
            std::vector<Window>& found) const;

  std::shared_ptr<const Model> model_;
  Size picture_;
  Size padding_;  ///< padding on each side, in cells
  std::size_t most_windows_;
  std::vector<Scale> scales_;
  Sources sources_;
  std::vector<Scanner> scanners_;  ///< one for each scale
  /// bands of cells of real scales; Band::scale is an index of a real scale
  std::vector<Band> real_bands_;
  std::vector<Batch> batches_;
};

struct AcfOptions {
  SizeLimits sizes;
  float score_threshold = 0.5F;  ///< candidates need score > this
  int requests = 1;  ///< number of frames that the detector may hold at the same time, >= 1
};

[[nodiscard]] std::shared_ptr<Detector> make_acf_detector(std::shared_ptr<const Model> model,
                                                          std::shared_ptr<Workers> workers,
                                                          Size frame, const AcfOptions& options);

}  // namespace facepipe::detector::acf
