#include "video/cuda/encoder.h"

#include <deque>
#include <utility>

#include "core/cuda/stream.h"
#include "video/cuda/transfer.h"

namespace facepipe::video {
namespace {

// Number of pictures in pinned memory before more are made. Encoders keep some to look ahead.
constexpr std::size_t kPinnedPictures = 4;

class DownloadingEncoder final : public Encoder {
 public:
  DownloadingEncoder(const EncoderSetup& setup, const Frame& first, Notices& notices,
                     CopyCounter& copies)
      : download_(first.size, first.format.bits, setup.one_picture ? 1 : kPinnedPictures, copies),
        encoder_(make_cpu_encoder(setup, first, notices)) {}

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    pending_.push_back({download_.start(std::move(frame), stream_), std::move(record)});
    while (pending_.size() > kDownloading) encode_oldest(sink);
  }

  void flush(const Sink& sink) override {
    while (!pending_.empty()) encode_oldest(sink);
    encoder_->flush(sink);
  }

  [[nodiscard]] AVRational time_base() const override { return encoder_->time_base(); }
  [[nodiscard]] UniqueCodecParameters parameters() const override { return encoder_->parameters(); }
  [[nodiscard]] std::string name() const override { return encoder_->name(); }

 private:
  struct Pending {
    DownloadingFrame frame;
    FrameRecord record;
  };

  void encode_oldest(const Sink& sink) {
    Pending oldest = std::move(pending_.front());
    pending_.pop_front();
    Frame frame = oldest.frame.wait();
    encoder_->encode(std::move(frame), std::move(oldest.record), sink);
  }

  cuda::Stream stream_;
  PictureDownload download_;
  std::unique_ptr<Encoder> encoder_;
  std::deque<Pending> pending_;
};

}  // namespace

std::unique_ptr<Encoder> make_downloading_encoder(const EncoderSetup& setup, const Frame& first,
                                                  Notices& notices, CopyCounter& copies) {
  return std::make_unique<DownloadingEncoder>(setup, first, notices, copies);
}

}  // namespace facepipe::video
