// make_corpus FOLDER: writes those inputs of tests/fuzz/corpus/ that are not text. The others are
// written by hand.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/packed.h"
#include "pipeline/parts/part_file.h"
#include "tests/support/clips.h"
#include "tests/support/packets.h"
#include "tests/support/picture_files.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"
#include "video/read/demuxer.h"
#include "video/read/worker/messages.h"
#include "video/side_data.h"

namespace facepipe::test {
namespace {

using namespace std::string_literals;

class Corpora {
 public:
  explicit Corpora(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, std::string_view input) const {
    std::filesystem::create_directories(folder_ / target);
    std::ofstream(folder_ / target / name, std::ios::binary) << input;
  }

 private:
  std::filesystem::path folder_;
};

/// Returns the input of the target "onnx": a card and a network, whose weights are all 0, because
/// zeros are easier to mutate than random numbers.
std::string network(OnnxBuilder built, const std::string& card = {}) {
  for (onnx::TensorProto& weights : *built.model().mutable_graph()->mutable_initializer())
    for (float& weight : *weights.mutable_float_data()) weight = 0;
  return big(card.size(), 2) + card + built.model().SerializeAsString();
}

void add_networks(const Corpora& corpora) {
  corpora.add("onnx", "scrfd", network(small_scrfd()));
  corpora.add("onnx", "all_passes", network(export_for_all_passes()));
  // A whole YOLO is too large, so its metadata come with another network.
  OnnxBuilder named = export_for_all_passes();
  *named.model().mutable_metadata_props() = small_yolo(2, {5, 3}).model().metadata_props();
  corpora.add("onnx", "ultralytics", network(named));
  corpora.add("onnx", "anchors", network(named, yolo_anchors_card()));
  corpora.add("onnx", "retinaface", network(small_retinaface(), retinaface_card()));
  corpora.add("onnx", "boxes", network(small_boxes(false), boxes_card({"face", "plate"})));
  corpora.add("onnx", "suppression", network(small_boxes(true), boxes_card({"face"})));
  corpora.add("onnx", "attention", network(small_attention(64, 64)));
  OnnxBuilder hostile = export_for_all_passes();
  hostile.model().mutable_graph()->mutable_node(0)->set_name("a\nb\x1b[2J");
  hostile.model().mutable_graph()->mutable_node(0)->set_op_type("c\nd\x1b[2J");
  corpora.add("onnx", "line_breaks_in_names", network(hostile));
}

void add_pictures(const Corpora& corpora) {
  const std::string none(4, '\0');
  const std::string extents = box("ispe", none + big(64, 4) + big(48, 4));
  const std::vector<HeifItem> items{{1, "av01", {1, 2}}, {2, "av01", {1}, true}, {3, "Exif"}};
  corpora.add("pictures", "avif",
              heif(items, {extents, box("irot", big(1, 1))}, {{"auxl", 2, 1}, {"cdsc", 3, 1}}));
  corpora.add("pictures", "tiles",
              heif({{1, "grid", {1}}, {2}, {3}}, {extents}, {{"dimg", 1, 2}, {"dimg", 1, 3}}));
  corpora.add("pictures", "tiff",
              "II*\0"s + little(8, 4) + tiff_directory({{256, 4}, {274, 6}}, 38) +
                  tiff_directory({{254, 1}}, 0));
  corpora.add("pictures", "png",
              "\x89PNG\r\n\x1A\n"s + png_chunk("IHDR", big(8, 4) + big(8, 4) + "\x8\2\0\0\0"s) +
                  png_chunk("eXIf", exif(3)) + png_chunk("acTL", big(2, 4) + big(0, 4)) +
                  png_chunk("IEND", ""));
  const std::string app1 = "Exif\0\0"s + exif(8);
  corpora.add("pictures", "jpeg",
              "\xFF\xD8\xFF\xE1"s + big(app1.size() + 2, 2) + app1 + "\xFF\xD9\xFF\xD8\xFF\xD9"s);
  const std::string chunks = "VP8X"s + little(10, 4) + std::string(10, '\0') + "EXIF" +
                             little(exif(5).size(), 4) + exif(5) + "ANMF" + little(0, 4);
  corpora.add("pictures", "webp", "RIFF"s + little(chunks.size() + 4, 4) + "WEBP" + chunks);
}

void add_headers(const Corpora& corpora) {
  const std::string facts = "\1vorbis" + std::string(23, '\0');
  const std::string comments =
      "\3vorbis" + little(1, 4) + "x" + little(1, 4) + little(15, 4) + "ARTIST=Somebody\1";
  corpora.add("headers", "vorbis",
              "\0\2"s + static_cast<char>(facts.size()) + static_cast<char>(comments.size()) +
                  facts + comments + "\5vorbissetup");
  corpora.add("headers", "flac",
              "\2fLaC\0\0\0\x22"s + std::string(34, 'f') + "\x84\0\0\x8"s + "Somebody");
  corpora.add("headers", "opus", "\3OpusHead"s + std::string(11, '\0') + "Somebody");
  corpora.add("headers", "ass",
              "\4[Script Info]\nTitle: x\nPlayResX: 384\n\n[V4+ Styles]\nFormat: Name\nStyle: "
              "Default\n\n[Fonts]\nfontname: a\n\n[Events]\nFormat: Layer, Text\n"s);
  corpora.add("headers", "ass_unknown_section",
              "\4[Script Info]\nPlayResX: x\n[V4++ Styles]\nStyle: x\n[v4 x]\nFormat: x\n"s);
  corpora.add("headers", "ass_unknown_values",
              "\4[V4+ Styles]\nFormat: Name, x, Bold\nStyle: a,b,x\nStyle: a,b,1,c\rTitle: x\n"
              "[Events]\nFormat: Layer, x\n"s);
  corpora.add("headers", "timed_text",
              "\xB"s + std::string(30, '\1') +
                  "\0\0\0\x12"
                  "ftab\0\1\0\1\5Serif"s +
                  "\0\0\0\x10udtaSomebody"s);
  corpora.add("headers", "dvd",
              "\xC"
              "size: 720x480\nalign: OFF at LEFT TOP\nid: Somebody\n");
  corpora.add("headers", "font",
              "\7\0\1\0\0\0\1\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1C\0\0\0\x40"s + std::string(64, 'x'));
  corpora.add("headers", "timecode",
              "\x8"
              "01:02:03;04"s);
}

/// Returns a packet of the target "segments", which comes several times.
std::string packet(unsigned flags, const std::string& bytes, unsigned repeated = 0) {
  return static_cast<char>(flags) + big(bytes.size() | repeated << 11U, 2) + bytes;
}

void add_packets(const Corpora& corpora) {
  constexpr unsigned kKey = 0x41;
  constexpr unsigned kNoKey = 0x40;
  const std::string code = "\0\0\1"s;
  const std::string sets = code + "\x67\x42\0\x1E\x95"s + code + "\x68\xCE\x3C\x80"s;
  const std::string idr = packet(kKey, sets + code + "\x65\x88"s);
  const std::string p = packet(kNoKey, code + "\x61\x98"s, 31);
  const std::string recovery = packet(kKey, code + "\x06\x06\1\xC4\x80"s + code + "\x61\x88"s);
  corpora.add("segments", "h264", "\0\0"s + idr + p + p + idr + p + recovery + p);
  corpora.add("segments", "h264_avcc",
              "\x40\x13\1\x42\0\x1E\xFF\xE1\0\5\x67\x42\0\x1E\x95\1\0\4\x68\xCE\x3C\x80"s +
                  packet(kKey, "\0\0\0\2\x65\x88"s) + packet(kNoKey, "\0\0\0\2\x61\x98"s, 31));
  corpora.add("segments", "hevc",
              "\1\0"s + packet(kKey, code + "\x2A\1\x80"s) +
                  packet(kNoKey, code + "\x10\1\x80"s, 2) + packet(kNoKey, code + "\2\1\x80"s, 31) +
                  packet(kKey, code + "\x2A\1\x80"s) + packet(kNoKey, code + "\2\1\x80"s, 31));
  corpora.add(
      "segments", "mpeg2",
      "\2\0"s +
          packet(kKey, code + "\xB3\x14\0\xF0\x13\xFF\xFF\xE0\x18"s + code + "\0\0\x0F\xFF\xF8"s) +
          packet(kNoKey, code + "\0\0\x57\xFF\xF8"s, 31));
  corpora.add("segments", "mjpeg", "\4\0"s + packet(kKey, "\xFF\xD8\xFF\xD9"s, 31));
  corpora.add("unchanged", "mpeg4",
              "\0\0"s + "\x0E\0\0\1\x20\0\xC8\x88\x80\x0F\x53\x20\x31\x20"s +
                  "\6\0\0\1\xB6\x50\x40"s + "\0"s);
  corpora.add("unchanged", "dirac",
              "\1\0"s +
                  "\x0D"
                  "BBCD\x20\0\0\0\x0D\0\0\0\0"s);
  corpora.add("unchanged", "vp8", "\2\0\3\x10\0\0"s);
}

/// Returns the input of the target "part_file": the length of the facts, and a part file without
/// the position of the facts and the hash.
/// @param hides  the part has hidden faces
std::string part_file(int frames, bool hides = false) {
  constexpr std::size_t kEnd = 24;
  const TemporaryFolder folder;
  pipeline::PartWriter writer(folder / "part");
  for (int i = 0; i < frames; ++i) {
    pipeline::FinishedFrame frame;
    frame.encoded.record.index = i;
    frame.encoded.record.faces.push_back({1, 2, 3, 4}, 0.5F, Landmarks{});
    if (hides) frame.encoded.record.face_tracks = {i};
    if (i > 0) frame.encoded.packet = packet_of({1, 2, 3});
    writer.write(frame);
  }
  pipeline::PartFacts facts;
  facts.key = "key";
  facts.told = {"sentence"};
  facts.network.size = Size{64, 64};
  if (hides) {
    pipeline::HiddenPart& hidden = facts.hidden.emplace();
    hidden.tracks_begun = frames;
    hidden.tracks.frames = frames;
    hidden.tracks.tracks[1] = {{{40, {1, 2, 3, 4}}, {80, {2, 2, 4, 4}}}, {1}, 0.5F, true, 0};
    hidden.next_pts = 120;
  }
  writer.finish(std::move(facts));
  const std::string whole = read_file(folder / "part");
  const std::string content = whole.substr(0, whole.size() - kEnd);
  std::int64_t position = 0;
  std::memcpy(&position, whole.data() + content.size(), sizeof position);
  return big(content.size() - static_cast<std::size_t>(position), 2) + content;
}

void add_parts(const Corpora& corpora) {
  corpora.add("part_file", "empty", part_file(0));
  corpora.add("part_file", "frames", part_file(2));
  corpora.add("part_file", "hidden", part_file(2, true));
  std::string long_frame = part_file(1);
  long_frame[2 + 16] = '\x7F';  // the frame is longer than the file
  corpora.add("part_file", "long_frame", long_frame);
}

/// Adds inputs of the target "job": the packets of small clips of each codec, which come so often
/// that several lanes work.
void add_jobs(const Corpora& corpora) {
  constexpr std::array kCodecs{"libx264 -preset veryfast -bf 2",
                               "libx265 -preset ultrafast -x265-params log-level=error",
                               "mpeg4 -bf 1",
                               "libvpx",
                               "mpeg2video -bf 1",
                               "mjpeg -q:v 9",
                               "libvpx-vp9 -deadline realtime -cpu-used 8"};
  constexpr char kHidesAndWrites = 3;
  constexpr char kTimes = 8;
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < kCodecs.size(); ++i) {
    const std::string codec = kCodecs[i];
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 12 -g 6 -threads 1 -c:v " + codec,
           folder / "clip.nut");
    video::Demuxer demuxer((folder / "clip.nut").string(), {});
    const AVCodecParameters& video = *demuxer.video().codecpar;
    const auto header = static_cast<std::size_t>(video.extradata_size);
    std::string input{kHidesAndWrites, static_cast<char>(i), kTimes};
    input += big(header, 2) + std::string(reinterpret_cast<char*>(video.extradata), header);
    for (std::int64_t time = 0; const video::UniqueAVPacket packet = demuxer.read(); ++time) {
      const auto size = static_cast<std::size_t>(packet->size);
      input += static_cast<char>(packet->flags & AV_PKT_FLAG_KEY);
      av_packet_rescale_ts(packet.get(), demuxer.video().time_base, {1, 25});
      input += static_cast<char>(packet->pts - time);
      input += big(size, 2) + std::string(reinterpret_cast<char*>(packet->data), size);
    }
    corpora.add("job", codec.substr(0, codec.find(' ')), input);
  }
}

void add_subtitles(const Corpora& corpora) {
  corpora.add("subtitles", "subrip", "\0\0\0\x0C<i>Hello</i>"s + "\7{\\an8}x"s);
  corpora.add("subtitles", "ass",
              "\1\1\x2D[Script Info]\n[Events]\nFormat: Layer, Text \n"s +
                  "\x19"
                  "0,0,Default,,0,0,0,,Hello"s);
  corpora.add("subtitles", "webvtt", "\2\0\0\x0A<b>Hi</b>&lt;"s);
  corpora.add("subtitles", "mov_text",
              "\3\3\0\4\0\2Hi"s + "\x18\0\2Hi\0\0\0\x12styl\0\1\0\0\0\2\0\1\1"s);
}

/// Returns an input of the target "worker".
std::string said(char message, const std::function<void(Packer&)>& say) {
  Packer packer;
  say(packer);
  return message + packer.bytes();
}

void add_workers(const Corpora& corpora) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i color=s=16x16:d=0.1 -f lavfi -i sine=d=0.1 -metadata title=T -c:a flac",
         folder / "clip.mkv");
  ffmpeg("-f lavfi -i color=s=16x16:d=0.1", folder / "clip.mp4");
  for (const std::string name : {"clip.mkv", "clip.mp4"}) {
    video::Demuxer demuxer((folder / name).string(), {});
    corpora.add("worker", name, said(0, [&](Packer& packer) {
                  video::pack_input(packer, demuxer.format());
                  video::pack_facts(packer, demuxer.facts(true));
                }));
    corpora.add("worker", name + ".streams", said(6, [&](Packer& packer) {
                  video::pack_streams(packer, demuxer.format(), 0);
                  video::pack_streams(packer, demuxer.format(), demuxer.format().nb_streams);
                }));
  }
  const video::UniqueAVPacket packet = packet_of({1});
  video::add_side_data(*packet, {AV_PKT_DATA_SKIP_SAMPLES, std::string(10, '\1')});
  corpora.add("worker", "packet",
              said(1, [&](Packer& packer) { video::pack_packet(packer, *packet); }));
  const video::UniqueAVFrame picture = video::new_av_frame();
  av_dict_set(&picture->metadata, "Orientation", "6", 0);
  for (const auto& [type, bytes] : {std::pair(AV_FRAME_DATA_A53_CC, std::size_t{3}),
                                    std::pair(AV_FRAME_DATA_DISPLAYMATRIX, std::size_t{36})})
    std::memset(av_frame_new_side_data(picture.get(), type, bytes)->data, 1, bytes);
  corpora.add("worker", "picture",
              said(2, [&](Packer& packer) { video::pack_picture(packer, *picture); }));
  corpora.add("worker", "shape", said(3, [](Packer& packer) {
                video::pack_shape(packer, {AV_PIX_FMT_PAL8, {17, 5}});
              }));
  corpora.add("worker", "state", said(4, [](Packer& packer) {
                video::pack_state(packer, {{16, 16}, 2, 1, Size{20000, 20000}});
              }));
  corpora.add("worker", "error", said(5, [](Packer& packer) {
                video::pack_error(packer, {ErrorKind::input, "clip.mp4: is no video"});
              }));
}

}  // namespace
}  // namespace facepipe::test

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  const facepipe::test::Corpora corpora(arguments[1]);
  add_networks(corpora);
  add_pictures(corpora);
  add_headers(corpora);
  add_packets(corpora);
  add_parts(corpora);
  add_jobs(corpora);
  add_subtitles(corpora);
  add_workers(corpora);
  return 0;
}
