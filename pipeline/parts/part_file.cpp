#include "pipeline/parts/part_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/packed.h"
#include "core/passing_error.h"
#include "core/timing.h"
#include "video/bitstream/packet_bytes.h"
#include "video/side_data.h"

namespace facepipe::pipeline {
namespace {

constexpr std::string_view kForm = "facepipe part 3\n";
// After the facts: their position, and the hash.
constexpr std::int64_t kEndBytes = 8 + 16;
// Packets of FFmpeg are shorter than 2^31 bytes, and a frame's facts are much smaller.
constexpr std::int64_t kMostFrameBytes = std::int64_t{1} << 31;
// The tracks of a part are among the facts: 25 bytes for each box.
constexpr std::int64_t kMostFactsBytes = std::int64_t{1} << 31;

// --- Each pack() describes a struct for a Packer and for an Unpacker. ---

template <typename Packing, typename SizeType>
void pack_size(Packing& packing, SizeType& size) {
  pack_all(packing, size.width, size.height);
}

/// Packs a list of structs of numbers. `pack_one` packs an entry.
template <typename Packing, typename List, typename PackOne>
void pack_list(Packing& packing, List& list, PackOne pack_one) {
  const std::size_t entries = packing.count(list.size());
  if constexpr (Packing::kUnpacks) list.resize(entries);
  for (auto& entry : list) pack_one(entry);
}

template <typename Packing, typename Found>
void pack_detections(Packing& packing, Found& found) {
  pack_list(packing, found.boxes,
            [&](auto& box) { pack_all(packing, box.x1, box.y1, box.x2, box.y2); });
  packing(found.scores);
  pack_list(packing, found.landmarks, [&](auto& points) {
    for (auto& point : points) pack_all(packing, point.x, point.y);
  });
  packing(found.classes);
}

/// Packs times as nanoseconds of the clock, later by `shift_ns`. The clock's epoch stays.
template <typename Packing, typename Times>
void pack_times(Packing& packing, Times& times, std::int64_t shift_ns) {
  const auto pack_time = [&](auto& time) {
    using std::chrono::nanoseconds;
    std::int64_t ns = nanoseconds(time.time_since_epoch()).count();
    packing(ns);
    // Sums of unsigned numbers can't overflow, whatever the file says.
    if constexpr (Packing::kUnpacks)
      time = Clock::time_point(
          nanoseconds(ns == 0 ? 0
                              : static_cast<std::int64_t>(static_cast<std::uint64_t>(ns) +
                                                          static_cast<std::uint64_t>(shift_ns))));
  };
  for (auto& stage : times.stages) {
    pack_time(stage.begin);
    pack_time(stage.end);
  }
  for (auto& cpu : times.cpu_ms) packing(cpu);
}

template <typename Packing, typename Record>
void pack_record(Packing& packing, Record& record, std::int64_t shift_ns) {
  pack_all(packing, record.index, record.pts_s, record.size.width, record.size.height, record.lane,
           record.device.kind, record.device.index, record.order_wait_ms, record.damaged,
           record.searched);
  pack_times(packing, record.times, shift_ns);
  pack_all(packing, record.candidates, record.face_count);
  pack_detections(packing, record.faces);
  packing(record.face_tracks);
}

template <typename Packing, typename Ledger>
void pack_ledger(Packing& packing, Ledger& ledger) {
  pack_all(packing, ledger.packets, ledger.decoded, ledger.lost, ledger.damaged, ledger.written,
           ledger.ended_early, ledger.lost_at_s);
}

template <typename Packing, typename Fit>
void pack_fit(Packing& packing, Fit& fit) {
  pack_size(packing, fit.frame);
  pack_size(packing, fit.content);
  pack_size(packing, fit.network);
}

/// Packs whether an optional has a value. Returns it, with a value if there is one.
template <typename Packing, typename Optional>
bool pack_presence(Packing& packing, Optional& optional) {
  bool present = optional.has_value();
  packing(present);
  if constexpr (Packing::kUnpacks)
    if (present) optional.emplace();
  return present;
}

template <typename Packing, typename Use>
void pack_network(Packing& packing, Use& use) {
  if (pack_presence(packing, use.size)) pack_size(packing, *use.size);
  if (!pack_presence(packing, use.tiling)) return;
  auto& tiling = *use.tiling;
  pack_all(packing, tiling.columns, tiling.rows, tiling.overlap);
  pack_fit(packing, tiling.tile);
  pack_fit(packing, tiling.whole);
}

template <typename Packing, typename Maker>
void pack_maker(Packing& packing, Maker& maker) {
  pack_all(packing, maker.engine, maker.precision, maker.model_sha256, maker.encoder,
           maker.container, maker.time_base.num, maker.time_base.den, maker.extradata,
           maker.turned_faces, maker.look_ahead, maker.edits);
}

template <typename Packing, typename Track>
void pack_track(Packing& packing, Track& track) {
  pack_list(packing, track.boxes, [&](auto& box) {
    pack_all(packing, box.pts, box.box.x1, box.box.y1, box.box.x2, box.box.y2, box.state);
  });
  pack_all(packing, track.alone, track.best_score, track.hidden, track.found_class);
}

/// Tracks are packed in the order of their ids.
template <typename Packing, typename Collected>
void pack_tracks(Packing& packing, Collected& collected) {
  packing(collected.frames);
  const std::size_t tracks = packing.count(collected.tracks.size());
  if constexpr (Packing::kUnpacks) {
    for (std::size_t i = 0; i < tracks; ++i) {
      std::int64_t id = 0;
      packing(id);
      pack_track(packing, collected.tracks[id]);
    }
  } else {
    for (auto& [id, track] : collected.tracks) {
      packing(id);
      pack_track(packing, track);
    }
  }
}

template <typename Packing, typename Spans>
void pack_spans(Packing& packing, Spans& spans) {
  std::vector<TimeSpans::Span> list = spans.spans();
  pack_list(packing, list, [&](auto& span) { pack_all(packing, span.from_s, span.to_s); });
  if constexpr (Packing::kUnpacks)
    for (const TimeSpans::Span& span : list) spans.add(span);
}

template <typename Packing, typename Hidden>
void pack_hidden(Packing& packing, Hidden& hidden) {
  pack_all(packing, hidden.tracks_begun, hidden.counts.hidden, hidden.counts.kept,
           hidden.counts.suggested, hidden.counts.likely);
  pack_spans(packing, hidden.counts.likely_at);
  pack_tracks(packing, hidden.tracks);
  if (pack_presence(packing, hidden.next_pts)) packing(*hidden.next_pts);
}

template <typename Packing, typename Facts>
void pack_facts(Packing& packing, Facts& facts) {
  packing(facts.key);
  pack_maker(packing, facts.maker);
  pack_all(packing, facts.host, facts.device.kind, facts.device.index);
  pack_ledger(packing, facts.ledger);
  pack_all(packing, facts.frames, facts.lead, facts.candidates_ignored, facts.capacity);
  pack_network(packing, facts.network);
  pack_all(packing, facts.decoder, facts.early_end);
  pack_list(packing, facts.told, [&](auto& sentence) { packing(sentence); });
  packing(facts.clock_ns);
  if (pack_presence(packing, facts.hidden)) pack_hidden(packing, *facts.hidden);
}

std::string packed_packet(const AVPacket* packet) {
  Packer packer;
  packer(packet != nullptr);
  if (packet == nullptr) return packer.bytes();
  packer(packet->flags);
  video::pack_side_data(packer, packet->side_data, packet->side_data_elems);
  packer(video::text_of(video::data_of(*packet)));
  return packer.bytes();
}

/// Returns nullptr if the frame has no packet.
video::UniqueAVPacket unpacked_packet(Unpacker& unpacker) {
  bool present = false;
  unpacker(present);
  if (!present) return nullptr;
  video::UniqueAVPacket packet = video::new_av_packet();
  int flags = 0;
  unpacker(flags);
  video::unpack_side_data(
      unpacker, [&](const video::SideData& data) { video::add_side_data(*packet, data); });
  const std::string_view data = unpacker.take(unpacker.count(0));
  video::check_av(av_grow_packet(packet.get(), static_cast<int>(data.size())), ErrorKind::internal,
                  "a packet of a part");
  std::ranges::copy(data, packet->data);
  packet->flags = flags & video::kFlagsOfFiles;
  return packet;
}

// So many tracks can be added for each of the most parts.
constexpr std::int64_t kMostTracks = std::int64_t{1} << 40;

bool is_no_id(std::int64_t track) { return track < kNoTrack || track >= kMostTracks; }

/// Checks what a record of our own always has.
void check_record(const FrameRecord& record) {
  const Detections& faces = record.faces;
  const std::size_t count = faces.size();
  const auto fits = [count](std::size_t size) { return size == 0 || size == count; };
  const bool device =
      record.device.kind == DeviceKind::cpu || record.device.kind == DeviceKind::cuda;
  if (record.index < 0 || !device || faces.scores.size() != count ||
      !fits(faces.landmarks.size()) || !fits(faces.classes.size()) ||
      !fits(record.face_tracks.size()) || std::ranges::any_of(record.face_tracks, is_no_id))
    throw std::out_of_range("a record that facepipe doesn't write");
}

/// Checks what facts of our own always have.
void check_facts(const PartFacts& facts) {
  if (!facts.hidden) return;
  const HiddenPart& hidden = *facts.hidden;
  bool right =
      hidden.tracks_begun >= 0 && hidden.tracks_begun < kMostTracks && hidden.tracks.frames >= 0;
  for (const auto& [id, track] : hidden.tracks.tracks) {
    const auto is_no_box = [&](std::uint32_t index) { return index >= track.boxes.size(); };
    right = right && id >= 0 && !is_no_id(id) && !std::ranges::any_of(track.alone, is_no_box) &&
            std::ranges::all_of(track.boxes, [](const track::FileBox& box) {
              return box.state <= track::BoxState::filled;
            });
  }
  if (!right) throw std::out_of_range("facts that facepipe doesn't write");
}

std::int64_t clock_now_ns() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

}  // namespace

PartWriter::PartWriter(const std::filesystem::path& file)
    : file_(file, ExistingTarget::replace), clock_ns_(clock_now_ns()) {
  write(std::string(kForm));
}

void PartWriter::write(const std::string& bytes) {
  const auto all = std::as_bytes(std::span(bytes));
  hash_.add(all);
  if (const int code = file_.write(all); code != 0)
    throw_write_failure(file_.target().string(), code);
}

void PartWriter::write(const FinishedFrame& frame) {
  lead_ = std::max(lead_, frames_ - frame.encoded.record.index);
  ++frames_;
  Packer packer;
  pack_all(packer, frame.coded.pts, frame.coded.duration);
  pack_record(packer, frame.encoded.record, 0);
  const std::string packet = packed_packet(frame.encoded.packet.get());
  Packer length;
  length(static_cast<std::uint64_t>(packer.bytes().size() + packet.size()));
  write(length.bytes());
  write(packer.bytes());
  write(packet);
}

void PartWriter::finish(PartFacts facts, const std::string& damage) {
  facts.frames = frames_;
  facts.lead = lead_;
  facts.clock_ns = clock_ns_;
  const std::int64_t position = file_.size();
  Packer packer;
  pack_facts(packer, facts);
  packer(position);
  write(packer.bytes());
  const video::MurmurHash::Value hash = hash_.finish();
  if (const int code = file_.write(std::as_bytes(std::span(hash))); code != 0)
    throw_write_failure(file_.target().string(), code);
  if (OutputLock* const lock = file_.lock()) lock->ends_damaged(damage);
  file_.commit();
}

void PartReader::Close::operator()(std::FILE* file) const noexcept {
  static_cast<void>(std::fclose(file));
}

PartReader::PartReader(std::filesystem::path file)
    : name_(std::move(file)), file_(std::fopen(name_.c_str(), "rbe")) {
  if (!file_) {
    const Error error(ErrorKind::input, name_.string() + ": can't be opened: " +
                                            std::generic_category().message(errno));
    if (is_passing(errno)) throw PassingError(error);
    throw Error(error);
  }
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(name_, error));
  const auto least = static_cast<std::int64_t>(kForm.size()) + kEndBytes;
  if (error || size < least) refuse("is no complete part file");
  facts_end_ = size - kEndBytes;
  std::fseek(file_.get(), static_cast<long>(facts_end_), SEEK_SET);
  const std::string end_of_frames = read(sizeof frames_end_);
  Unpacker unpack_end(end_of_frames);
  unpack_end(frames_end_);
  if (frames_end_ < least - kEndBytes || frames_end_ > facts_end_ ||
      facts_end_ - frames_end_ > kMostFactsBytes)
    refuse("is no complete part file");
  std::fseek(file_.get(), static_cast<long>(frames_end_), SEEK_SET);
  const std::string facts = read(facts_end_ - frames_end_);
  std::rewind(file_.get());
  if (read(static_cast<std::int64_t>(kForm.size())) != kForm)
    refuse("is no part file of this form");
  try {
    Unpacker unpacker(facts);
    pack_facts(unpacker, facts_);
    check_facts(facts_);
  } catch (const std::out_of_range&) {
    refuse("is damaged");
  }
  static_cast<void>(hash_.finish());
  hash_.add(std::as_bytes(std::span(kForm)));
  position_ = static_cast<std::int64_t>(kForm.size());
  shift_ns_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(clock_now_ns()) -
                                        static_cast<std::uint64_t>(facts_.clock_ns));
}

void PartReader::refuse(const std::string& reason) const {
  throw Error(ErrorKind::input, name_.string() + ": " + reason);
}

/// Reads from the file's position, and hashes what it reads.
std::string PartReader::read(std::int64_t bytes) {
  std::string data(static_cast<std::size_t>(bytes), '\0');
  errno = 0;
  if (std::fread(data.data(), 1, data.size(), file_.get()) != data.size()) {
    const int code = errno;
    if (std::ferror(file_.get()) != 0 && is_passing(code))
      throw PassingError(ErrorKind::input, name_.string() + ": can't be read: " +
                                               std::generic_category().message(code));
    refuse("is no complete part file");
  }
  hash_.add(std::as_bytes(std::span(data)));
  position_ += bytes;
  return data;
}

std::optional<PartFrame> PartReader::next() {
  if (position_ >= frames_end_) {
    if (!std::exchange(ended_, true)) check_end();
    return std::nullopt;
  }
  constexpr std::int64_t kLengthBytes = 8;
  if (frames_end_ - position_ < kLengthBytes) refuse("is damaged");
  const std::string length_bytes = read(kLengthBytes);
  std::int64_t length = 0;
  std::memcpy(&length, length_bytes.data(), sizeof length);
  if (length < 0 || length > kMostFrameBytes || length > frames_end_ - position_)
    refuse("is damaged");
  const std::string bytes = read(length);
  PartFrame frame;
  try {
    Unpacker unpacker(bytes);
    pack_all(unpacker, frame.coded.pts, frame.coded.duration);
    pack_record(unpacker, frame.record, shift_ns_);
    check_record(frame.record);
    frame.packet = unpacked_packet(unpacker);
    if (!unpacker.empty()) refuse("is damaged");
  } catch (const std::out_of_range&) {
    refuse("is damaged");
  }
  ++frames_;
  return frame;
}

void PartReader::check_end() {
  static_cast<void>(read(facts_end_ + std::int64_t{sizeof frames_end_} - frames_end_));
  const video::MurmurHash::Value hash = hash_.finish();
  const std::string expected = read(std::ssize(hash));
  if (std::memcmp(expected.data(), hash.data(), hash.size()) != 0 || frames_ != facts_.frames)
    refuse("is damaged: its hash is wrong");
}

}  // namespace facepipe::pipeline
