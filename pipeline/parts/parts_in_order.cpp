#include "pipeline/parts/parts_in_order.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"

namespace facepipe::pipeline {
namespace {

[[noreturn]] void refuse_part(const JoinedPart& part, const std::string& reason) {
  throw Error(ErrorKind::input, part.file.string() + ": " + reason);
}

std::string engine_of(const PartMaker& maker) { return maker.engine + " " + maker.precision; }

/// Throws if the part was found or encoded in another way than the first part.
void check_alike(const JoinedPart& part, const PartFacts& facts, const PartFacts& first) {
  const PartMaker& its = facts.maker;
  const PartMaker& other = first.maker;
  if (its.engine != other.engine || its.precision != other.precision)
    refuse_part(part, "was made with " + engine_of(its) + " on " + facts.host +
                          ", but the first part with " + engine_of(other) + " on " + first.host +
                          "; --engine and --precision make all parts alike");
  if (its.model_sha256 != other.model_sha256)
    refuse_part(part, "was made with another model than the first part");
  if (its.turned_faces != other.turned_faces)
    refuse_part(part, "looked for turned faces in another way than the first part");
  if (its.look_ahead != other.look_ahead)
    refuse_part(part,
                "was made with another look-ahead than the first part; --lookahead-memory "
                "makes all parts alike");
  if (its.edits != other.edits)
    refuse_part(part, "was made with another edit file than the first part");
  if (facts.device.kind != first.device.kind)
    refuse_part(part, "was made on " + to_string(facts.device) + ", but the first part on " +
                          to_string(first.device) + "; --device makes all parts alike");
}

/// Throws if the part doesn't have the packets that `maker` makes.
void check_encoder(const JoinedPart& part, const PartMaker& its, const PartMaker& maker) {
  if (its.encoder != maker.encoder)
    refuse_part(part, "was encoded by \"" + its.encoder + "\" instead of \"" + maker.encoder + '"');
  if (its.container != maker.container)
    refuse_part(part,
                "was encoded for " + its.container + ", but the output is " + maker.container);
  if (its.time_base != maker.time_base || its.extradata != maker.extradata)
    refuse_part(
        part,
        "was encoded in another way: by another version of the encoder, or for another input");
}

/// Throws unless the part has hidden what it must, up to the right frame.
/// @param last  no part is behind it
void check_hidden(const JoinedPart& part, const PartFacts& facts,
                  const std::optional<HideJob>& hide, bool last) {
  if (facts.hidden.has_value() != hide.has_value())
    refuse_part(part, hide ? "has no hidden faces" : "has hidden faces, but boxes are drawn");
  if (!hide) return;
  if (hide->known && facts.maker.edits != hide->known->sha256)
    refuse_part(part, "was made with another edit file: " + hide->known->name + " has changed");
  const bool needs_scene = !hide->known && !last;
  if (facts.hidden->next_pts.has_value() != needs_scene)
    refuse_part(part, "doesn't end where a scene begins");
}

}  // namespace

PartsInOrder::PartsInOrder(const JoinJob& job, const std::optional<HideJob>& hide,
                           const video::Demuxer& demuxer, const video::Encoder* encoder,
                           const PartMaker& maker, video::Notices& notices)
    : job_(job), numbers_(demuxer, nullptr, notices) {
  read_facts(hide, encoder, maker);
  if (encoder == nullptr) return;
  clock_.emplace(encoder->time_base(), notices);
  const std::int64_t lead = std::ranges::max_element(facts_, {}, &PartFacts::lead)->lead;
  const AVRational frame_time = av_inv_q(video::to_av(demuxer.frame_rate()));
  decoding_.emplace(static_cast<int>(lead),
                    std::max<std::int64_t>(1, av_rescale_q(1, frame_time, encoder->time_base())));
}

void PartsInOrder::read_facts(const std::optional<HideJob>& hide, const video::Encoder* encoder,
                              const PartMaker& maker) {
  constexpr std::int64_t kMostLead = 1024;
  for (const JoinedPart& part : job_.parts) {
    PartFacts facts = PartReader(part.file).facts();
    if (facts.key != part.key) refuse_part(part, "belongs to another plan");
    if (facts.lead < 0 || facts.lead > kMostLead) refuse_part(part, "is damaged");
    if (!facts_.empty()) check_alike(part, facts, facts_.front());
    check_encoder(part, facts.maker, encoder != nullptr ? maker : PartMaker{});
    check_hidden(part, facts, hide, &part == &job_.parts.back());
    if (hide && !hide->wants_tracks) facts.hidden->tracks = {};  // they take memory
    facts_.push_back(std::move(facts));
  }
}

void PartsInOrder::refuse(const std::string& reason) const {
  refuse_part(job_.parts.at(part_), reason);
}

std::optional<JoinedFrame> PartsInOrder::next() {
  while (!front_is_known())
    if (!read_frame()) return std::nullopt;
  return take_front();
}

bool PartsInOrder::front_is_known() const {
  return !waiting_.empty() && std::cmp_less(waiting_.front().record.index, places_.size());
}

/// Reads a frame. In a part file, frames have the timings of the frames in presentation order.
/// Returns false after the last part.
bool PartsInOrder::read_frame() {
  while (part_ < job_.parts.size()) {
    if (!reader_) reader_.emplace(job_.parts[part_].file);
    if (std::optional<PartFrame> frame = reader_->next()) {
      if (places_.empty() && begin_pts_ && frame->coded.pts != *begin_pts_)
        refuse("doesn't begin with the frame with which the part before ends");
      Place place{numbers_.next(frame->coded)};
      if (clock_) {
        place.stamp = clock_->next_stamp(place.stamped);
        decoding_->sent(place.stamp);
      }
      places_.push_back(std::move(place));
      waiting_.push_back(std::move(*frame));
      return true;
    }
    end_part();
  }
  return false;
}

void PartsInOrder::end_part() {
  if (!waiting_.empty()) refuse("is damaged: a frame has an impossible number");
  begin_pts_.reset();
  if (const auto& hidden = facts_[part_].hidden) {
    tracks_before_ += hidden->tracks_begun;
    begin_pts_ = hidden->next_pts;
  }
  places_.clear();
  reader_.reset();
  ++part_;
}

/// Throws if the part has taken another time for the frame's. Then it may have hidden too little.
void PartsInOrder::check_place(const PartFrame& frame, const Frame& stamped) const {
  if (!facts_[part_].hidden || frame.record.pts_s == stamped.seconds()) return;
  refuse("has other time stamps than the whole video, whose stamps don't rise; hide it as a whole");
}

JoinedFrame PartsInOrder::take_front() {
  PartFrame front = std::move(waiting_.front());
  waiting_.pop_front();
  Place& place = places_[static_cast<std::size_t>(front.record.index)];
  if (std::exchange(place.taken, true)) refuse("is damaged: two frames have the same number");
  if ((front.packet != nullptr) != clock_.has_value())
    refuse(front.packet ? "has a video, but none is written" : "has no video");
  check_place(front, place.stamped);
  for (std::int64_t& track : front.record.face_tracks)
    if (track != kNoTrack) track += tracks_before_;
  front.record.index = place.stamped.index;
  front.record.pts_s = place.stamped.seconds();
  if (front.packet) {
    front.packet->pts = place.stamp;
    front.packet->dts = decoding_->next();
    front.packet->duration = clock_->duration_of(place.stamped);
  }
  return {{std::move(front.packet), std::move(front.record)}, place.stamped.pts};
}

}  // namespace facepipe::pipeline
