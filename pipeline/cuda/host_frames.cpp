#include "pipeline/cuda/host_frames.h"

#include <optional>
#include <string>
#include <utility>

#include "core/cuda/devices.h"
#include "core/error.h"
#include "pipeline/cuda/backend.h"
#include "pipeline/hide/hiding.h"
#include "video/cuda/decoder.h"
#include "video/frames/pictures.h"

namespace facepipe::pipeline {
namespace {

class HostFramesBackend final : public Backend {
 public:
  HostFramesBackend(Device device, std::unique_ptr<Backend> on_host)
      : device_(device), on_host_(std::move(on_host)) {}

  [[nodiscard]] Device device() const override { return device_; }
  void enter_thread() const override { cuda::use_device(device_); }

  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice choice,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    if (decodes_on_cpu(choice, demuxer))
      return on_host_->make_decoder(demuxer, options, choice, notices, copies);
    notices.add("pictures are copied to the host for engine " +
                std::string(model_info().choice().name()) + ", and so are its input and outputs");
    return video::make_nvdec_to_host_decoder(demuxer, options, device_, notices, copies);
  }

  [[nodiscard]] int decoders(const AVCodecParameters& video,
                             const video::Decoder& like) const override {
    return on_host_->decoders(video, like);
  }
  [[nodiscard]] int frames_held_by_codecs() const override {
    return on_host_->frames_held_by_codecs();
  }

  void check_encoder(const AVCodec& codec) const override {
    if (video::is_nvenc(codec))
      throw Error(ErrorKind::usage, std::string("--codec ") + codec.name + ": engine " +
                                        std::string(model_info().choice().name()) +
                                        " keeps pictures in host memory");
  }

  // NVDEC's samples reach the encoder unchanged. The encoder converts them if needed.
  [[nodiscard]] video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                const video::PictureFacts& pictures, Size encoded,
                                                const JobOptions& options,
                                                video::Notices& notices) const override {
    video::EncoderPlan plan = on_host_->plan_encoder(codec, pictures, encoded, options, notices);
    const std::optional<PixelFormat> samples = video::workable_format(pictures.format);
    if (samples && samples->semi_planar) plan.working = pictures.format;
    return plan;
  }

  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return on_host_->make_encoder(setup, first, notices, copies);
  }
  [[nodiscard]] std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) override {
    return on_host_->make_processor(setup);
  }
  [[nodiscard]] std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) override {
    return on_host_->make_hiding_device(setup);
  }
  [[nodiscard]] const detector::ModelInfo& model_info() const override {
    return on_host_->model_info();
  }

 private:
  Device device_;
  std::unique_ptr<Backend> on_host_;
};

}  // namespace

std::unique_ptr<Backend> make_host_frames_backend(Device device, std::unique_ptr<Backend> on_host) {
  return std::make_unique<HostFramesBackend>(device, std::move(on_host));
}

}  // namespace facepipe::pipeline
