// The stages of a job that depend on the device it runs on.
#pragma once

#include <memory>
#include <stop_token>

#include "detector/detector.h"
#include "pipeline/job.h"
#include "pipeline/work_item.h"
#include "video/decoder.h"
#include "video/encoder.h"

namespace facepipe {

/// One job's decoder, what happens to its frames, and its encoder: all on one device. start(),
/// finish() and draw() are called by a thread each, with each frame in that order; frames come in
/// presentation order.
class Stages {
 public:
  virtual ~Stages() = default;

  /// Errors: as make_cpu_decoder(); device.
  [[nodiscard]] virtual std::unique_ptr<Decoder> make_decoder(const Demuxer& demuxer,
                                                              const DecoderOptions& options,
                                                              TargetChooser choose_target,
                                                              Notices& notices) = 0;

  /// Begins to look for faces; waits for a free place, throws Stopped if `stop` is requested first.
  /// Errors: device.
  virtual void start(WorkItem& item, const std::stop_token& stop) = 0;

  /// Waits for the faces, and fills in the record's candidates, faces and times. Errors: device.
  virtual void finish(WorkItem& item) = 0;

  /// Draws the faces, where that is a stage of its own.
  virtual void draw(WorkItem& item) = 0;

  /// Refuses an encoder that doesn't run on the device, before any output is begun.
  /// Errors: usage; device where it is the device's own and the chip lacks it.
  virtual void check_encoder(const AVCodec& codec) const = 0;

  /// What encodes pictures like `first`, which are `encoded` large when they get there: `codec`,
  /// or an encoder of the device where the options leave that open.
  /// Errors: as facepipe::plan_encoder(); usage; device.
  [[nodiscard]] virtual EncoderPlan plan_encoder(const AVCodec& codec, const AVFrame& first,
                                                 Size encoded, Notices& notices) const = 0;

  /// For frames like `first`. Errors: as make_cpu_encoder(); device.
  [[nodiscard]] virtual std::unique_ptr<Encoder> make_encoder(const EncoderSetup& setup,
                                                              const Frame& first,
                                                              Notices& notices) = 0;

  /// Fills in what is known at the end: the network's size, copies between host and device, and
  /// notices of candidates that were ignored.
  virtual void report(JobResult& result, Notices& notices) const = 0;
};

/// All on the CPU. `options` and `detectors` must outlive it.
[[nodiscard]] std::unique_ptr<Stages> make_cpu_stages(const JobOptions& options,
                                                      DetectorFactory& detectors);

/// Tells how pictures are tiled, if they are: a line in the log.
void tell_tiles(const std::optional<Tiling>& tiling);

/// Tells of candidates that suppression had no room for, if there are any.
void tell_ignored(std::int64_t ignored, std::uint32_t capacity, JobResult& result,
                  Notices& notices);

}  // namespace facepipe
