// Examines the two videos, and everything else in the hidden file that shows pictures.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/verify/comparison.h"
#include "app/verify/detectors.h"
#include "app/verify/report.h"
#include "track/track_file.h"
#include "verify/findings.h"
#include "verify/lone_pictures.h"
#include "verify/verifier.h"
#include "video/read/other_pictures.h"

namespace facepipe::app {

/// Adds findings to a result. The arguments of its constructor must outlive this object. All
/// functions may throw Error and Stopped.
class Verification {
 public:
  /// @param tracks  the edit file; nullptr if there is none
  Verification(const VerifyOptions& options, const VerifyDetectors& detectors,
               const track::TrackFile* tracks, const VerifyProgress& progress)
      : options_(options), detectors_(detectors), tracks_(tracks), progress_(progress) {}

  /// Compares the video that a player shows with its original.
  void compare(VideoReader& original, VideoReader& hidden, VerifyResult& result,
               const std::stop_token& stop);

  /// Examines the other pictures of the hidden file. A video stream is compared with the original,
  /// as compare() does. In such a stream, a sure face that only this stream shows counts as a leak,
  /// too. Other pictures are searched for faces that a detector finds with certainty. If the
  /// original can't be read again, video streams are searched in the same way. The result lists the
  /// pictures that could not be examined.
  void search_others(const std::vector<video::OtherPictures>& all, VerifyResult& result,
                     const std::stop_token& stop);

 private:
  void search_other(const video::OtherPictures& pictures, OtherVideo& entry, VerifyResult& result,
                    const std::stop_token& stop);
  void compare_stream(const video::OtherPictures& pictures, OtherVideo& entry, VerifyResult& result,
                      const std::stop_token& stop);
  void search_alone(const std::string& input, std::optional<int> stream, OtherVideo& entry,
                    VerifyResult& result, const std::stop_token& stop);
  void add(std::vector<verify::Finding> findings, const std::string& place,
           VerifyResult& result) const;
  void name_class(verify::Finding& finding) const;
  [[nodiscard]] verify::Verifier verifier() const;
  [[nodiscard]] verify::LonePictures lone_pictures() const;
  [[nodiscard]] bool thumbnails() const { return !options_.thumbnails.empty(); }

  const VerifyOptions& options_;
  const VerifyDetectors& detectors_;
  const track::TrackFile* tracks_;
  const VerifyProgress& progress_;
};

}  // namespace facepipe::app
