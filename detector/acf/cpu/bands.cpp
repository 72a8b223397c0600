#include "detector/acf/cpu/bands.h"

#include <algorithm>
#include <cstddef>

namespace facepipe::detector::acf {
namespace {

/// Number of rows that a ring keeps. Row y has the index y modulo kRing. The ring has room for the
/// four rows of a cell and the triangle's kRadius rows on both sides.
constexpr int kRing = 16;
/// This multiple of kRing is added to row numbers, because they may be negative.
constexpr int kRingBias = 4 * kRing;

int slot(int row) { return (row + kRingBias) % kRing; }

/// Makes rows of a plane that is resampled to a lower height.
class DownAdder {
 public:
  /// `rows_of(y)` returns row y of the source, which has `length` samples.
  template <typename RowsOf>
  void add(const Taps& taps, int row, int length, const RowsOf& rows_of, float* to) {
    rows_.clear();
    weights_.clear();
    for (int tap = 0; tap < taps.count; ++tap) {
      const auto at = static_cast<std::size_t>(tap * taps.length + row);
      rows_.push_back(rows_of(taps.index[at]));
      weights_.push_back(taps.weight[at]);
    }
    add_rows(rows_.data(), weights_.data(), taps.count, length, to);
  }

 private:
  std::vector<const float*> rows_;
  std::vector<float> weights_;
};

/// Makes the LUV rows of a real scale one after the other, and keeps the last kRing rows.
class LuvRows {
 public:
  LuvRows(const RealSource& source, int width, Planes& ring, Planes& resampled)
      : source_(source), ring_(ring), resampled_(resampled) {
    if (source.across == nullptr) return;
    ring_.resize({width, kRing}, kColors);
    resampled_.resize({source.luv->size().width, 1}, 1);
  }

  void begin_at(int row) { next_ = row; }

  [[nodiscard]] const float* row(int color, int y) {
    if (source_.across == nullptr) return source_.luv->row(color, y);
    for (; next_ <= y; ++next_)
      for (int c = 0; c < kColors; ++c) make(c, next_, ring_.row(c, slot(next_)));
    return ring_.row(color, slot(y));
  }

  void make(int color, int y, float* to) {
    float* const made = resampled_.row(0, 0);
    down_.add(
        *source_.down, y, source_.luv->size().width,
        [&](int from) { return source_.luv->row(color, from); }, made);
    add_taps(made, *source_.across, 1, to);
  }

 private:
  RealSource source_;
  Planes& ring_;
  Planes& resampled_;
  DownAdder down_;
  int next_ = 0;
};

/// Makes the channels of a real scale row by row, and keeps the last kRing rows of each kind.
class RealBand {
 public:
  RealBand(const RealSource& source, Size cells, BandMemory& memory, Planes& to)
      : cells_(cells),
        width_(cells.width * kShrink),
        height_(cells.height * kShrink),
        luv_(source, width_, memory.rings[0], memory.rings[1]),
        smooth_(memory.rings[2]),
        gradients_(memory.rings[3]),
        sums_(memory.rings[4]),
        normalized_(memory.rings[5]),
        scratch_(memory.rings[6]),
        across_(memory.rings[7]),
        to_(to) {
    smooth_.resize({width_, kRing}, kColors);
    gradients_.resize({width_, kRing}, 2);
    sums_.resize({width_, kRing}, 3);
    normalized_.resize({width_, kRing}, 2);
    scratch_.resize({width_ + kShrink * kRowRoom, kOrientations}, 1);
    across_.resize({width_ + 2 * kRadius + 2 * kRowRoom, 3}, 1);
  }

  void make(int first_row, int rows) {
    const int first = first_row * kShrink;
    const int end = first + rows * kShrink;
    next_gradient_ = std::max(0, first - kRadius);
    next_smooth_ = std::max(0, next_gradient_ - 1);
    luv_.begin_at(std::max(0, next_smooth_ - 1));
    for (int row = first - kRadius + 1; row < end + kRadius; ++row) {
      add_sums(row);
      const int centre = row - kRadius;
      if (centre < first) continue;
      normalize_row(gradients_.row(kStrength, slot(centre)), normalized_.row(1, 0), width_,
                    across_.row(0, 0), static_cast<int>(across_.stride()),
                    normalized_.row(0, slot(centre)));
      if (centre % kShrink == kShrink - 1) add_cells(centre / kShrink);
    }
  }

 private:
  static constexpr int kStrength = 0;  // indices of planes of gradients_
  static constexpr int kAngle = 1;
  static constexpr int kPairs = 0;  // indices of planes of sums_
  static constexpr int kSixes = 1;
  static constexpr int kDoubles = 2;

  void smooth_up_to(int row) {
    for (; next_smooth_ <= row; ++next_smooth_) {
      const int y = next_smooth_;
      float* const down = across_.row(0, 0);
      for (int c = 0; c < kColors; ++c) {
        const float* const before = luv_.row(c, std::max(0, y - 1));
        const float* const after = luv_.row(c, std::min(height_ - 1, y + 1));
        smooth_down(before, luv_.row(c, y), after, width_, down);
        smooth_across(down, width_, smooth_.row(c, slot(y)));
      }
    }
  }

  void gradients_up_to(int row) {
    for (; next_gradient_ <= row; ++next_gradient_) {
      const int y = next_gradient_;
      const bool is_border = y == 0 || y == height_ - 1;
      const int before = std::max(0, y - 1);
      const int after = std::min(height_ - 1, y + 1);
      smooth_up_to(after);
      ThreeRows rows;
      for (int c = 0; c < kColors; ++c) {
        rows.before[c] = smooth_.row(c, slot(before));
        rows.here[c] = smooth_.row(c, slot(y));
        rows.after[c] = smooth_.row(c, slot(after));
      }
      gradient_row(rows, is_border ? 1.0F : kHalf, width_, gradients_.row(kStrength, slot(y)),
                   gradients_.row(kAngle, slot(y)));
    }
  }

  /// Returns a row of magnitudes. `row` may lie beyond the border, because the picture is mirrored
  /// there.
  [[nodiscard]] const float* strength(int row) {
    const int y = row < 0 ? -1 - row : row >= height_ ? 2 * height_ - 1 - row : row;
    gradients_up_to(y);
    return gradients_.row(kStrength, slot(y));
  }

  void add_sums(int row) {
    const auto of = [&](int kind, int back) { return sums_.row(kind, slot(row - back)); };
    const float* const before = strength(row - 1);
    add_triangle_row({.magnitude_before = before,
                      .magnitude = strength(row),
                      .pair4 = of(kPairs, 5),
                      .pair2 = of(kPairs, 3),
                      .pair = of(kPairs, 1),
                      .six_before = of(kSixes, 6),
                      .six = of(kSixes, 5),
                      .double4 = of(kDoubles, 10),
                      .double2 = of(kDoubles, 8),
                      .doubled = of(kDoubles, 6),
                      .sum = normalized_.row(1, 0)},
                     width_);
  }

  void add_cells(int cell_row) {
    CellRows rows;
    for (int i = 0; i < kShrink; ++i) {
      const int y = slot(cell_row * kShrink + i);
      for (int c = 0; c < kColors; ++c) rows.color[c][i] = smooth_.row(c, y);
      rows.magnitude[i] = normalized_.row(0, y);
      rows.orientation[i] = gradients_.row(kAngle, y);
    }
    float* made[kChannels];
    for (int c = 0; c < kChannels; ++c) made[c] = to_.row(c, cell_row);
    cells_row(rows, cells_.width, scratch_.row(0, 0), static_cast<int>(scratch_.stride()), made);
  }

  Size cells_;
  int width_;
  int height_;
  LuvRows luv_;
  Planes& smooth_;
  Planes& gradients_;
  Planes& sums_;
  Planes& normalized_;
  Planes& scratch_;
  Planes& across_;
  Planes& to_;
  int next_smooth_ = 0;
  int next_gradient_ = 0;
};

/// Makes one channel of a scale, row by row.
class PaddedChannel {
 public:
  PaddedChannel(const CellSource& source, const Scale& scale, Size padding, int channel,
                BandMemory& memory, Planes& to)
      : source_(source),
        scale_(scale),
        padding_(padding),
        channel_(channel),
        ring_(memory.rings[8]),
        resampled_(memory.rings[9]),
        to_(to) {
    ring_.resize({scale.cells.width, kRing}, 1);
    resampled_.resize({std::max(source.channels->size().width, scale.cells.width), 1}, 1);
  }

  void make(int first_row, int rows) {
    const int last = scale_.cells.height - 1;
    next_ = std::max(0, std::clamp(first_row - padding_.height, 0, last) - 1);
    for (int row = first_row; row < first_row + rows; ++row) {
      float* const made = to_.row(channel_, row);
      const int y = row - padding_.height;
      if (channel_ >= kColors && (y < 0 || y > last))
        std::fill_n(made, scale_.padded.width, 0.0F);
      else
        make_row(std::clamp(y, 0, last), made);
    }
  }

 private:
  void make_row(int y, float* to) {
    const float* const before = row_at(std::max(0, y - 1));
    const float* const here = row_at(y);
    const float* const after = row_at(std::min(scale_.cells.height - 1, y + 1));
    float* const down = resampled_.row(0, 0);
    const int width = scale_.cells.width;
    smooth_down(before, here, after, width, down);
    float* const cells = to + padding_.width;
    smooth_across(down, width, cells);
    const bool is_color = channel_ < kColors;
    std::fill_n(to, padding_.width, is_color ? cells[0] : 0.0F);
    std::fill_n(cells + width, padding_.width, is_color ? cells[width - 1] : 0.0F);
  }

  /// Returns row y before smoothing.
  [[nodiscard]] const float* row_at(int y) {
    if (source_.across == nullptr) return source_.channels->row(channel_, y);
    for (; next_ <= y; ++next_) {
      float* const made = resampled_.row(0, 0);
      down_.add(
          *source_.down, next_, source_.channels->size().width,
          [&](int from) { return source_.channels->row(channel_, from); }, made);
      add_taps(made, *source_.across, scale_.factors[channel_], ring_.row(0, slot(next_)));
    }
    return ring_.row(0, slot(y));
  }

  CellSource source_;
  const Scale& scale_;
  Size padding_;
  int channel_;
  Planes& ring_;
  Planes& resampled_;
  Planes& to_;
  DownAdder down_;
  int next_ = 0;
};

}  // namespace

void resize_band(const RealSource& source, int first_row, int rows, BandMemory& memory,
                 Planes& to) {
  LuvRows luv(source, source.across->length, memory.rings[0], memory.rings[1]);
  for (int y = first_row; y < first_row + rows; ++y)
    for (int c = 0; c < kColors; ++c) luv.make(c, y, to.row(c, y));
}

void make_real_band(const RealSource& source, Size cells, int first_row, int rows,
                    BandMemory& memory, Planes& to) {
  RealBand(source, cells, memory, to).make(first_row, rows);
}

void make_padded_band(const CellSource& source, const Scale& scale, Size padding, int first_row,
                      int rows, BandMemory& memory, Planes& to) {
  for (int c = 0; c < kChannels; ++c)
    PaddedChannel(source, scale, padding, c, memory, to).make(first_row, rows);
}

}  // namespace facepipe::detector::acf
