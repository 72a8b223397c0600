#include "video/cuda/encoder.h"

#include <charconv>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/stream.h"
#include "core/recently_used.h"
#include "video/cuda/encoder_input.h"
#include "video/cuda/nvjpeg.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/frames/pictures.h"
#include "video/write/encoder_stamps.h"
#include "video/write/packet_pool.h"

namespace facepipe::video {

namespace {

constexpr const char* kName = "nvjpeg";

int quality_of(const EncoderOptions& options) {
  int quality = kDefaultJpegQuality;
  if (options.crf) throw Error(ErrorKind::usage, "encoder nvjpeg has no option \"crf\"");
  for (const auto& [key, value] : options.options) {
    if (key != "quality")
      throw Error(ErrorKind::usage, "encoder nvjpeg has no option \"" + key + "\"");
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, quality);
    if (parsed.ec != std::errc() || parsed.ptr != end || quality < 1 || quality > 100)
      throw Error(ErrorKind::usage,
                  "encoder nvjpeg: quality must be from 1 to 100, not \"" + value + "\"");
  }
  return quality;
}

/// Holds the facts on which an encoder's memory and settings depend.
struct JpegKind {
  Size size;
  int quality = 0;

  friend bool operator==(const JpegKind&, const JpegKind&) = default;
};

/// Holds the objects that all pictures of a kind share.
struct Codec {
  std::shared_ptr<const UniqueNvjpeg> nvjpeg;
  UniqueNvjpegParams parameters;
  Size size;
  std::size_t longest = 0;  ///< largest size of one picture's bitstream, in bytes

  Codec(std::shared_ptr<const UniqueNvjpeg> library, const JpegKind& kind)
      : nvjpeg(std::move(library)), size(kind.size) {
    const cuda::Stream stream;
    nvjpegHandle_t made = handle();
    nvjpegEncoderParams_t chosen = nullptr;
    FACEPIPE_NVJPEG_CHECK(nvjpegEncoderParamsCreate(made, &chosen, stream.view().get()));
    parameters.reset(chosen);
    FACEPIPE_NVJPEG_CHECK(nvjpegEncoderParamsSetQuality(chosen, kind.quality, stream.view().get()));
    FACEPIPE_NVJPEG_CHECK(
        nvjpegEncoderParamsSetSamplingFactors(chosen, NVJPEG_CSS_420, stream.view().get()));
    FACEPIPE_NVJPEG_CHECK(
        nvjpegEncodeGetBufferSize(made, chosen, size.width, size.height, &longest));
    stream.synchronize();
  }

  [[nodiscard]] nvjpegHandle_t handle() const { return nvjpeg->get(); }
};

/// Holds the objects that encode one picture: a stream, nvJPEG's scratch memory, planes and the
/// bitstream.
class Place {
 public:
  explicit Place(std::shared_ptr<const Codec> codec)
      : codec_(std::move(codec)), bitstream_(codec_->longest) {
    nvjpegEncoderState_t made = nullptr;
    FACEPIPE_NVJPEG_CHECK(nvjpegEncoderStateCreate(codec_->handle(), &made, stream_.view().get()));
    state_.reset(made);
    make_planes();
    warm_up();
  }

  ~Place() { let_finish(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Waits for a picture whose result nobody collects.
  void let_finish() const noexcept {
    static_cast<void>(cudaStreamSynchronize(stream_.view().get()));
  }

  /// Starts encoding. `frame` must live until collect() or let_finish() has returned.
  void start(const Frame& frame) {
    hold_back_until_ready(frame, stream_);
    enqueue_jpeg_planes(frame, planes_, stream_);
    encode();
    encoded_.record(stream_);
  }

  [[nodiscard]] bool ready() const {
    const cudaError_t status = cudaEventQuery(encoded_.get());
    if (status == cudaErrorNotReady) {
      // This clears the error, because otherwise the next launch would seem to have failed.
      static_cast<void>(cudaGetLastError());
      return false;
    }
    FACEPIPE_CUDA_CHECK(status);
    return true;
  }

  /// Waits, and copies the bitstream to pinned memory. The result is valid until the next start().
  [[nodiscard]] std::span<const std::uint8_t> collect() {
    encoded_.synchronize();
    std::size_t length = 0;
    FACEPIPE_NVJPEG_CHECK(nvjpegEncodeRetrieveBitstream(codec_->handle(), state_.get(), nullptr,
                                                        &length, stream_.view().get()));
    if (length > bitstream_.size())
      throw Error(ErrorKind::device, "nvJPEG's bitstream is longer than it said it could be");
    FACEPIPE_NVJPEG_CHECK(nvjpegEncodeRetrieveBitstream(
        codec_->handle(), state_.get(), bitstream_.data(), &length, stream_.view().get()));
    stream_.synchronize();
    return bitstream_.span().first(length);
  }

 private:
  void make_planes() {
    constexpr int kAlignment = 256;
    for (int i = 0; i < 3; ++i) {
      const Size size = codec_->size;
      const int width = i == 0 ? size.width : (size.width + 1) / 2;
      const int height = i == 0 ? size.height : (size.height + 1) / 2;
      const int stride = (width + kAlignment - 1) / kAlignment * kAlignment;
      memory_[i] = cuda::DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(stride) *
                                                    static_cast<std::size_t>(height));
      planes_.planes[i] = memory_[i].data();
      planes_.strides[i] = stride;
    }
  }

  // Encodes one picture in advance. nvJPEG allocates memory for the first picture of a size, and
  // this must not happen in the frame loop.
  void warm_up() {
    for (const auto& plane : memory_) cuda::fill(plane.span(), 128, stream_);
    encode();
    encoded_.record(stream_);
    static_cast<void>(collect());
  }

  void encode() {
    nvjpegImage_t source{};
    for (int i = 0; i < 3; ++i) {
      source.channel[i] = planes_.planes[i];
      source.pitch[i] = static_cast<std::size_t>(planes_.strides[i]);
    }
    FACEPIPE_NVJPEG_CHECK(nvjpegEncodeYUV(codec_->handle(), state_.get(), codec_->parameters.get(),
                                          &source, NVJPEG_CSS_420, codec_->size.width,
                                          codec_->size.height, stream_.view().get()));
  }

  std::shared_ptr<const Codec> codec_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<std::uint8_t> memory_[3];
  JpegPlanes planes_;
  UniqueNvjpegState state_;
  cuda::Event encoded_{cuda::Event::Timing::off, cuda::Event::Wait::sleeping};
  cuda::PinnedBuffer<std::uint8_t> bitstream_;
};

}  // namespace

struct NvjpegLibrary {
  using Places = std::shared_ptr<Pool<Place>>;

  [[nodiscard]] Places places(const JpegKind& kind) {
    constexpr std::size_t kMostKinds = 16;
    constexpr std::int64_t kMostPixels = std::int64_t{256} << 20;
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = kept_.find(kind)) return *known;
    const auto codec = std::make_shared<const Codec>(handle_, kind);
    auto made =
        std::make_shared<Pool<Place>>(0, [codec] { return std::make_unique<Place>(codec); });
    kept_.add(kind, made, std::int64_t{kind.size.width} * kind.size.height * kPlacesOfKind);
    kept_.keep_at_most(kMostKinds, kMostPixels);
    return made;
  }

  explicit NvjpegLibrary(nvjpegHandle_t made)
      : handle_(std::make_shared<const UniqueNvjpeg>(made)) {}

 private:
  static constexpr int kPlacesOfKind = 8;  // an estimate for kMostPixels: one for each lane

  std::shared_ptr<const UniqueNvjpeg> handle_;
  std::mutex mutex_;
  RecentlyUsed<JpegKind, Places> kept_;
};

std::shared_ptr<NvjpegLibrary> open_nvjpeg() {
  nvjpegHandle_t made = nullptr;
  FACEPIPE_NVJPEG_CHECK(nvjpegCreateSimple(&made));
  return std::make_shared<NvjpegLibrary>(made);
}

namespace {

AVRational clock_base(const EncoderSetup& setup, const Frame& first) {
  return setup.fixed_frame_rate ? av_inv_q(to_av(setup.frame_rate)) : to_av(first.time_base);
}

UniqueCodecParameters describe(const Frame& first) {
  const AVFrame& picture = unwrap(first);
  UniqueCodecParameters made = new_codec_parameters();
  made->codec_type = AVMEDIA_TYPE_VIDEO;
  made->codec_id = AV_CODEC_ID_MJPEG;
  made->format = AV_PIX_FMT_YUVJ420P;
  made->bits_per_raw_sample = 8;
  made->width = first.size.width;
  made->height = first.size.height;
  made->sample_aspect_ratio = to_av(first.sample_aspect);
  made->color_range = AVCOL_RANGE_JPEG;
  made->color_space = picture.colorspace;
  made->color_primaries = picture.color_primaries;
  made->color_trc = picture.color_trc;
  made->chroma_location = picture.chroma_location;
  if (first.field_order != FieldOrder::progressive)
    made->field_order = first.field_order == FieldOrder::top_first ? AV_FIELD_TT : AV_FIELD_BB;
  return made;
}

class CudaJpegEncoder final : public Encoder {
 public:
  CudaJpegEncoder(const EncoderSetup& setup, const Frame& first, NvjpegLibrary& nvjpeg,
                  int in_flight, Notices& notices, CopyCounter& copies)
      : size_(first.size),
        format_(first.format),
        copies_(copies),
        clock_(clock_base(setup, first), notices),
        parameters_(describe(first)) {
    const NvjpegLibrary::Places places = nvjpeg.places({size_, quality_of(setup.options)});
    for (int i = 0; i < in_flight; ++i) free_.push_back(places->lease());
  }

  ~CudaJpegEncoder() override {
    for (const Pending& pending : pending_) pending.place->let_finish();
  }
  CudaJpegEncoder(const CudaJpegEncoder&) = delete;
  CudaJpegEncoder& operator=(const CudaJpegEncoder&) = delete;

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    record.times[StageId::encode].begin = Clock::now();
    if (frame.size != size_ || frame.format != format_)
      throw Error(ErrorKind::internal, std::string(kName) + ": a picture unlike the first");
    Pending next{std::move(frame), std::move(record), 0, std::move(free_.back())};
    free_.pop_back();
    {
      const ScopedCpuTime cpu(next.record.times, StageId::encode);
      next.stamp = clock_.next_stamp(next.frame);
      next.place->start(next.frame);
    }
    pending_.push_back(std::move(next));
    while (!pending_.empty() && (free_.empty() || pending_.front().place->ready()))
      give_oldest(sink);
  }

  void catch_up(const Sink& sink) override {
    while (!pending_.empty()) give_oldest(sink);
  }

  void flush(const Sink& sink) override { catch_up(sink); }

  [[nodiscard]] AVRational time_base() const override { return clock_.time_base(); }

  [[nodiscard]] UniqueCodecParameters parameters() const override {
    UniqueCodecParameters copy = new_codec_parameters();
    check_av(avcodec_parameters_copy(copy.get(), parameters_.get()), ErrorKind::internal,
             "encoder parameters");
    return copy;
  }

  [[nodiscard]] std::string name() const override { return "nvjpeg"; }

 private:
  struct Pending {
    Frame frame;
    FrameRecord record;
    std::int64_t stamp = 0;
    std::shared_ptr<Place> place;
  };

  void give_oldest(const Sink& sink) {
    EncodedFrame result;
    {
      Pending& oldest = pending_.front();
      const ScopedCpuTime cpu(oldest.record.times, StageId::encode);
      result.packet = packet_of(oldest);
    }
    Pending done = std::move(pending_.front());
    pending_.pop_front();
    free_.push_back(std::move(done.place));
    result.record = std::move(done.record);
    result.record.times[StageId::encode].end = Clock::now();
    sink(std::move(result));
  }

  [[nodiscard]] UniqueAVPacket packet_of(const Pending& done) {
    const std::span<const std::uint8_t> bitstream = done.place->collect();
    copies_.add(CopyKind::bitstream, bitstream.size());
    UniqueAVPacket packet = packets_.packet_of(bitstream);
    packet->pts = done.stamp;
    packet->dts = done.stamp;
    packet->duration = clock_.duration_of(done.frame);
    packet->flags |= AV_PKT_FLAG_KEY;
    return packet;
  }

  Size size_;
  PixelFormat format_;
  CopyCounter& copies_;
  EncoderClock clock_;
  UniqueCodecParameters parameters_;
  PacketPool packets_;
  std::vector<std::shared_ptr<Place>> free_;
  std::deque<Pending> pending_;
};

}  // namespace

std::unique_ptr<Encoder> make_jpeg_encoder(const EncoderSetup& setup, const Frame& first,
                                           NvjpegLibrary& nvjpeg, int in_flight, Notices& notices,
                                           CopyCounter& copies) {
  if (in_flight < 1) throw Error(ErrorKind::internal, "nvjpeg: no picture in flight");
  return std::make_unique<CudaJpegEncoder>(setup, first, nvjpeg, in_flight, notices, copies);
}

}  // namespace facepipe::video
