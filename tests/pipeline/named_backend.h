// Fakes devices for jobs on machines without a GPU: the CPU works under the names of devices. Each
// call of a fake device also calls a function of the test.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/device_group.h"
#include "tests/support/forwarding_backend.h"
#include "tests/support/job.h"

namespace facepipe::test {

/// The following classes call this function in the functions that work on frames.
using OnCall = std::function<void()>;

class CalledProcessor final : public pipeline::FrameProcessor {
 public:
  CalledProcessor(std::unique_ptr<pipeline::FrameProcessor> real, OnCall on_call)
      : real_(std::move(real)), on_call_(std::move(on_call)) {}
  void start(pipeline::WorkItem& item, const std::stop_token& stop) override {
    on_call_();
    real_->start(item, stop);
  }
  void finish(pipeline::WorkItem& item) override {
    on_call_();
    real_->finish(item);
  }
  void draw(pipeline::WorkItem& item) override {
    on_call_();
    real_->draw(item);
  }
  [[nodiscard]] std::int64_t candidates_ignored() const override {
    return real_->candidates_ignored();
  }
  [[nodiscard]] std::optional<pipeline::DetectionFacts> detection() const override {
    return real_->detection();
  }

 private:
  std::unique_ptr<pipeline::FrameProcessor> real_;
  OnCall on_call_;
};

/// This encoder returns each packet later, like a device's encoder. encode() and flush() call
/// `on_call`.
class CalledEncoder final : public video::Encoder {
 public:
  CalledEncoder(std::unique_ptr<video::Encoder> real, OnCall on_call)
      : real_(std::move(real)), on_call_(std::move(on_call)) {}
  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    on_call_();
    catch_up(sink);
    real_->encode(std::move(frame), std::move(record),
                  [&](video::EncodedFrame encoded) { pending_.push_back(std::move(encoded)); });
  }
  void catch_up(const Sink& sink) override {
    for (video::EncodedFrame& encoded : std::exchange(pending_, {})) sink(std::move(encoded));
  }
  void flush(const Sink& sink) override {
    on_call_();
    catch_up(sink);
    real_->flush(sink);
  }
  [[nodiscard]] AVRational time_base() const override { return real_->time_base(); }
  [[nodiscard]] video::UniqueCodecParameters parameters() const override {
    return real_->parameters();
  }
  [[nodiscard]] std::string name() const override { return real_->name(); }

 private:
  std::unique_ptr<video::Encoder> real_;
  OnCall on_call_;
  std::vector<video::EncodedFrame> pending_;
};

/// This backend is the CPU's under the name of a device, with a given number of decoders.
class NamedBackend final : public ForwardingBackend {
 public:
  NamedBackend(int index, int decoders, FakeBehaviour behaviour = {})
      : ForwardingBackend(fake_backend(std::move(behaviour))),
        device_{DeviceKind::cuda, index},
        decoders_(decoders) {}

  [[nodiscard]] Device device() const override { return device_; }
  [[nodiscard]] int inputs_at_once() const override { return decoders_; }
  void enter_thread() const override { on_call(); }
  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice choice,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    ++decoders_made;
    on_call();
    on_making();
    copies.add(CopyKind::upload, 100);
    return ForwardingBackend::make_decoder(demuxer, options, choice, notices, copies);
  }
  [[nodiscard]] int decoders(const AVCodecParameters& /*video*/,
                             const video::Decoder& /*like*/) const override {
    return decoders_;
  }
  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    ++encoders_made;
    on_call();
    return std::make_unique<CalledEncoder>(
        ForwardingBackend::make_encoder(setup, first, notices, copies), on_call);
  }
  [[nodiscard]] std::unique_ptr<pipeline::FrameProcessor> make_processor(
      const pipeline::ProcessorSetup& setup) override {
    ++processors_made;
    on_call();
    return std::make_unique<CalledProcessor>(ForwardingBackend::make_processor(setup), on_call);
  }

  OnCall on_call = [] {};
  OnCall on_making = [] {};  ///< called when a decoder is made, after on_call
  std::atomic<int> decoders_made = 0;
  std::atomic<int> encoders_made = 0;
  std::atomic<int> processors_made = 0;

 private:
  Device device_;
  int decoders_;
};

/// Makes a group of devices with these numbers of decoders. The last device behaves like `last`.
/// The result owns the devices, and `devices` gets pointers to them.
inline std::unique_ptr<pipeline::Backend> join_named(const std::vector<int>& decoders,
                                                     std::vector<NamedBackend*>& devices,
                                                     const FakeBehaviour& last = {}) {
  std::vector<std::unique_ptr<pipeline::Backend>> backends;
  devices.clear();
  for (std::size_t i = 0; i < decoders.size(); ++i) {
    auto made = std::make_unique<NamedBackend>(static_cast<int>(i), decoders[i],
                                               i + 1 == decoders.size() ? last : FakeBehaviour{});
    devices.push_back(made.get());
    backends.push_back(std::move(made));
  }
  return pipeline::join_devices(std::move(backends));
}

}  // namespace facepipe::test
