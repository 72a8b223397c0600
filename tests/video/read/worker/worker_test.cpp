// A worker process reads and decodes inputs for the program. These tests play the worker in a
// thread: one that works, and ones that a hostile input has taken over.
extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/hdr_dynamic_metadata.h>
}

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/limits.h"
#include "core/packed.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/packets.h"
#include "tests/support/picture_hash.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg_compat.h"
#include "video/read/cpu_decoder.h"
#include "video/read/demuxer.h"
#include "video/read/first_picture.h"
#include "video/read/worker/channel.h"
#include "video/read/worker/input_workers.h"
#include "video/read/worker/messages.h"
#include "video/read/worker/picture_slot.h"
#include "video/read/worker/serve.h"
#include "video/side_data.h"

namespace facepipe::video {
namespace {

using test::TemporaryFolder;

/// Plays workers in threads of this process. The demuxers of this process use them while this
/// object exists.
class ThreadWorkers final : public InputWorkers {
 public:
  using Work = std::function<void(const Channel&)>;

  explicit ThreadWorkers(Work work) : work_(std::move(work)) { read_in_workers(this); }
  ~ThreadWorkers() override { read_in_workers(nullptr); }

  Worker start(const std::string& /*input*/) override {
    auto [channel, other] = Channel::make();
    ends_.push_back(channel.number());
    threads_.emplace_back([this, end = Channel(std::move(other))] { work_(end); });
    return {std::move(channel), static_cast<int>(threads_.size())};
  }
  std::string end(int process, bool /*broken*/) noexcept override {
    // The program closes its end only after this call.
    shutdown(ends_[static_cast<std::size_t>(process) - 1], SHUT_RDWR);
    ++ended_;
    return "was ended by a test";
  }

  [[nodiscard]] int ended() const { return ended_; }

 private:
  const Work work_;
  std::vector<int> ends_;
  std::vector<std::jthread> threads_;
  std::atomic<int> ended_ = 0;
};

Packer answer(Answer kind) {
  Packer packer;
  packer(kind);
  return packer;
}

class Workers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_.emplace();
    test::ffmpeg(
        "-f lavfi -i testsrc2=s=48x32:r=25:d=1 -f lavfi -i sine=d=1 -metadata title=T "
        "-c:v libx264 -g 10 -bf 2 -c:a flac -shortest",
        clip());
  }
  static void TearDownTestSuite() { dir_.reset(); }
  static std::filesystem::path clip() { return *dir_ / "clip.mkv"; }

  static inline std::optional<TemporaryFolder> dir_;
};

// ---- Messages ----

TEST_F(Workers, ADescriptionSaysWhatTheInputSays) {
  const Demuxer demuxer(clip().string(), {});
  Packer packer;
  pack_input(packer, demuxer.format());
  Unpacker unpacker(packer.bytes());
  const UniqueInputContext copy = unpacked_input(unpacker);
  EXPECT_TRUE(unpacker.empty());
  EXPECT_EQ(copy->iformat, demuxer.format().iformat);
  ASSERT_EQ(copy->nb_streams, 2U);
  for (unsigned i = 0; i < 2; ++i) {
    const AVStream& own = *demuxer.format().streams[i];
    const AVStream& its = *copy->streams[i];
    EXPECT_EQ(own.codecpar->codec_id, its.codecpar->codec_id);
    EXPECT_EQ(own.codecpar->ch_layout.nb_channels, its.codecpar->ch_layout.nb_channels);
    EXPECT_EQ(own.codecpar->sample_rate, its.codecpar->sample_rate);
    EXPECT_EQ(own.codecpar->width, its.codecpar->width);
    EXPECT_EQ(av_cmp_q(own.time_base, its.time_base), 0);
    ASSERT_EQ(own.codecpar->extradata_size, its.codecpar->extradata_size);
    EXPECT_EQ(std::memcmp(own.codecpar->extradata, its.codecpar->extradata,
                          static_cast<std::size_t>(own.codecpar->extradata_size)),
              0);
  }
  const AVDictionaryEntry* const title = av_dict_get(copy->metadata, "title", nullptr, 0);
  ASSERT_NE(title, nullptr);
  EXPECT_STREQ(title->value, "T");
}

TEST_F(Workers, EachShortenedDescriptionIsRefused) {
  const Demuxer demuxer(clip().string(), {});
  Packer packer;
  pack_input(packer, demuxer.format());
  for (std::size_t bytes = 0; bytes < packer.bytes().size(); ++bytes) {
    Unpacker unpacker(std::string_view(packer.bytes()).substr(0, bytes));
    EXPECT_THROW(static_cast<void>(unpacked_input(unpacker)), std::out_of_range) << bytes;
  }
}

TEST(WorkerMessages, FactsThatCannotBeAreRefused) {
  const std::vector<std::function<void(InputFacts&)>> changes{
      [](InputFacts& facts) { facts.video_index = -1; },
      [](InputFacts& facts) { facts.video_index = 2; },
      [](InputFacts& facts) { facts.first_late = 3; },
      [](InputFacts& facts) {
        facts.frame_rate = {0, 1};
      },
      [](InputFacts& facts) {
        facts.frame_rate = {25, -1};
      },
      [](InputFacts& facts) { facts.duration_us = -1; },
      [](InputFacts& facts) {
        facts.orientation = Orientation{4, false};
      },
  };
  for (const auto& change : changes) {
    InputFacts facts;
    change(facts);
    Packer packer;
    pack_facts(packer, facts);
    Unpacker unpacker(packer.bytes());
    EXPECT_THROW(static_cast<void>(unpacked_facts(unpacker, 2)), std::out_of_range);
  }
}

TEST(WorkerMessages, ShapesWithoutPicturesAreRefused) {
  const std::vector<SharedShape> refused{
      {AV_PIX_FMT_NONE, {16, 16}},
      {AV_PIX_FMT_NB, {16, 16}},
      {1 << 30, {16, 16}},
      {AV_PIX_FMT_VAAPI, {16, 16}},
      {AV_PIX_FMT_YUV420P, {0, 16}},
      {AV_PIX_FMT_YUV420P, {16, -1}},
      {AV_PIX_FMT_YUV420P, {kMaxPictureSide + 1, 16}},
  };
  for (const SharedShape& shape : refused)
    EXPECT_THROW(static_cast<void>(memory_of(shape)), std::out_of_range)
        << shape.format << " " << shape.size.width;
}

TEST(WorkerMessages, PlanesOfAllFormatsLieBehindEachOther) {
  for (int format = 0; format < AV_PIX_FMT_NB; ++format) {
    PictureMemory memory;
    try {
      memory = memory_of({format, {33, 17}});
    } catch (const std::out_of_range&) {
      continue;  // in a device's memory
    }
    std::vector<std::uint8_t> bytes(memory.bytes);
    const auto planes = memory.planes(bytes.data());
    for (std::size_t i = 0; i < planes.size() && planes[i] != nullptr; ++i) {
      const std::uint8_t* const end = i + 1 < planes.size() && planes[i + 1] != nullptr
                                          ? planes[i + 1]
                                          : bytes.data() + bytes.size();
      EXPECT_GE(end - planes[i], memory.strides[i] * ptrdiff_t{i == 0 ? 17 : 1}) << format;
      EXPECT_EQ(memory.strides[i] % 64, 0);
    }
  }
}

TEST(WorkerMessages, SamplesUseOnlyTheBitsOfTheirFormat) {
  const std::vector<std::pair<AVPixelFormat, unsigned>> masks{
      {AV_PIX_FMT_YUV420P, 0},         {AV_PIX_FMT_YUV420P10LE, 0x3FF},
      {AV_PIX_FMT_YUV422P12LE, 0xFFF}, {AV_PIX_FMT_YUV420P10BE, 0xFF03},
      {AV_PIX_FMT_GRAY10LE, 0x3FF},    {AV_PIX_FMT_GBRP14LE, 0x3FFF},
      {AV_PIX_FMT_P010LE, 0},          {AV_PIX_FMT_YUV420P16LE, 0},
      {AV_PIX_FMT_RGB565LE, 0},        {AV_PIX_FMT_X2RGB10LE, 0},
      {AV_PIX_FMT_GRAYF32LE, 0},       {AV_PIX_FMT_PAL8, 0}};
  for (const auto& [format, mask] : masks) EXPECT_EQ(sample_mask(format), mask) << format;
}

TEST(WorkerMessages, APacketNeverHasTheFlagsOfPointers) {
  const UniqueAVPacket from = new_av_packet();
  from->flags = ~0;
  Packer packer;
  pack_packet(packer, *from);
  const UniqueAVPacket to = new_av_packet();
  Unpacker unpacker(packer.bytes());
  unpack_packet(unpacker, *to);
  EXPECT_EQ(to->flags, kFlagsOfFiles);
}

TEST_F(Workers, StreamsThatNoFileHasAreRefused) {
  const Demuxer demuxer(clip().string(), {});
  const std::vector<std::function<void(AVStream&)>> changes{
      [](AVStream& stream) { stream.codecpar->codec_id = AV_CODEC_ID_WRAPPED_AVFRAME; },
      [](AVStream& stream) { stream.codecpar->video_delay = 17; },
      [](AVStream& stream) { stream.codecpar->format = AV_PIX_FMT_NB; },
      [](AVStream& stream) {
        stream.time_base = {0, 1};
      },
      [](AVStream& stream) {
        stream.time_base = {1, -25};
      },
  };
  for (const auto& change : changes) {
    Packer packer;
    pack_input(packer, demuxer.format());
    Unpacker unpacker(packer.bytes());
    const UniqueInputContext changed = unpacked_input(unpacker);
    change(*changed->streams[0]);
    Packer again;
    pack_input(again, *changed);
    Unpacker hostile(again.bytes());
    EXPECT_THROW(static_cast<void>(unpacked_input(hostile)), std::out_of_range);
  }
}

TEST(WorkerMessages, SideDataThatAreTooShortAreLeftOut) {
  Packer packer;
  packer(3);
  const auto add = [&](int type, std::size_t bytes) {
    packer(type);
    packer(std::string(bytes, '\1'));
  };
  add(AV_PKT_DATA_DISPLAYMATRIX, 35);
  add(AV_PKT_DATA_NB + 1, 36);
  add(AV_PKT_DATA_DISPLAYMATRIX, 36);
  const UniqueAVPacket packet = new_av_packet();
  Unpacker unpacker(packer.bytes());
  unpack_side_data(unpacker, [&](const SideData& data) { add_side_data(*packet, data); });
  ASSERT_EQ(packet->side_data_elems, 1);
  EXPECT_EQ(packet->side_data[0].size, 36U);
}

TEST(WorkerMessages, CountsInHdrDataThatPointOutsideAreRefused) {
  for (const std::uint8_t windows : {std::uint8_t{3}, std::uint8_t{4}}) {
    const UniqueAVFrame from = new_av_frame();
    AVDynamicHDRPlus& data = *allocated(av_dynamic_hdr_plus_create_side_data(from.get()));
    data.num_windows = windows;
    Packer packer;
    pack_side_data(packer, *from);
    const UniqueAVFrame to = new_av_frame();
    Unpacker unpacker(packer.bytes());
    unpack_side_data(unpacker, *to);
    EXPECT_EQ(to->nb_side_data, windows <= 3 ? 1 : 0);
  }
}

TEST(WorkerMessages, AnErrorNeedsAReasonOfOneShortLine) {
  for (const std::string& text : {std::string(), std::string("\n"), std::string(" \n "),
                                  std::string(4096, '\x1b') /* each is shown as \\x1b */}) {
    Packer packer;
    packer(exit_code(ErrorKind::input));
    packer(false);
    packer(text);
    Unpacker unpacker(packer.bytes());
    EXPECT_THROW(static_cast<void>(unpacked_error(unpacker)), std::out_of_range) << text.size();
  }
}

TEST(WorkerMessages, ALongErrorIsCut) {
  Packer packer;
  pack_error(packer, {ErrorKind::input, std::string(10000, 'a')});
  Unpacker unpacker(packer.bytes());
  EXPECT_EQ(std::string(unpacked_error(unpacker).what()), std::string(4096, 'a'));
}

TEST(WorkerMessages, DolbyVisionKeepsItsPositions) {
  std::size_t size = 0;
  AVDOVIMetadata* const own = allocated(av_dovi_metadata_alloc(&size));
  const std::size_t header = own->header_offset;
  av_dovi_get_header(own)->vdr_rpu_profile = 7;
  const UniqueAVFrame from = new_av_frame();
  AVFrameSideData& made =
      *allocated(av_frame_new_side_data(from.get(), AV_FRAME_DATA_DOVI_METADATA, size));
  std::memcpy(made.data, own, size);
  av_free(own);
  reinterpret_cast<AVDOVIMetadata*>(made.data)->header_offset = std::size_t{1} << 40U;
  Packer packer;
  pack_side_data(packer, *from);
  const UniqueAVFrame to = new_av_frame();
  Unpacker unpacker(packer.bytes());
  unpack_side_data(unpacker, *to);
  ASSERT_EQ(to->nb_side_data, 1);
  const auto* const taken = reinterpret_cast<const AVDOVIMetadata*>(to->side_data[0]->data);
  EXPECT_EQ(taken->header_offset, header);
  EXPECT_EQ(av_dovi_get_header(taken)->vdr_rpu_profile, 7);
}

// ---- Channels and memory ----

TEST(WorkerChannels, MessagesOfAllSizesComeWhole) {
  auto [channel, other] = Channel::make();
  const std::jthread echo([end = Channel(std::move(other))] {
    while (const auto message = end.receive_with_file())
      static_cast<void>(end.send(
          message->head, message->bytes ? Bytes(message->bytes->data,
                                                static_cast<std::size_t>(message->bytes->size))
                                        : Bytes()));
  });
  for (const std::size_t bytes : {0UL, 1UL, 100'000UL, 5'000'000UL}) {
    const std::vector<std::uint8_t> sent(bytes, 7);
    ASSERT_TRUE(channel.send("head", sent));
    const std::optional<Message> back = channel.receive();
    ASSERT_TRUE(back);
    EXPECT_EQ(back->head, "head");
    const std::size_t got = back->bytes ? static_cast<std::size_t>(back->bytes->size) : 0;
    ASSERT_EQ(got, bytes);
    EXPECT_TRUE(bytes == 0 || std::memcmp(back->bytes->data, sent.data(), bytes) == 0);
  }
  shutdown(channel.number(), SHUT_RDWR);
}

TEST(WorkerChannels, LengthsThatCannotBeEndTheChannel) {
  const std::vector<std::vector<std::uint32_t>> lengths{
      {0xFFFFFFFFU, 0}, {0, 0xFFFFFFFFU}, {0, (1U << 30U) + 1}, {8, 0}};
  for (const auto& both : lengths) {
    auto [channel, other] = Channel::make();
    ASSERT_EQ(write(other.number(), both.data(), 8), 8);
    other = Descriptor();
    EXPECT_FALSE(channel.receive()) << both[0] << " " << both[1];
  }
}

TEST(WorkerChannels, TheProgramTakesNoDescriptors) {
  auto [channel, other] = Channel::make();
  const Channel end(std::move(other));
  ASSERT_TRUE(end.send("x", {}, STDIN_FILENO));
  const std::optional<Message> message = channel.receive();
  ASSERT_TRUE(message);
  EXPECT_FALSE(message->file);
  ASSERT_TRUE(channel.send("x", {}, STDIN_FILENO));
  const std::optional<Message> taken = end.receive_with_file();
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->file);
}

TEST(WorkerMemory, NobodyCanMakeItSmaller) {
  const PictureSlot slot = PictureSlot::make(4096);
  EXPECT_NE(ftruncate(slot.file(), 0), 0);
  EXPECT_NE(ftruncate(slot.file(), 8192), 0);
  const PictureSlot other = PictureSlot::take_over(Descriptor(dup(slot.file())));
  ASSERT_EQ(other.bytes(), 4096U);
  other.data()[4095] = 9;
  EXPECT_EQ(slot.data()[4095], 9);
  EXPECT_EQ(PictureSlot::take_over(Descriptor()).bytes(), 0U);
}

// ---- A worker that works ----

std::vector<std::size_t> hashes_of_pictures(const std::string& input) {
  Notices notices(input);
  Demuxer demuxer(input, {});
  const std::unique_ptr<Decoder> decoder = make_cpu_decoder(demuxer, {}, notices);
  std::vector<std::size_t> hashes;
  const auto take = [&] {
    while (const std::optional<DecodedPicture> picture = decoder->next())
      hashes.push_back(test::hash_of(*picture->picture));
  };
  while (true) {
    const ReadPacket packet = read_packet(demuxer);
    if (!packet.packet) break;
    if (packet.packet->stream_index != demuxer.video_index()) continue;
    decoder->send(packet);
    take();
  }
  decoder->finish();
  take();
  return hashes;
}

TEST_F(Workers, GiveTheSamePacketsAndPictures) {
  const std::vector<test::FilePacket> packets = test::packets_of(clip());
  const std::vector<std::size_t> pictures = hashes_of_pictures(clip().string());
  EXPECT_EQ(pictures.size(), 25U);
  const ThreadWorkers workers(serve_input);
  EXPECT_TRUE(test::packets_of(clip()) == packets);
  EXPECT_EQ(hashes_of_pictures(clip().string()), pictures);
  EXPECT_EQ(workers.ended(), 2);
}

TEST_F(Workers, ReportTheErrorsOfTheDemuxer) {
  const ThreadWorkers workers(serve_input);
  const std::string text = dir_->write("text.mp4", "no video").string();
  test::expect_error(ErrorKind::input, text, [&] { Demuxer(text, {}); });
  EXPECT_EQ(workers.ended(), 1);
}

TEST_F(Workers, AreStoppedWhileTheyAnswerNothing) {
  const ThreadWorkers workers([](const Channel& channel) {
    while (channel.receive_with_file()) {
    }
  });
  std::stop_source stop;
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_THROW(Demuxer(clip().string(), stop.get_token()), Stopped);
}

// ---- Workers that a hostile input has taken over ----

using HostileAnswer = std::function<Packer(const Message&)>;

/// Opens the input as a good worker does, and then answers all requests of a kind otherwise.
class HostileWorker {
 public:
  HostileWorker(Request request, HostileAnswer answer)
      : request_(request), answer_(std::move(answer)) {}

  void operator()(const Channel& channel) const {
    Demuxer demuxer(clip_, {}, References::refuse, kDefaultMaxPixels, nullptr);
    std::optional<Channel> codec;
    const Channel* from = &channel;
    while (std::optional<Message> message = from->receive_with_file()) {
      const auto request = static_cast<Request>(message->head.at(0));
      if (message->file && request == Request::open_codec) codec.emplace(std::move(message->file));
      if (!from->send((request == request_ ? answer_(*message) : usual(request, demuxer)).bytes()))
        return;
      if (codec && request == Request::open_codec) from = &*codec;
    }
  }

  static void work_on(const std::filesystem::path& clip) { clip_ = clip.string(); }

 private:
  static Packer usual(Request request, Demuxer& demuxer) {
    Packer packer = answer(Answer::done);
    if (request == Request::open) {
      pack_input(packer, demuxer.format());
      pack_facts(packer, demuxer.facts(false));
    } else if (request != Request::open_codec && request != Request::discard) {
      packer(0);
      pack_state(packer, {});
    }
    return packer;
  }

  static inline std::string clip_;
  Request request_;
  HostileAnswer answer_;
};

struct Hostile {
  std::string name;
  Request request;
  HostileAnswer answer;
};

/// Answers with a code of FFmpeg and a shape.
HostileAnswer picture(int code, SharedShape shape) {
  return [=](const Message&) {
    Packer packer = answer(Answer::done);
    packer(code);
    pack_state(packer, {});
    pack_shape(packer, shape);
    pack_picture(packer, *new_av_frame());
    return packer;
  };
}

HostileAnswer needs(SharedShape shape) {
  return [=](const Message&) {
    Packer packer = answer(Answer::needs_memory);
    pack_shape(packer, shape);
    return packer;
  };
}

HostileAnswer bytes(const std::string& text) {
  return [=](const Message&) {
    Packer packer;
    for (const char c : text) packer(c);
    return packer;
  };
}

class HostileWorkers : public Workers, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileWorkers, AreAnErrorOfTheirInput) {
  HostileWorker::work_on(clip());
  const ThreadWorkers workers(HostileWorker(GetParam().request, GetParam().answer));
  test::expect_error(ErrorKind::input, clip().string() + ": ", [&] {
    Notices notices(clip().string());
    Demuxer demuxer(clip().string(), {});
    if (GetParam().request == Request::read) {
      EXPECT_EQ(demuxer.read(), nullptr);
      ASSERT_TRUE(demuxer.failure());
      throw Error(*demuxer.failure());
    }
    const std::unique_ptr<Decoder> decoder = make_cpu_decoder(demuxer, {}, notices);
    ReadPacket packet;
    packet.packet = test::packet_of({1, 2, 3});
    decoder->send(packet);
    static_cast<void>(decoder->next());
  });
}

INSTANTIATE_TEST_SUITE_P(
    Worker, HostileWorkers,
    testing::Values(
        Hostile{"NoDescription", Request::open, bytes(std::string(1, '\0'))},
        Hostile{"NoAnswer", Request::open, bytes("")},
        Hostile{"UnknownAnswer", Request::open, bytes("\x7F")},
        Hostile{"ErrorWithoutReason", Request::open, bytes("\1")},
        Hostile{"PacketOfNoStream", Request::read,
                [](const Message&) {
                  Packer packer = answer(Answer::done);
                  packer(false);
                  packer(false);
                  packer(true);
                  UniqueAVPacket packet = new_av_packet();
                  packet->stream_index = 2;
                  pack_packet(packer, *packet);
                  return packer;
                }},
        Hostile{"StreamsThatWereKnown", Request::read,
                [](const Message&) {
                  Packer packer = answer(Answer::done);
                  packer(true);
                  packer(1U);
                  packer(0U);
                  return packer;
                }},
        Hostile{"NoPacket", Request::read, bytes(std::string(2, '\0'))},
        Hostile{"NoCodec", Request::open_codec, bytes("\x7F")},
        Hostile{"CodeAboveZero", Request::send,
                [](const Message&) {
                  Packer packer = answer(Answer::done);
                  packer(1);
                  pack_state(packer, {});
                  return packer;
                }},
        Hostile{"NoCode", Request::send, bytes(std::string(1, '\0'))},
        Hostile{"PictureWithoutMemory", Request::receive,
                picture(0, {AV_PIX_FMT_YUV420P, {48, 32}})},
        Hostile{"PictureOfADevice", Request::receive, picture(0, {AV_PIX_FMT_VAAPI, {48, 32}})},
        Hostile{"PictureOfNoSize", Request::receive, picture(0, {AV_PIX_FMT_YUV420P, {48, -32}})},
        Hostile{"EndlessNeed", Request::receive, needs({AV_PIX_FMT_YUV420P, {48, 32}})},
        Hostile{"HugeNeed", Request::receive, needs({AV_PIX_FMT_YUV420P, {16384, 16384}})},
        Hostile{"ImpossibleNeed", Request::receive, needs({AV_PIX_FMT_NB, {48, 32}})},
        Hostile{"NoPicture", Request::receive, bytes(std::string(1, '\0'))}),
    [](const auto& hostile) { return hostile.param.name; });

}  // namespace
}  // namespace facepipe::video
