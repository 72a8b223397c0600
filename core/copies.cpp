#include "core/copies.h"

namespace facepipe {

std::string_view name_of(CopyKind kind) {
  static constexpr std::array<std::string_view, kCopyKinds> kNames{
      "descriptor", "upload",        "counts",         "faces",  "bitstream",
      "download",   "surface",       "luma",           "motion", "waiting",
      "drawing",    "network_input", "network_output", "crops",  "crop_scores"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view direction_of(CopyKind kind) {
  if (kind == CopyKind::surface || kind == CopyKind::waiting) return "on device";
  const bool to_device = kind == CopyKind::descriptor || kind == CopyKind::upload ||
                         kind == CopyKind::drawing || kind == CopyKind::network_input ||
                         kind == CopyKind::crops;
  return to_device ? "to device" : "to host";
}

void CopyCounter::add(CopyKind kind, std::size_t bytes) {
  Entry& entry = entries_[static_cast<std::size_t>(kind)];
  entry.calls.fetch_add(1, std::memory_order_relaxed);
  entry.bytes.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

void CopyCounter::add(const CopyCounter& other) {
  for (std::size_t i = 0; i < kCopyKinds; ++i) {
    const CopyTotal added = other.total(static_cast<CopyKind>(i));
    entries_[i].calls.fetch_add(added.calls, std::memory_order_relaxed);
    entries_[i].bytes.fetch_add(added.bytes, std::memory_order_relaxed);
  }
}

CopyTotal CopyCounter::total(CopyKind kind) const {
  const Entry& entry = entries_[static_cast<std::size_t>(kind)];
  return {entry.calls.load(std::memory_order_relaxed), entry.bytes.load(std::memory_order_relaxed)};
}

}  // namespace facepipe
