#include "pipeline/device_group.h"

#include <algorithm>
#include <utility>

namespace facepipe {
namespace {

class DeviceGroup final : public Backend {
 public:
  explicit DeviceGroup(std::vector<std::unique_ptr<Backend>> devices)
      : devices_(std::move(devices)) {}

  void begin_job() override {
    for (const auto& device : devices_) device->begin_job();
  }

  [[nodiscard]] Device device() const override { return first().device(); }
  void enter_thread() const override { first().enter_thread(); }

  [[nodiscard]] Backend& of_lane(int lane) override {
    return *devices_[static_cast<std::size_t>(lane) % devices_.size()];
  }

  void give_up(Device failed) override {
    const auto is_failed = [&](const auto& device) { return device->device() == failed; };
    const auto found = std::ranges::find_if(devices_, is_failed);
    if (found == devices_.end() || devices_.size() == 1) return;
    failed_.push_back(std::move(*found));
    devices_.erase(found);
  }

  [[nodiscard]] std::vector<CopySum> copies() const override {
    std::vector<CopySum> sums = first().copies();
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      const std::vector<CopySum> more = devices_[i]->copies();
      for (std::size_t kind = 0; kind < sums.size() && kind < more.size(); ++kind) {
        sums[kind].calls += more[kind].calls;
        sums[kind].bytes += more[kind].bytes;
      }
    }
    return sums;
  }

  [[nodiscard]] std::unique_ptr<Decoder> make_decoder(const Demuxer& demuxer,
                                                      const DecoderOptions& options,
                                                      DecoderChoice choice,
                                                      Notices& notices) override {
    return first().make_decoder(demuxer, options, choice, notices);
  }

  [[nodiscard]] int decoders(const AVCodecParameters& video, const Decoder& like) const override {
    int all = 0;
    for (const auto& device : devices_) all += device->decoders(video, like);
    return all;
  }

  [[nodiscard]] int frames_beside() const override { return first().frames_beside(); }

  void check_encoder(const AVCodec& codec) const override { first().check_encoder(codec); }

  [[nodiscard]] EncoderPlan plan_encoder(const AVCodec& codec, const PictureFacts& pictures,
                                         Size encoded, const JobOptions& options,
                                         Notices& notices) const override {
    return first().plan_encoder(codec, pictures, encoded, options, notices);
  }

  [[nodiscard]] std::unique_ptr<Encoder> make_encoder(const EncoderSetup& setup,
                                                      const Frame& first_frame,
                                                      Notices& notices) override {
    return first().make_encoder(setup, first_frame, notices);
  }

  [[nodiscard]] std::unique_ptr<FrameProcessor> make_processor(const JobOptions& options,
                                                               const OpenInput& input) override {
    return first().make_processor(options, input);
  }

  [[nodiscard]] const DetectorOrigin& origin() const override { return first().origin(); }

 private:
  [[nodiscard]] Backend& first() const { return *devices_.front(); }

  std::vector<std::unique_ptr<Backend>> devices_;  // that work
  std::vector<std::unique_ptr<Backend>> failed_;   // frames and codecs of theirs may still be alive
};

}  // namespace

std::unique_ptr<Backend> join_devices(std::vector<std::unique_ptr<Backend>> devices) {
  if (devices.size() == 1) return std::move(devices.front());
  return std::make_unique<DeviceGroup>(std::move(devices));
}

}  // namespace facepipe
