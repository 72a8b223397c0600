#include "video/read/demuxer.h"

extern "C" {
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "core/passing_error.h"
#include "video/bitstream/nal_units.h"
#include "video/bitstream/packet_bytes.h"
#include "video/frames/picture_tags.h"
#include "video/picture_limit.h"
#include "video/read/stream_choice.h"
#include "video/read/stream_kinds.h"
#include "video/read/worker/messages.h"
#include "video/read/worker/remote_input.h"

namespace facepipe::video {
namespace {

using std::chrono_literals::operator""s;

constexpr auto kNetworkPatience = 30s;
constexpr Rational kDefaultFrameRate{25, 1};
constexpr std::int64_t kMaxPlausibleFrames = 1'000'000'000;
// Larger stamps could overflow arithmetic in 64 bits.
constexpr std::int64_t kLatestOriginUs = INT64_MAX / 8;
// The longest sound before time 0 that only serves to start a decoder: 2048 samples at 16 kHz, and
// some more.
constexpr std::int64_t kLongestPrimingUs = 200'000;

/// Returns the size in the first bytes of a PNG. Returns nullopt if the bytes aren't the begin of a
/// PNG, or if the size isn't allowed.
std::optional<Size> png_size(const std::array<std::uint8_t, 24>& begin, std::int64_t max_pixels) {
  constexpr std::string_view kBegin("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  if (std::memcmp(begin.data(), kBegin.data(), kBegin.size()) != 0) return std::nullopt;
  const std::int64_t width = AV_RB32(begin.data() + 16);
  const std::int64_t height = AV_RB32(begin.data() + 20);
  const bool fits = width > 0 && height > 0 && width <= kMaxPictureSide &&
                    height <= kMaxPictureSide && width * height <= max_pixels;
  if (!fits) return std::nullopt;
  return Size{static_cast<int>(width), static_cast<int>(height)};
}

/// Returns whether an ISO base media file (ISO/IEC 14496-12) states that it is a picture.
bool is_called_picture(const AVFormatContext& context) {
  constexpr std::array<std::string_view, 8> kBrands{"avif", "mif1", "miaf", "heic",
                                                    "heix", "heim", "heis", "jpeg"};
  const AVDictionaryEntry* const brand =
      av_dict_get(context.metadata, "major_brand", nullptr, AV_DICT_MATCH_CASE);
  const bool has_boxes = std::strstr(context.iformat->name, "mov") != nullptr;
  return has_boxes && brand != nullptr &&
         std::ranges::find(kBrands, std::string_view(brand->value)) != kBrands.end();
}

/// Returns a file's first bytes; nothing if the file doesn't support seeking.
std::vector<std::uint8_t> first_bytes(AVIOContext& file, std::int64_t most) {
  const std::int64_t size = avio_size(&file);
  if ((file.seekable & AVIO_SEEKABLE_NORMAL) == 0 || size <= 0) return {};
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::min(size, most)));
  const std::int64_t at = avio_tell(&file);
  avio_seek(&file, 0, SEEK_SET);
  const int got = avio_read(&file, bytes.data(), static_cast<int>(bytes.size()));
  avio_seek(&file, at, SEEK_SET);
  bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
  return bytes;
}

/// Returns whether the file is an animated WebP. FFmpeg (at least 5.1) finds no picture in it.
bool is_animated_webp(const AVFormatContext& context) {
  constexpr std::int64_t kFirstFrames = std::int64_t{1} << 24;
  if (std::strcmp(context.iformat->name, "webp_pipe") != 0 || context.pb == nullptr) return false;
  return read_picture_file(first_bytes(*context.pb, kFirstFrames)).more_pictures > 0;
}

/// Returns whether a packet holds pictures of another layer than the base layer. Only the base
/// layer is decoded.
bool has_other_layer(const AVPacket& packet, const AVCodecParameters& video) {
  constexpr int kFirstThatIsNoPicture = 32;  // nal_unit_type
  const NalFraming framing = read_nal_extradata(AV_CODEC_ID_HEVC, header_of(video)).framing;
  NalReader units(data_of(packet), framing);
  while (const std::optional<Bytes> unit = units.next())
    if (hevc_layer(*unit) > 0 && (unit->front() >> 1 & 63) < kFirstThatIsNoPicture) return true;
  return false;
}

/// Returns whether FFmpeg itself refused to allocate memory, because a file asks for absurdly much.
/// In this case FFmpeg didn't ask the system, so errno isn't ENOMEM. The caller must have cleared
/// errno before.
bool is_refused_memory(int code) { return code == AVERROR(ENOMEM) && errno != ENOMEM; }

/// Returns whether an input that can't be opened or read because of this error may be read later:
/// its disk, its server or the network fails. A server that refuses access won't change its mind.
bool may_be_read_later(int code) {
  if (code == AVERROR_HTTP_SERVER_ERROR) return true;
  if (code == AVERROR_EXIT) return true;  // see interrupt()
#ifdef AVERROR_HTTP_TOO_MANY_REQUESTS
  if (code == AVERROR_HTTP_TOO_MANY_REQUESTS) return true;
#endif
  return is_passing(AVUNERROR(code));
}

/// Returns whether the file has ended. Some old demuxers, such as those of RoQ and GXF, report the
/// end of a complete file as a read error or as -1.
bool is_end_of_file(int code, const AVIOContext* io) {
  const bool old_word = code == AVERROR(EIO) || code == -1;
  return old_word && io != nullptr && io->eof_reached != 0 && io->error >= 0;
}

/// Returns the name, if workers read such inputs.
std::string checked_name(std::string url, const InputWorkers* workers) {
  if (workers != nullptr && (is_url(url) || is_fifo(url)))
    throw Error(ErrorKind::input, url + ": --sandbox process reads files only, no URLs and pipes");
  return url;
}

}  // namespace

Demuxer::Demuxer(std::string url, std::stop_token stop, References references,
                 std::int64_t max_pixels, InputWorkers* workers)
    : url_(checked_name(std::move(url), workers)),
      stop_(std::move(stop)),
      max_pixels_(max_pixels),
      access_(url_, references, stop_),
      context_(open(workers)),
      promises_(*context_) {
  if (remote_) {
    video_index_ = remote_->facts().video_index;
    first_late_ = remote_->facts().first_late;
    still_in_boxes_ = remote_->facts().still_in_boxes;
    return;
  }
  find_streams();
  look_into_boxes();
  choose_video();
  check_size();
}

Demuxer::~Demuxer() = default;

UniqueInputContext Demuxer::open(InputWorkers* workers) {
  if (workers == nullptr) return open_here();
  remote_ = std::make_unique<RemoteInput>(*workers, url_, max_pixels_, stop_);
  return remote_->take_description();
}

UniqueInputContext Demuxer::open_here() {
  AVFormatContext* context = allocated(avformat_alloc_context());
  context->interrupt_callback = {&Demuxer::interrupt, this};
  access_.confine(*context);
  restart_deadline();
  Dictionary options;
  // A "%" in a file's name is part of the name. It isn't a placeholder for the number of a picture.
  options.set("pattern_type", "none");
  errno = 0;
  const int opened =
      avformat_open_input(&context, access_.target().c_str(), nullptr, options.address());
  UniqueInputContext input(context);  // nullptr after a failure: FFmpeg has freed the context
  check_opening(opened);
  return input;
}

/// Throws if the opening was stopped, or has failed with the error `code`.
void Demuxer::check_opening(int code) const {
  if (stop_.stop_requested()) throw Stopped();
  const bool too_large = is_refused_memory(code);
  // Some demuxers report EIO for a file that is too short. Then the system has reported no EIO.
  const bool nonsense = code == AVERROR(EIO) && errno != EIO && !is_url(url_);
  if (code < 0) access_.check_refused();
  if (too_large)
    throw Error(ErrorKind::input, url_ + ": needs more memory than facepipe allows for a file");
  try {
    check_av(code, ErrorKind::input, url_);
  } catch (const Error& error) {
    if (!nonsense && may_be_read_later(code)) throw PassingError(error);
    throw;
  }
}

// FFmpeg examines the streams with its own decoders, which must not allocate pictures that facepipe
// refuses.
void Demuxer::find_streams() {
  redirect_ffmpeg_log();  // take_refused_size() needs it
  static_cast<void>(take_refused_size());
  Dictionary options(context_->nb_streams);
  options.set("max_pixels", std::to_string(codec_max_pixels(max_pixels_)));
  take_png_size();
  check_opening(avformat_find_stream_info(context_.get(), options.address()));
  first_late_ = static_cast<int>(context_->nb_streams);
  // If FFmpeg met an error but then moved to another position, the error did no harm.
  if (context_->pb != nullptr && context_->pb->eof_reached == 0) context_->pb->error = 0;
}

/// Reads the size of a PNG. Otherwise FFmpeg would decode the whole picture to find its size, which
/// takes as long as the decoding that follows. FFmpeg also needs a format, so some format is set
/// here; the decoder later reports the real one.
void Demuxer::take_png_size() {
  if (context_->nb_streams != 1 || !is_one_picture() || context_->pb == nullptr) return;
  AVCodecParameters& picture = *context_->streams[0]->codecpar;
  if (picture.codec_id != AV_CODEC_ID_PNG) return;
  std::array<std::uint8_t, 24> begin{};
  const std::int64_t at = avio_tell(context_->pb);
  const int got = avio_read(context_->pb, begin.data(), static_cast<int>(begin.size()));
  avio_seek(context_->pb, at, SEEK_SET);
  if (got != static_cast<int>(begin.size())) return;
  const std::optional<Size> size = png_size(begin, max_pixels_);
  if (!size) return;
  picture.width = size->width;
  picture.height = size->height;
  picture.format = AV_PIX_FMT_RGB24;
}

/// Reads how an AVIF or HEIF picture is stored. FFmpeg (at least 5.1) treats it as a video of one
/// frame, and doesn't report how it is stored.
void Demuxer::look_into_boxes() {
  // The needed boxes come first in the file.
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  if (!is_called_picture(*context_) || context_->pb == nullptr) return;
  const std::vector<std::uint8_t> bytes = first_bytes(*context_->pb, kMostBytes);
  if (bytes.empty())
    throw Error(ErrorKind::input,
                url_ +
                    ": is an AVIF or HEIF picture from a pipe, in which facepipe can't "
                    "find out how it is turned; give the file");
  const std::optional<PictureFile> picture = read_heif(bytes);
  if (!picture) return;
  if (picture->tiles)
    throw Error(ErrorKind::input,
                url_ + ": consists of tiles, which FFmpeg reads as separate pictures");
  picture_ = *picture;
  still_in_boxes_ = true;
}

/// Reads the facts that only the first packet of the video contains.
void Demuxer::examine(const AVPacket& packet) {
  if (is_still_image() && !still_in_boxes_) picture_ = read_picture_file(data_of(packet));
  if (video().codecpar->codec_id == AV_CODEC_ID_HEVC)
    has_other_layer_ = has_other_layer(packet, *video().codecpar);
}

std::optional<Orientation> Demuxer::orientation() const {
  return remote_ ? remote_->facts().orientation : picture_.orientation;
}

std::vector<std::string> Demuxer::left_out() const {
  if (remote_) return remote_->facts().left_out;
  std::vector<std::string> sentences = video::left_out(picture_);
  if (has_other_layer_)
    sentences.emplace_back(
        "another layer of the HEVC stream dropped (a second view, or transparency): only the base "
        "layer is decoded");
  return sentences;
}

void Demuxer::choose_video() {
  const int chosen = choose_video_stream(*context_);
  if (chosen < 0) {
    access_.check_refused();
    throw Error(ErrorKind::input, url_ + ": has no video stream");
  }
  take_video(chosen);
}

void Demuxer::work_on(int stream_index) {
  if (stream_index < 0 || static_cast<unsigned>(stream_index) >= context_->nb_streams)
    throw Error(ErrorKind::input, url_ + ": has no stream " + std::to_string(stream_index));
  if (remote_) remote_->work_on(stream_index);
  take_video(stream_index);
  video().discard = AVDISCARD_DEFAULT;
  check_size();
}

/// Makes a stream the video, and replaces impossible tags in its header.
void Demuxer::take_video(int stream_index) {
  video_index_ = stream_index;
  AVStream& stream = video();
  forget_unknown_tags(*stream.codecpar);
  stream.sample_aspect_ratio = plausible_aspect(stream.sample_aspect_ratio);
  if (stream.time_base.num <= 0 || stream.time_base.den <= 0)
    throw Error(ErrorKind::input, url_ + ": the video stream has no valid time base");
}

void Demuxer::check_size() const {
  const AVCodecParameters& video_parameters = *video().codecpar;
  const Size size{video_parameters.width, video_parameters.height};
  const std::optional<Size> refused = take_refused_size();
  if (size.width <= 0 || size.height <= 0) {
    if (refused) check_pixels(url_, *refused, max_pixels_);
    if (is_animated_webp(*context_))
      throw Error(ErrorKind::input, url_ + ": is an animated WebP, which FFmpeg can't decode");
    throw Error(ErrorKind::input, url_ + ": the size of its pictures can't be found");
  }
  if (size.width > kMaxPictureSide || size.height > kMaxPictureSide)
    throw Error(ErrorKind::input, url_ + ": pictures of " + to_string(size) + " are too large");
  check_pixels(url_, size, max_pixels_);
}

int Demuxer::interrupt(void* self) {
  const auto& demuxer = *static_cast<const Demuxer*>(self);
  const bool late = is_url(demuxer.url_) && std::chrono::steady_clock::now() > demuxer.deadline_;
  return demuxer.stop_.stop_requested() || late ? 1 : 0;
}

void Demuxer::restart_deadline() {
  deadline_ = std::chrono::steady_clock::now() + kNetworkPatience;
}

UniqueAVPacket Demuxer::read() {
  if (remote_) return remote_->read(*context_);
  UniqueAVPacket packet = new_av_packet();
  int result = AVERROR(EAGAIN);
  while (result == AVERROR(EAGAIN)) {
    if (stop_.stop_requested()) return nullptr;
    restart_deadline();
    errno = 0;
    result = av_read_frame(context_.get(), packet.get());
  }
  if (result < 0) {
    if (!stop_.stop_requested()) end_reading(result);
    return nullptr;
  }
  const bool of_video = packet->stream_index == video_index_;
  if (of_video && !std::exchange(examined_, true)) examine(*packet);
  promises_.count(*packet, video());
  return packet;
}

/// Finds out why reading ended. If the bytes end in the middle of a structure, demuxers report
/// either the end or damage. The I/O context knows the real reason.
void Demuxer::end_reading(int code) {
  if (code == AVERROR(ENOMEM) && !is_refused_memory(code)) throw std::bad_alloc();
  const AVIOContext* const io = context_->pb;  // nullptr if FFmpeg opens files itself
  const int met = io != nullptr ? io->error : code;
  const bool failed = met < 0 && met != AVERROR_EOF && met != AVERROR_INVALIDDATA;
  if (failed) {
    // Without a request to stop, this code means that the deadline has passed (see interrupt()).
    const bool late = met == AVERROR_EXIT;
    const std::string reason =
        late ? "no data has come for " + std::to_string(kNetworkPatience.count()) + " seconds"
             : av_error_text(met);
    failure_.emplace(ErrorKind::input, url_ + ": can't be read any further: " + reason);
    read_error_ = reason;
  } else if (code != AVERROR_EOF && !is_end_of_file(code, io)) {
    read_error_ = av_error_text(code);
  }
}

void Demuxer::stop_with(std::stop_token stop) {
  if (remote_) remote_->stop_with(stop);
  stop_ = std::move(stop);
}

bool Demuxer::seek(int stream_index, std::int64_t latest, int flags) {
  if (remote_) return remote_->seek(stream_index, latest, flags);
  return avformat_seek_file(context_.get(), stream_index, INT64_MIN, latest, latest, flags) >= 0;
}

void Demuxer::discard(int stream_index) {
  if (remote_) return remote_->discard(stream_index);
  if (promises_.needs_all_streams(video())) return;
  context_->streams[stream_index]->discard = AVDISCARD_ALL;
  promises_.leave_out_stream();
}

std::int64_t Demuxer::origin_us() const {
  const std::int64_t start = context_->start_time;
  const bool unusable =
      start == AV_NOPTS_VALUE || start > kLatestOriginUs || start < -kLatestOriginUs;
  if (unusable || lacks_time_stamps()) return 0;
  const std::int64_t first_picture = video().start_time;
  const bool primes = start < 0 && start >= -kLongestPrimingUs &&
                      (first_picture == AV_NOPTS_VALUE || first_picture >= 0);
  return primes ? 0 : start;
}

bool Demuxer::is_still_image() const {
  const std::string_view name = context_->iformat->name;
  return name == "image2" || name.ends_with("_pipe") || still_in_boxes_;
}

bool Demuxer::is_one_picture() const {
  const AVIOContext* const io = context_->pb;  // nullptr if FFmpeg opens the one file itself
  return is_still_image() && (io == nullptr || (io->seekable & AVIO_SEEKABLE_NORMAL) != 0);
}

bool Demuxer::has_separate_transparency() const {
  const AVCodecID codec = video().codecpar->codec_id;
  const AVDictionaryEntry* const mode = av_dict_get(video().metadata, "alpha_mode", nullptr, 0);
  return (codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9) && mode != nullptr &&
         std::string_view(mode->value) != "0";
}

bool Demuxer::lacks_time_stamps() const {
  if (is_still_image()) return false;
  // Not all demuxers of raw streams have the flag, but the muxers of the same name do.
  const AVOutputFormat* muxer = av_guess_format(context_->iformat->name, nullptr, nullptr);
  const int muxer_flags = muxer != nullptr ? muxer->flags : 0;
  return ((context_->iformat->flags | muxer_flags) & AVFMT_NOTIMESTAMPS) != 0;
}

Rational Demuxer::frame_rate() const {
  if (remote_) return remote_->facts().frame_rate;
  const AVRational rate = av_guess_frame_rate(context_.get(), &video(), nullptr);
  return rate.num > 0 && rate.den > 0 ? from_av(rate) : kDefaultFrameRate;
}

std::int64_t Demuxer::expected_frames() const {
  if (is_still_image()) return 1;
  if (video().nb_frames > 0) return std::min(video().nb_frames, kMaxPlausibleFrames);
  const Rational rate = frame_rate();
  const std::int64_t duration = duration_us();
  if (duration <= 0) return 0;
  const double frames = static_cast<double>(duration) / AV_TIME_BASE * rate.num / rate.den;
  return frames < static_cast<double>(kMaxPlausibleFrames) ? std::llround(frames) : 0;
}

std::int64_t Demuxer::duration_us() const {
  return remote_ ? remote_->facts().duration_us : promises_.duration_us();
}

const std::string& Demuxer::read_error() const {
  return remote_ ? remote_->facts().read_error : read_error_;
}

const std::optional<Error>& Demuxer::failure() const {
  return remote_ ? remote_->facts().failure : failure_;
}

InputFacts Demuxer::facts(bool ended) const {
  return {video_index_, first_late_,  still_in_boxes_, orientation(),
          left_out(),   frame_rate(), duration_us(),   ended ? shortfall() : std::string(),
          read_error(), failure()};
}

std::string Demuxer::shortfall() const {
  if (remote_) return remote_->facts().shortfall;
  std::string missing = promises_.missing(video());
  if (read_error_.empty()) return missing;
  return "reading stopped: " + read_error_ + (missing.empty() ? "" : "; " + missing);
}

}  // namespace facepipe::video
