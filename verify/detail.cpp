#include "verify/detail.h"

#include <cmath>

namespace facepipe::verify {
namespace {

constexpr int kRim = 2;  // number of cells on each side, so that 80 % are inside
constexpr float kLeftOver = 0.5F;
constexpr float kAlike = 0.7F;
constexpr float kUnexplained = 0.3F;
constexpr float kFlat = 2;
constexpr float kLeastLeft = 0.3F;  // in grey levels
constexpr float kLeastShare = 0.05F;

bool in_picture(const Box& box, Size size, int x, int y) {
  const float px = box.x1 + box.width() * (static_cast<float>(x) + 0.5F) / kFaceCells;
  const float py = box.y1 + box.height() * (static_cast<float>(y) + 0.5F) / kFaceCells;
  return px >= 0 && py >= 0 && px < static_cast<float>(size.width) &&
         py < static_cast<float>(size.height);
}

/// Holds the mean products over the window around a cell: <a,a>, <a,b> and <b,b> (see
/// FaceDetail::left_in()).
struct Energies {
  float before;
  float common;
  float after;

  [[nodiscard]] bool is_left() const { return common >= kLeftOver * before; }
  [[nodiscard]] bool is_unchanged() const {
    return is_left() && before - 2 * common + after <= kUnexplained * before;
  }
  /// Returns whether b is larger than rounding errors, and whether a explains at least the share
  /// `least` of b's energy.
  [[nodiscard]] bool is_explained(float least) const {
    return after >= kLeastLeft * kLeastLeft && after >= kLeastShare * kLeastShare * before &&
           common * common >= least * before * after;
  }
};

}  // namespace

FaceDetail::FaceDetail(const Grey& picture, const Box& box)
    : cells_(detail_of(picture, area_of(box))),
      inner_(kFaceCells),
      energies_(mean_products(cells_, cells_)) {
  double sum = 0;
  int count = 0;
  for (int y = kRim; y < kFaceCells - kRim; ++y)
    for (int x = kRim; x < kFaceCells - kRim; ++x) {
      if (!in_picture(box, picture.size, x, y)) continue;
      inner_.at(x, y) = 1;
      sum += double{cells_.at(x, y)} * cells_.at(x, y);
      ++count;
    }
  has_detail_ = count > 0 && sum >= double{kFlat} * kFlat * count;
}

double FaceDetail::likeness(const Cells& other, int x0, int y0) const {
  if (!has_detail()) return 0;
  double before = 0;
  double common = 0;
  double after = 0;
  int count = 0;
  for (int y = 0; y < kFaceCells; ++y)
    for (int x = 0; x < kFaceCells; ++x) {
      if (!is_inner(x, y)) continue;
      const double a = cells_.at(x, y);
      const double b = other.at(x0 + x, y0 + y);
      before += a * a;
      common += a * b;
      after += b * b;
      ++count;
    }
  const double least = double{kLeastLeft} * kLeastLeft * count;
  if (after < least || after < kLeastShare * kLeastShare * before) return 0;
  return std::abs(common) / std::sqrt(before * after);
}

DetailLeft FaceDetail::left_in(const Cells& other, double like) const {
  const Cells common = mean_products(cells_, other);
  const Cells after = mean_products(other, other);
  const bool alike = likeness(other) >= like;
  int counted = 0;
  int weakened = 0;
  int left = 0;
  for (int y = 0; y < kFaceCells; ++y)
    for (int x = 0; x < kFaceCells; ++x) {
      if (!is_inner(x, y) || energies_.at(x, y) < kFlat * kFlat) continue;
      ++counted;
      const Energies cell{energies_.at(x, y), common.at(x, y), after.at(x, y)};
      if (!cell.is_left() && !(alike && cell.is_explained(kAlike * kAlike))) continue;
      const bool whole = cell.is_unchanged() || (alike && cell.is_explained(1 - kUnexplained));
      ++(whole ? left : weakened);
    }
  if (counted == 0) return {};
  const double all = counted;
  return {(counted - weakened - left) / all, weakened / all, left / all};
}

}  // namespace facepipe::verify
