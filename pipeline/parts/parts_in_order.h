// Gives the frames of all parts in the order of the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "pipeline/job_options.h"
#include "pipeline/lanes/presentation.h"
#include "pipeline/parts/part_file.h"
#include "pipeline/parts/part_job.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/write/encoder.h"
#include "video/write/encoder_stamps.h"

namespace facepipe::pipeline {

/// A frame of the output.
struct JoinedFrame {
  video::EncodedFrame encoded;
  std::int64_t pts = 0;  ///< Frame::pts
};

/// Reads part files, and gives their frames and tracks the numbers and stamps that one job would
/// give them. A part doesn't know the frames before it. Its thirteen members are the parts, the
/// part that is read, and the stamps. Not thread-safe.
class PartsInOrder {
 public:
  /// Reads the facts of all parts. Throws Error(input) if a part is missing or incomplete, if it
  /// belongs to another plan, if parts were made in different ways, or if faces are followed and a
  /// part doesn't end where a scene begins.
  /// @param hide     JobOptions::hide
  /// @param encoder  an encoder like those of the parts; nullptr if no video is written
  /// @param maker    what is known of this encoder; its other members aren't used
  PartsInOrder(const JoinJob& job, const std::optional<HideJob>& hide,
               const video::Demuxer& demuxer, const video::Encoder* encoder, const PartMaker& maker,
               video::Notices& notices);

  [[nodiscard]] const std::vector<PartFacts>& facts() const { return facts_; }

  /// Returns the next frame, in decoding order; nullopt after the last frame. Throws Error(input)
  /// if a part file is damaged, and if a part has hidden something at other times than a single job
  /// would.
  [[nodiscard]] std::optional<JoinedFrame> next();

 private:
  /// What a frame has in the output.
  struct Place {
    Frame stamped;
    std::int64_t stamp = 0;  // in the encoder's time base
    bool taken = false;      // next() has returned the frame
  };

  void read_facts(const std::optional<HideJob>& hide, const video::Encoder* encoder,
                  const PartMaker& maker);
  [[nodiscard]] bool read_frame();
  void end_part();
  [[nodiscard]] bool front_is_known() const;
  void check_place(const PartFrame& frame, const Frame& stamped) const;
  [[nodiscard]] JoinedFrame take_front();
  [[noreturn]] void refuse(const std::string& reason) const;

  const JoinJob& job_;
  std::vector<PartFacts> facts_;
  Presentation numbers_;
  std::optional<video::EncoderClock> clock_;
  std::optional<video::DecodingStamps> decoding_;
  std::size_t part_ = 0;
  std::optional<PartReader> reader_;
  std::vector<Place> places_;              // of the part's frames so far, in presentation order
  std::deque<PartFrame> waiting_;          // frames whose places aren't known yet
  std::int64_t tracks_before_ = 0;         // tracks of the earlier parts
  std::optional<std::int64_t> begin_pts_;  // of the part, as the part before says
};

}  // namespace facepipe::pipeline
