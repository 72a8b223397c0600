#include "pipeline/device_group.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "pipeline/hide/hiding.h"

namespace facepipe::pipeline {
namespace {

class DeviceGroup final : public Backend {
 public:
  explicit DeviceGroup(std::vector<std::unique_ptr<Backend>> devices)
      : devices_(std::move(devices)) {}

  [[nodiscard]] Device device() const override { return first().device(); }
  void enter_thread() const override { first().enter_thread(); }

  [[nodiscard]] int inputs_at_once() const override {
    const std::scoped_lock lock(mutex_);
    int all = 0;
    for (const auto& device : devices_) all += device->inputs_at_once();
    return all;
  }

  [[nodiscard]] Backend& for_lane(int lane) override {
    const std::scoped_lock lock(mutex_);
    return *devices_[static_cast<std::size_t>(lane) % devices_.size()];
  }

  void give_up(Device failed) override {
    const std::scoped_lock lock(mutex_);
    const auto is_failed = [&](const auto& device) { return device->device() == failed; };
    const auto found = std::ranges::find_if(devices_, is_failed);
    if (found == devices_.end() || devices_.size() == 1) return;
    failed_.push_back(std::move(*found));
    devices_.erase(found);
  }

  [[nodiscard]] std::unique_ptr<video::Decoder> make_decoder(const video::Demuxer& demuxer,
                                                             const video::DecoderOptions& options,
                                                             video::DecoderChoice choice,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return first().make_decoder(demuxer, options, choice, notices, copies);
  }

  [[nodiscard]] int decoders(const AVCodecParameters& video,
                             const video::Decoder& like) const override {
    const std::scoped_lock lock(mutex_);
    int all = 0;
    for (const auto& device : devices_) all += device->decoders(video, like);
    return all;
  }

  [[nodiscard]] std::int64_t free_memory() const override { return first().free_memory(); }

  [[nodiscard]] int frames_held_by_codecs() const override {
    return first().frames_held_by_codecs();
  }

  void check_encoder(const AVCodec& codec) const override { first().check_encoder(codec); }

  [[nodiscard]] video::EncoderPlan plan_encoder(const AVCodec& codec,
                                                const video::PictureFacts& pictures, Size encoded,
                                                const JobOptions& options,
                                                video::Notices& notices) const override {
    return first().plan_encoder(codec, pictures, encoded, options, notices);
  }

  [[nodiscard]] std::unique_ptr<video::Encoder> make_encoder(const video::EncoderSetup& setup,
                                                             const Frame& first_frame,
                                                             video::Notices& notices,
                                                             CopyCounter& copies) override {
    return first().make_encoder(setup, first_frame, notices, copies);
  }

  [[nodiscard]] std::unique_ptr<FrameProcessor> make_processor(
      const ProcessorSetup& setup) override {
    return first().make_processor(setup);
  }

  [[nodiscard]] std::unique_ptr<HidingDevice> make_hiding_device(
      const ProcessorSetup& setup) override {
    return first().make_hiding_device(setup);
  }

  [[nodiscard]] const detector::ModelInfo& model_info() const override {
    return first().model_info();
  }

 private:
  [[nodiscard]] Backend& first() const {
    const std::scoped_lock lock(mutex_);
    return *devices_.front();
  }

  mutable std::mutex mutex_;                       // guards devices_ and failed_
  std::vector<std::unique_ptr<Backend>> devices_;  // devices that work
  // Failed devices are kept, because their frames and codecs may still exist.
  std::vector<std::unique_ptr<Backend>> failed_;
};

}  // namespace

std::unique_ptr<Backend> join_devices(std::vector<std::unique_ptr<Backend>> devices) {
  if (devices.size() == 1) return std::move(devices.front());
  return std::make_unique<DeviceGroup>(std::move(devices));
}

}  // namespace facepipe::pipeline
