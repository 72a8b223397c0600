#include "pipeline/parts/searched_frames.h"

#include <string>
#include <utility>

#include "core/add_once.h"
#include "core/error.h"

namespace facepipe::pipeline {
namespace {

[[noreturn]] void refuse_search(const SearchedPart& part, const std::string& reason) {
  throw Error(ErrorKind::input, part.file.string() + ": " + reason);
}

void check_key(const SearchedPart& part, const PartReader& reader) {
  if (reader.facts().key != part.key) refuse_search(part, "belongs to another plan");
}

/// Throws unless the search was made as the faces are followed.
void check_search(const SearchedPart& part, const PartFacts& facts, const PartMaker& maker) {
  const PartMaker& its = facts.maker;
  if (its.engine != maker.engine || its.precision != maker.precision)
    refuse_search(part, "was searched with " + its.engine + " " + its.precision + " on " +
                            facts.host + ", but its faces are followed with " + maker.engine + " " +
                            maker.precision +
                            "; --device, --engine and --precision make them alike");
  if (its.model_sha256 != maker.model_sha256)
    refuse_search(part, "was searched with another model than the faces are followed with");
  if (its.turned_faces != maker.turned_faces)
    refuse_search(part, "looked for turned faces in another way than this job");
}

}  // namespace

FrameRecord SearchedFrames::next(const video::Timing& coded) {
  while (left_ == 0) begin_part();
  std::optional<PartFrame> frame = reader_->next();
  if (!frame) refuse_search(parts_[part_], "is damaged");
  if (frame->coded.pts != coded.pts)
    refuse_search(parts_[part_],
                  "has searched other frames than those that are decoded now; hide "
                  "the video as a whole");
  if (--left_ == 0) end_part();
  return std::move(frame->record);
}

void SearchedFrames::begin_part() {
  if (part_ == parts_.size())
    refuse_search(parts_.back(),
                  "has searched fewer frames than are decoded now; hide the video "
                  "as a whole");
  reader_.emplace(parts_[part_].file);
  check_key(parts_[part_], *reader_);
  left_ = reader_->facts().frames;
  if (left_ == 0) end_part();
}

void SearchedFrames::end_part() {
  if (reader_->next()) refuse_search(parts_[part_], "is damaged");  // this call checks the hash
  reader_.reset();
  ++part_;
}

PartFacts facts_of_search(const std::vector<SearchedPart>& parts, const PartMaker& maker) {
  PartFacts all;
  for (const SearchedPart& part : parts) {
    const PartReader reader(part.file);
    check_key(part, reader);
    const PartFacts& facts = reader.facts();
    check_search(part, facts, maker);
    all.frames += facts.frames;
    all.candidates_ignored += facts.candidates_ignored;
    all.capacity = facts.capacity;
    all.network = facts.network;
    for (const std::string& sentence : facts.told) add_once(all.told, sentence);
  }
  return all;
}

}  // namespace facepipe::pipeline
