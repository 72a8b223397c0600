// Defines an encoder that gives all work to another one, for classes that add something.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "video/write/encoder.h"

namespace facepipe::video {

/// Owns the encoder that does the work. A derived class overrides what it changes.
class ForwardingEncoder : public Encoder {
 public:
  explicit ForwardingEncoder(std::unique_ptr<Encoder> encoder) : encoder_(std::move(encoder)) {}

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    encoder_->encode(std::move(frame), std::move(record), sink);
  }
  void catch_up(const Sink& sink) override { encoder_->catch_up(sink); }
  void flush(const Sink& sink) override { encoder_->flush(sink); }
  [[nodiscard]] AVRational time_base() const override { return encoder_->time_base(); }
  [[nodiscard]] UniqueCodecParameters parameters() const override { return encoder_->parameters(); }
  [[nodiscard]] std::string name() const override { return encoder_->name(); }

 private:
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace facepipe::video
