// Decides which of an input's tags go into the output.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Leaves out tags that muxers write anew, and tags that become false by encoding. If only some
/// names may stay, it also leaves out all other tags. Not thread-safe.
class TagFilter {
 public:
  /// @param kept  names of the only tags that stay, in upper or lower case; tags of languages and
  ///              of time always stay. nullopt: all tags stay.
  explicit TagFilter(std::optional<std::vector<std::string>> kept) : kept_(std::move(kept)) {}

  void copy(AVDictionary** to, const AVDictionary* from);
  /// Copies the tags of an attachment. The attachment's file name and type always stay, because
  /// containers need them.
  void copy_of_attachment(AVDictionary** to, const AVDictionary* from);

  /// Returns the names of tags that were left out because `kept` doesn't list them.
  [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }

 private:
  void copy(AVDictionary** to, const AVDictionary* from, bool attachment);
  [[nodiscard]] bool keeps(const std::string& key, bool attachment) const;

  std::optional<std::vector<std::string>> kept_;
  std::set<std::string> left_out_;
};

/// Returns whether side data of a stream or a packet contain text: tags in another form, headers,
/// or data that only some players know.
[[nodiscard]] bool holds_words(AVPacketSideDataType type);

}  // namespace facepipe::video
