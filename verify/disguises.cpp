#include "verify/disguises.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace facepipe::verify {
namespace {

constexpr float kReach = 0.0125F;  // share of the picture's longer side
constexpr int kMostReach = 16;     // in cells
constexpr float kLeastSide = 12;   // in pixels
constexpr double kOwnLikeness = 0.6;
constexpr float kSameShape = 0.1F;

Cells cells_in(const Grey& picture, const Area& area, Size of, int side = kFaceCells) {
  return detail_of(picture, scaled(area, of, picture.size), side);
}

/// Returns the square of kFaceCells cells a side whose first cell is (x, y).
Cells part_of(const Cells& cells, int x, int y) {
  Cells square(kFaceCells);
  for (int j = 0; j < kFaceCells; ++j)
    for (int i = 0; i < kFaceCells; ++i) square.at(i, j) = cells.at(x + i, y + j);
  return square;
}

/// Searches a hidden frame for one face of the original.
class Search {
 public:
  Search(const Planes& original, const HiddenPictures& hidden, const Box& box)
      : original_(original),
        hidden_(hidden),
        box_(box),
        area_(area_of(box)),
        face_(original.luma, box) {}

  [[nodiscard]] DetailLeft in_place() const {
    return face_.left_in(at_place(hidden_.now.luma), kLikeInPlace);
  }

  [[nodiscard]] std::optional<Shown> disguised() const {
    if (const Found found = in_other_planes()) return Shown{*found, Disguise::other_plane};
    if (const Found found = in_other_frames()) return Shown{*found, Disguise::other_frame};
    if (const Found found = in_turned_picture()) return Shown{*found, Disguise::whole_turned};
    if (const Found found = nearby()) return Shown{*found, Disguise::moved};
    return std::nullopt;
  }

 private:
  using Found = std::optional<DetailLeft>;

  [[nodiscard]] Cells at_place(const Grey& picture) const {
    return cells_in(picture, area_, original_.luma.size);
  }
  [[nodiscard]] static Found enough(const FaceDetail& face, const Cells& cells, double like) {
    if (face.likeness(cells) < like) return std::nullopt;
    const DetailLeft detail = face.left_in(cells, like);
    return is_hidden(detail) ? std::nullopt : Found(detail);
  }

  [[nodiscard]] Found in_other_planes() const;
  [[nodiscard]] Found in_other_frames() const;
  [[nodiscard]] Found in_turned_picture() const;
  [[nodiscard]] Found nearby() const;
  [[nodiscard]] Found nearby(const Area& area, int reach) const;

  const Planes& original_;
  const HiddenPictures& hidden_;
  const Box box_;
  const Area area_;
  const FaceDetail face_;
};

/// Searches the hidden frame's chroma and alpha for the detail of the original's luma. Also
/// compares each of these planes with the same plane of the original.
Search::Found Search::in_other_planes() const {
  const Planes& now = hidden_.now;
  std::vector<const Grey*> others;
  for (const Grey& plane : now.chroma) others.push_back(&plane);
  if (!now.alpha.samples.empty()) others.push_back(&now.alpha);
  for (const Grey* plane : others)
    if (const Found found = enough(face_, at_place(*plane), kLikeElsewhere)) return found;
  const auto own_plane = [&](const Grey& before, const Grey& after) -> Found {
    if (before.samples.empty() || after.samples.empty()) return std::nullopt;
    const FaceDetail face(before, scaled(box_, original_.luma.size, before.size));
    return enough(face, at_place(after), kLikeElsewhere);
  };
  for (std::size_t i = 0; i < std::min(original_.chroma.size(), now.chroma.size()); ++i)
    if (const Found found = own_plane(original_.chroma[i], now.chroma[i])) return found;
  return own_plane(original_.alpha, now.alpha);
}

Search::Found Search::in_other_frames() const {
  for (const Planes* frame : {hidden_.before, hidden_.after})
    if (frame != nullptr)
      if (const Found found = enough(face_, at_place(frame->luma), kLikeElsewhere)) return found;
  return std::nullopt;
}

Search::Found Search::in_turned_picture() const {
  const Size size = original_.luma.size;
  const Size there = hidden_.now.luma.size;
  const float shape = static_cast<float>(there.width) / static_cast<float>(there.height);
  for (int i = 1; i < 8; ++i) {
    const Orientation turn{i % 4, i >= 4};
    const Size turned_size = upright_size(size, turn);
    const float wanted =
        static_cast<float>(turned_size.width) / static_cast<float>(turned_size.height);
    if (turn.swaps_axes() && std::abs(shape / wanted - 1) > kSameShape) continue;
    const Cells cells = cells_in(hidden_.now.luma, turned(area_, size, turn), turned_size);
    if (const Found found = enough(face_, cells, kLikeElsewhere)) return found;
  }
  return std::nullopt;
}

Search::Found Search::nearby() const {
  const float side = std::min(box_.width(), box_.height());
  if (side < kLeastSide || !face_.has_detail()) return std::nullopt;
  const Size size = original_.luma.size;
  const float reach = kReach * static_cast<float>(std::max(size.width, size.height));
  const int cells = std::min(kMostReach, static_cast<int>(std::ceil(reach * kFaceCells / side)));
  if (const Found found = nearby(area_, cells)) return found;
  return nearby(mirrored(area_), cells);
}

Search::Found Search::nearby(const Area& area, int reach) const {
  const int side = kFaceCells + 2 * reach;
  const Area around = grown(area, reach);
  const Cells there = cells_in(hidden_.now.luma, around, original_.luma.size, side);
  std::optional<Cells> own;  // computed only when it is needed, which is rare
  for (int y = 0; y <= 2 * reach; ++y)
    for (int x = 0; x <= 2 * reach; ++x) {
      if (face_.likeness(there, x, y) < kLikeElsewhere) continue;
      if (!own) own = detail_of(original_.luma, around, side);
      if (face_.likeness(*own, x, y) >= kOwnLikeness) continue;
      if (const Found found = enough(face_, part_of(there, x, y), kLikeElsewhere)) return found;
    }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Disguise disguise) {
  constexpr std::array<std::string_view, 5> kNames{
      "as it was", "in another plane", "in another frame", "in a turned picture", "moved"};
  return kNames[static_cast<std::size_t>(disguise)];
}

Shown shown_of(const Planes& original, const HiddenPictures& hidden, const Box& box) {
  const Search search(original, hidden, box);
  const Shown in_place{search.in_place(), Disguise::none};
  if (!is_weakened(in_place.detail)) return in_place;
  const std::optional<Shown> disguised = search.disguised();
  if (!disguised) return in_place;
  const bool more = is_hidden(in_place.detail) || disguised->detail.left > in_place.detail.left;
  return more ? *disguised : in_place;
}

}  // namespace facepipe::verify
