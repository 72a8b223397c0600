#include "verify/findings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace facepipe::verify {
namespace {

constexpr float kAround = 0.5F;  // the margin of a thumbnail, as a share of the box

bool clearer(const FoundBox& one, const FoundBox& other) {
  return std::pair(one.score, -one.detail.gone) > std::pair(other.score, -other.detail.gone);
}

Box around(const Box& box, Size from, Size to) {
  const float x = static_cast<float>(to.width) / static_cast<float>(from.width);
  const float y = static_cast<float>(to.height) / static_cast<float>(from.height);
  const float rim_x = kAround * box.width();
  const float rim_y = kAround * box.height();
  return {(box.x1 - rim_x) * x, (box.y1 - rim_y) * y, (box.x2 + rim_x) * x, (box.y2 + rim_y) * y};
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"leak", "cosmetic", "kept", "else"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(FindingSource source) {
  constexpr std::array<std::string_view, 3> kNames{"detection", "edit file", "other picture"};
  return kNames[static_cast<std::size_t>(source)];
}

void Findings::add(FindingKind kind, FindingSource source, std::int64_t track,
                   const FoundBox& found, const Grey& hidden, Size original) {
  const FindingKind shown = kind == FindingKind::cosmetic ? FindingKind::leak : kind;
  const auto [place, is_new] = all_.try_emplace({shown, source, track});
  Finding& finding = place->second;
  const bool pictured = thumbnails_ && (!is_new || pictures_ < kMostThumbnails) &&
                        (is_new || !finding.thumbnail.samples.empty());
  if (is_new) {
    finding.kind = kind;
    finding.source = source;
    finding.track = track;
    finding.first_s = found.time_s;
    if (pictured) ++pictures_;
  }
  finding.kind = std::min(finding.kind, kind);
  keep_box(finding, found);
  finding.last_s = found.time_s;
  finding.best_score = std::max(finding.best_score, found.score);
  if (!is_new && !clearer(found, finding.clearest)) return;
  finding.clearest = found;
  if (pictured)
    finding.thumbnail = crop(hidden, around(found.box, original, hidden.size), kThumbnailSide);
}

void Findings::keep_box(Finding& finding, const FoundBox& found) {
  const bool same_frame = finding.frames > 0 && finding.last_s == found.time_s;
  if (!same_frame) ++finding.frames;
  if (same_frame && !finding.boxes.empty() && finding.boxes.back().frame == found.frame) {
    if (clearer(found, finding.boxes.back())) finding.boxes.back() = found;
  } else if (boxes_ < kMostFoundBoxes) {
    ++boxes_;
    finding.boxes.push_back(found);
  } else {
    ++boxes_left_out_;
  }
}

void sort_by_weight(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& one, const Finding& other) {
    return one.kind != other.kind ? one.kind < other.kind : one.best_score > other.best_score;
  });
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> findings;
  for (auto& [key, finding] : std::exchange(all_, {})) findings.push_back(std::move(finding));
  sort_by_weight(findings);
  return findings;
}

}  // namespace facepipe::verify
