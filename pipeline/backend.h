// Declares Backend, a device that is ready for jobs. It holds the model and the detectors for all
// inputs, and makes the decoders and encoders of each job.
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

/// Says how many frames of a job that hides faces may be held at the same time (see
/// pipeline/README.md).
struct HideCapacity {
  int waiting = 0;   ///< frames in the tracker that wait for later frames (the look-ahead)
  int held = 0;      ///< frames of all lanes between their decoders and hiding; includes `waiting`
                     ///< if video is written
  int pictures = 0;  ///< pictures that a device allocates in advance; further pictures are
                     ///< allocated one by one
};

/// Describes the job that a FrameProcessor or a HidingDevice is made for.
struct ProcessorSetup {
  const JobOptions& options;  ///< outlives the processor
  const Frame& first;         ///< all frames have its size and format
  bool still_image = false;   ///< the first frame is the only one
  HideCapacity hiding;        ///< used only if faces are hidden
  bool several_lanes =
      false;            ///< several lanes, of one or several jobs, use the device at the same time
  CopyCounter& copies;  ///< the job's counter; outlives the processor
  std::int64_t origin_us = 0;  ///< time of the frames, in us, at which InputOptions::start_s is 0
};

/// A device with its detectors. For each size and format of pictures it keeps the detector that was
/// made for them; if these detectors take too much memory, it drops the least recently used
/// detectors. A backend outlives the objects that it makes. Each of these objects belongs to one
/// job. Thread-safe: several jobs may run at the same time.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual Device device() const { return {}; }

  /// Returns the number of inputs at the same time with which the device is fastest. For several
  /// devices, the result is the sum of their numbers. Errors: device.
  [[nodiscard]] virtual int inputs_at_once() const { return 1; }

  /// Makes the calling thread work on this device. Errors: device.
  virtual void enter_thread() const {}

  /// Returns the backend that a lane of a job uses. A group of devices assigns its devices to lanes
  /// in turn.
  [[nodiscard]] virtual Backend& for_lane(int /*lane*/) { return *this; }

  /// Makes later jobs work without `failed`, a device of a group. Does nothing for a single device.
  virtual void give_up(Device /*failed*/) {}

  /// Makes the device's own decoder or, with DecoderChoice::cpu, a decoder that works on the CPU.
  /// The pictures of both decoders are on the device. Errors: Error(input), Error(device).
  [[nodiscard]] virtual std::unique_ptr<video::Decoder> make_decoder(
      const video::Demuxer& demuxer, const video::DecoderOptions& options,
      video::DecoderChoice choice, video::Notices& notices, CopyCounter& copies) = 0;

  /// Returns how many decoders of the same kind as `like` can decode this video at the same time
  /// without slowing each other down. The device has memory for this number of decoders. Errors:
  /// device.
  [[nodiscard]] virtual int decoders(const AVCodecParameters& video,
                                     const video::Decoder& like) const = 0;

  /// Returns the free bytes of the device's memory. A device that uses the host's memory returns
  /// the largest number. Errors: device.
  [[nodiscard]] virtual std::int64_t free_memory() const {
    return std::numeric_limits<std::int64_t>::max();
  }

  /// Returns how many frames the codecs keep alive besides those between decoder and encoder.
  [[nodiscard]] virtual int frames_held_by_codecs() const = 0;

  /// Throws if the encoder doesn't run on the device.
  /// Errors: usage; device if the encoder is the device's own and the chip lacks it.
  virtual void check_encoder(const AVCodec& codec) const = 0;

  /// Chooses the encoder: `codec`, or an encoder of the device if the options allow it
  /// (video::leaves_encoder_open()). Errors: as video::plan_encoder(); usage; device.
  /// @param pictures  facts about the decoded pictures
  /// @param encoded   size of the pictures that the encoder gets
  [[nodiscard]] virtual video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                        const video::PictureFacts& pictures,
                                                        Size encoded, const JobOptions& options,
                                                        video::Notices& notices) const = 0;

  /// Makes an encoder for frames like `first`. Errors: as make_cpu_encoder(); device.
  [[nodiscard]] virtual std::unique_ptr<video::Encoder> make_encoder(
      const video::EncoderSetup& setup, const Frame& first, video::Notices& notices,
      CopyCounter& copies) = 0;

  /// Makes the processor of one lane. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) = 0;

  /// Makes the hiding device that all lanes of a job share, if it hides faces. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) = 0;

  /// Describes the engine and the model of the detectors. Errors: internal if there are none.
  [[nodiscard]] virtual const detector::ModelInfo& model_info() const = 0;
};

}  // namespace facepipe::pipeline
