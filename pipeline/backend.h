// A device made ready for jobs: model and detectors, once for all inputs, and what decodes and
// encodes for it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

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
struct HideCapacity {
  int waiting = 0;  ///< frames that wait for later ones, which tell what is hidden in them
  int held = 0;     ///< frames of all lanes from the decoders until they are hidden, these included
  int pictures = 0;  ///< frames that have memory of their own at once, if nothing is slow
};

/// What a FrameProcessor or a HidingDevice is made for.
struct ProcessorSetup {
  const JobOptions& options;   ///< outlives the processor
  const Frame& first;          ///< all frames are like it
  bool still_image = false;    ///< there is no other frame
  HideCapacity hiding;         ///< if faces are hidden
  bool several_lanes = false;  ///< work on the device at once, of this job or of several
  CopyCounter& copies;         ///< the job's; outlives the processor
  std::int64_t origin_us = 0;  ///< the time of the frames from which InputOptions::start_s counts
};

/// Keeps the detectors that were used last, by the pictures that they are for, within a bound of
/// memory. It outlives what it makes. Thread-safe: several jobs may run at once. What it makes
/// belongs to one job.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual Device device() const { return {}; }

  /// How many inputs the device best works on at once; several devices count together.
  /// Errors: device.
  [[nodiscard]] virtual int inputs_at_once() const { return 1; }

  /// Makes the calling thread work on this device. Errors: device.
  virtual void enter_thread() const {}

  /// What decodes, processes and encodes for a lane of a job. Several devices take lanes in turn.
  [[nodiscard]] virtual Backend& for_lane(int /*lane*/) { return *this; }

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

  /// Free bytes of the device's memory; no bound if that is the host's. Errors: device.
  [[nodiscard]] virtual std::int64_t free_memory() const {
    return std::numeric_limits<std::int64_t>::max();
  }

  /// Frames that decoder and encoder keep alive in addition to those in flight between them.
  [[nodiscard]] virtual int frames_held_by_codecs() const = 0;

  /// Refuses an encoder that doesn't run on the device.
  /// Errors: usage; device if the encoder is the device's own and the chip lacks it.
  virtual void check_encoder(const AVCodec& codec) const = 0;

  /// Plans what encodes pictures like these, whose size is `encoded` when they get there: `codec`,
  /// or an encoder of the device if the options leave that open.
  /// Errors: as video::plan_encoder(); usage; device.
  [[nodiscard]] virtual video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                        const video::PictureFacts& pictures,
                                                        Size encoded, const JobOptions& options,
                                                        video::Notices& notices) const = 0;

  /// Makes an encoder for frames like `first`. Errors: as make_cpu_encoder(); device.
  [[nodiscard]] virtual std::unique_ptr<video::Encoder> make_encoder(
      const video::EncoderSetup& setup, const Frame& first, video::Notices& notices,
      CopyCounter& copies) = 0;

  /// Errors: device.
  [[nodiscard]] virtual std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) = 0;

  /// Makes what all lanes of a job that hides faces share. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) = 0;

  /// Engine and model of the detectors. Errors: internal if there are none.
  [[nodiscard]] virtual const detector::ModelInfo& model_info() const = 0;
};

}  // namespace facepipe::pipeline
