#include "video/write/tag_filter.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <string_view>

namespace facepipe::video {
namespace {

// Returns whether muxers write the tag anew, or whether encoding the video makes it false.
bool is_stale_tag(std::string_view key) {
  constexpr std::array<std::string_view, 11> kStale{
      "major_brand", "minor_version", "compatible_brands", "encoder",          "ENCODER",
      "DURATION",    "BPS",           "alpha_mode",        "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES",
      "vendor_id"};
  const std::string_view stem = key.substr(0, key.find("-eng"));
  return std::find(kStale.begin(), kStale.end(), stem) != kStale.end() ||
         key.starts_with("_STATISTICS_");
}

/// Returns whether the tag says nothing about people and places.
bool is_technical_tag(std::string_view key) {
  constexpr std::array<std::string_view, 4> kTechnical{"language", "timecode", "rotate",
                                                       "stereo_mode"};
  return std::find(kTechnical.begin(), kTechnical.end(), key) != kTechnical.end();
}

bool is_needed_by_attachments(std::string_view key) {
  return key == "filename" || key == "mimetype";
}

}  // namespace

bool TagFilter::keeps(const std::string& key, bool attachment) const {
  if (!kept_ || is_technical_tag(key)) return true;
  if (attachment && is_needed_by_attachments(key)) return true;
  return std::ranges::any_of(*kept_, [&](const std::string& name) {
    return av_strcasecmp(name.c_str(), key.c_str()) == 0;
  });
}

void TagFilter::copy(AVDictionary** to, const AVDictionary* from, bool attachment) {
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(from, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
    const std::string key = entry->key;
    if (is_stale_tag(key)) continue;
    if (keeps(key, attachment))
      av_dict_set(to, entry->key, entry->value, 0);
    else
      left_out_.insert(key);
  }
}

void TagFilter::copy(AVDictionary** to, const AVDictionary* from) { copy(to, from, false); }

void TagFilter::copy_of_attachment(AVDictionary** to, const AVDictionary* from) {
  copy(to, from, true);
}

bool holds_words(AVPacketSideDataType type) {
  return type == AV_PKT_DATA_STRINGS_METADATA || type == AV_PKT_DATA_METADATA_UPDATE ||
         type == AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL;
}

}  // namespace facepipe::video
