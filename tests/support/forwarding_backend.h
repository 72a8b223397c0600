// Forwards all calls to another backend. Tests override some of the calls.
#pragma once

#include <memory>
#include <utility>

#include "pipeline/backend.h"
#include "pipeline/hide/hiding.h"

namespace facepipe::test {

class ForwardingBackend : public pipeline::Backend {
 public:
  explicit ForwardingBackend(std::unique_ptr<pipeline::Backend> real) : real_(std::move(real)) {}

  [[nodiscard]] Device device() const override { return real_->device(); }
  [[nodiscard]] int inputs_at_once() const override { return real_->inputs_at_once(); }
  void enter_thread() const override { real_->enter_thread(); }
  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice choice,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return real_->make_decoder(demuxer, options, choice, notices, copies);
  }
  [[nodiscard]] int decoders(const AVCodecParameters& video,
                             const video::Decoder& like) const override {
    return real_->decoders(video, like);
  }
  [[nodiscard]] std::int64_t free_memory() const override { return real_->free_memory(); }
  [[nodiscard]] int frames_held_by_codecs() const override {
    return real_->frames_held_by_codecs();
  }
  void check_encoder(const AVCodec& codec) const override { real_->check_encoder(codec); }
  [[nodiscard]] video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                const video::PictureFacts& pictures, Size encoded,
                                                const pipeline::JobOptions& options,
                                                video::Notices& notices) const override {
    return real_->plan_encoder(codec, pictures, encoded, options, notices);
  }
  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return real_->make_encoder(setup, first, notices, copies);
  }
  [[nodiscard]] std::unique_ptr<pipeline::FrameProcessor> make_processor(
      const pipeline::ProcessorSetup& setup) override {
    return real_->make_processor(setup);
  }
  [[nodiscard]] std::unique_ptr<pipeline::HidingDevice> make_hiding_device(
      const pipeline::ProcessorSetup& setup) override {
    return real_->make_hiding_device(setup);
  }
  [[nodiscard]] const detector::ModelInfo& model_info() const override {
    return real_->model_info();
  }

 private:
  std::unique_ptr<pipeline::Backend> real_;
};

}  // namespace facepipe::test
