// Writes and reads part files. A part file holds the frames of one part of an output: what is known
// of each frame, and its encoded packet.
//
// A part file begins with a line that names its form, and ends with the facts about the part, the
// position of the facts, and MurmurHash3 of everything before. The frames come in the order in
// which the encoder gave them. Numbers are little-endian.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/files/output_file.h"
#include "core/frame_record.h"
#include "core/geometry.h"
#include "pipeline/job_result.h"
#include "pipeline/lanes/order.h"
#include "pipeline/track_counts.h"
#include "track/track_file.h"
#include "video/bitstream/murmur_hash.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_timing.h"

namespace facepipe::pipeline {

/// What found and encoded the frames of a part. All parts of an output must agree.
struct PartMaker {
  std::string engine;                   ///< such as "openvino"
  std::string precision;                ///< such as "f32"
  std::string model_sha256;             ///< of the first model
  std::string encoder;                  ///< FFmpeg's name; empty without video
  std::string container;                ///< FFmpeg's name of the output format; empty without video
  Rational time_base;                   ///< of the packets
  std::vector<std::uint8_t> extradata;  ///< the encoder's header of the stream
  int turned_faces = 0;                 ///< HideJob::turned_too; 0 if no faces are hidden
  int look_ahead = 0;  ///< frames that wait for later frames; 0 if no faces are followed
  std::string edits;   ///< KnownTracks::sha256; empty without known tracks
  friend bool operator==(const PartMaker&, const PartMaker&) = default;
};

/// What a part knows of the faces that it has hidden.
struct HiddenPart {
  /// How many numbers of tracks it has used: the tracks of the next part are numbered from there.
  std::int64_t tracks_begun = 0;
  TrackCounts counts;
  track::CollectedTracks tracks;
  /// Timing::pts, before the timeline, of the frame that begins the next part; nullopt if the part
  /// ends with its last packet.
  std::optional<std::int64_t> next_pts;
};

/// What is known of a whole part. It has more than seven members, because each is a separate fact.
struct PartFacts {
  std::string key;  ///< PartJob::key
  PartMaker maker;
  std::string host;  ///< the machine that made the part
  Device device;
  video::FrameLedger ledger;
  std::int64_t frames = 0;
  /// The most pictures that are decoded before a picture but shown after it.
  std::int64_t lead = 0;
  std::int64_t candidates_ignored = 0;
  std::uint32_t capacity = 0;  ///< DetectionFacts::capacity
  NetworkUse network;
  std::string decoder;                 ///< FFmpeg's name
  std::string early_end;               ///< JobResult::early_end
  std::vector<std::string> told;       ///< the notices of the part
  std::int64_t clock_ns = 0;           ///< what the clock of FrameTimes showed when the part began
  std::optional<HiddenPart> hidden{};  ///< if faces are hidden
};

/// A frame of a part.
struct PartFrame {
  /// In the order of the file, these are the timings of the frames in presentation order.
  video::Timing coded;
  /// `index` counts the frames of the part, from 0, and `face_tracks` its tracks. `pts_s` is the
  /// time by which the part has decided what is hidden.
  FrameRecord record;
  video::UniqueAVPacket packet;  ///< nullptr without video; its stamps mean nothing
};

/// Writes a part file. It gets its name when it is complete. The destructor removes an incomplete
/// file. Only one thread at a time may use it.
class PartWriter {
 public:
  /// Throws Error(output); LockHeld if another program makes the same file.
  explicit PartWriter(const std::filesystem::path& file);

  /// Takes the frames in the order in which the encoder gives them. Throws Error(output).
  void write(const FinishedFrame& frame);
  [[nodiscard]] std::int64_t frames() const { return frames_; }

  /// Completes the file. Sets PartFacts::frames, lead and clock_ns. Throws Error(output).
  /// @param damage  one line that says what is missing in the part, for OutputLock::damage_of();
  ///                empty if nothing is missing
  void finish(PartFacts facts, const std::string& damage = {});

 private:
  void write(const std::string& bytes);

  OutputFile file_;
  video::MurmurHash hash_;
  std::int64_t frames_ = 0;
  std::int64_t lead_ = 0;
  const std::int64_t clock_ns_;
};

/// Reads a part file. The file isn't trusted. If it isn't a complete part file, each function
/// throws Error(input), which names the file.
class PartReader {
 public:
  explicit PartReader(std::filesystem::path file);

  [[nodiscard]] const PartFacts& facts() const { return facts_; }
  /// Returns the next frame; nullopt after the last one. The hash of the file is checked before it
  /// returns nullopt, so a caller must not use the frames for good before.
  [[nodiscard]] std::optional<PartFrame> next();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept;
  };

  [[nodiscard]] std::string read(std::int64_t bytes);
  void check_end();
  [[noreturn]] void refuse(const std::string& reason) const;

  const std::filesystem::path name_;
  std::unique_ptr<std::FILE, Close> file_;
  video::MurmurHash hash_;
  std::int64_t position_ = 0;
  std::int64_t frames_end_ = 0;  // where the facts begin
  std::int64_t facts_end_ = 0;
  PartFacts facts_;
  std::int64_t frames_ = 0;
  bool ended_ = false;
  std::int64_t shift_ns_ = 0;  // from the clock of the part to the clock of this process
};

}  // namespace facepipe::pipeline
