// A device made ready for jobs: model and detectors, once for all inputs, and what decodes and
// encodes for it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/copies.h"
#include "core/device.h"
#include "core/frame.h"
#include "detector/detector.h"
#include "pipeline/frame_processor.h"
#include "pipeline/job_options.h"
#include "video/read/decoder.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

class HidingDevice;

/// How many frames of a job that hides faces may wait.
struct FramesToHide {
  int waiting = 0;   ///< until those that follow have told what of them is to be hidden
  int held = 0;      ///< of all lanes, from the decoders until they are hidden: with those
  int pictures = 0;  ///< that have memory of their own at once, if nothing is slow
};

/// What a FrameProcessor is made for, or what hides on the frames' device.
struct ProcessorSetup {
  const JobOptions& options;   ///< outlives the processor
  const Frame& first;          ///< all frames are like it
  bool still_image = false;    ///< there is no other
  FramesToHide hiding;         ///< where faces are hidden
  bool several_lanes = false;  ///< at work on the device at once, of this job or of several
  CopyCounter& copies;         ///< the job's; outlives the processor
  std::int64_t origin_us = 0;  ///< of the frames' time: where JobOptions::start_s counts from
};

/// Keeps detectors by the pictures that they are for, those used last, within a bound of memory.
/// Outlives what it makes. Thread-safe: several jobs may run at once; what it makes is one job's.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual Device device() const { return {}; }

  /// How many inputs are worked on at once best: with several devices of all together.
  /// Errors: device.
  [[nodiscard]] virtual int inputs_at_once() const { return 1; }

  /// Makes the device that of the calling thread. Errors: device.
  virtual void enter_thread() const {}

  /// What decodes, processes and encodes for a lane of a job: with several devices each takes
  /// lanes in turn.
  [[nodiscard]] virtual Backend& of_lane(int /*lane*/) { return *this; }

  /// One of several devices has failed: the next jobs go on without it.
  virtual void give_up(Device /*failed*/) {}

  /// The device's own decoder, or with DecoderChoice::cpu the CPU's, whose pictures end up on the
  /// device. Errors: Error(input), Error(device).
  [[nodiscard]] virtual std::unique_ptr<video::Decoder> make_decoder(
      const video::Demuxer& demuxer, const video::DecoderOptions& options,
      video::DecoderChoice choice, video::Notices& notices, CopyCounter& copies) = 0;

  /// How many decoders like this one of a video run at once without slowing each other down, as far
  /// as there is memory for them. Errors: device.
  [[nodiscard]] virtual int decoders(const AVCodecParameters& video,
                                     const video::Decoder& like) const = 0;

  /// Bytes of the device's memory that nobody has; where that is the host's, no bound. Errors:
  /// device.
  [[nodiscard]] virtual std::int64_t free_memory() const {
    return std::numeric_limits<std::int64_t>::max();
  }

  /// Frames that decoder or encoder keep alive beside those in flight between them.
  [[nodiscard]] virtual int frames_beside() const = 0;

  /// Refuses an encoder that doesn't run on the device.
  /// Errors: usage; device where it is the device's own and the chip lacks it.
  virtual void check_encoder(const AVCodec& codec) const = 0;

  /// What encodes pictures like these, which are `encoded` large when they get there: `codec`, or
  /// an encoder of the device where the options leave that open.
  /// Errors: as video::plan_encoder(); usage; device.
  [[nodiscard]] virtual video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                        const video::PictureFacts& pictures,
                                                        Size encoded, const JobOptions& options,
                                                        video::Notices& notices) const = 0;

  /// For frames like `first`. Errors: as make_cpu_encoder(); device.
  [[nodiscard]] virtual std::unique_ptr<video::Encoder> make_encoder(
      const video::EncoderSetup& setup, const Frame& first, video::Notices& notices,
      CopyCounter& copies) = 0;

  /// Errors: device.
  [[nodiscard]] virtual std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) = 0;

  /// For a job that hides faces: what all its lanes share. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) = 0;

  /// Engine and model of the detectors. Errors: internal where there are none.
  [[nodiscard]] virtual const detector::DetectorOrigin& origin() const = 0;
};

/// All on the CPU.
/// @param detectors  null: for jobs alone that look for nothing (HideJob::known)
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(
    std::unique_ptr<detector::DetectorFactory> detectors);

}  // namespace facepipe::pipeline
