#include "app/output/frame_file.h"

#include <spdlog/spdlog.h>

#include <array>
#include <utility>

#include "app/output/text.h"

namespace facepipe::app {
namespace {

constexpr std::size_t kLandmarks = std::tuple_size_v<Landmarks>;

/// Appends numbers, each after a comma.
template <typename... T>
void append_fields(std::string& to, T... values) {
  ((to += ',', append_number(to, values)), ...);
}

void append_leading_fields(std::string& to, const NamedFrame& frame) {
  to += csv_field(frame.name);
  to += ',' + std::to_string(frame.record.index);
  append_fields(to, frame.record.pts_s);
}

/// Appends the fields of a face, without the end of the line.
void append_csv_face(std::string& to, const NamedFrame& frame, std::size_t i) {
  const Detections& faces = frame.record.faces;
  append_leading_fields(to, frame);
  to += ',' + std::to_string(frame.record.size.width);
  to += ',' + std::to_string(frame.record.size.height);
  const Box& box = faces.boxes[i];
  append_fields(to, box.x1, box.y1, box.x2, box.y2, faces.scores[i]);
  if (faces.has_landmarks(i))
    for (const Point& point : faces.landmarks[i]) append_fields(to, point.x, point.y);
  else
    to.append(2 * kLandmarks, ',');
}

detector::FoundClass class_of(const NamedFrame& frame, std::size_t i) {
  const std::size_t number = frame.record.faces.class_of(i);
  return number < frame.classes.size() ? frame.classes[number] : detector::FoundClass{};
}

// The columns that some files have, as bits of a number.
constexpr std::size_t kTrack = 1;
constexpr std::size_t kTracked = 2;
constexpr std::size_t kClasses = 4;
constexpr std::size_t kChoices = 8;

template <std::size_t columns>
void append_csv_faces(std::string& to, const NamedFrame& frame) {
  for (std::size_t i = 0; i < frame.record.faces.size(); ++i) {
    append_csv_face(to, frame, i);
    if constexpr ((columns & kTrack) != 0) {
      const std::int64_t track = frame.record.face_tracks.at(i);
      to += ',' + (track == kNoTrack ? std::string() : std::to_string(track));
    }
    if constexpr ((columns & kTracked) != 0) to += frame.record.searched ? ",0" : ",1";
    if constexpr ((columns & kClasses) != 0) {
      const detector::FoundClass found = class_of(frame, i);
      to += ',' + csv_field(found.name) + ',' + csv_field(found.model);
    }
    to += '\n';
  }
}

/// Returns the function for FrameFormat::append that writes these columns.
auto csv_faces(FaceColumns columns) {
  constexpr auto kFunctions = []<std::size_t... all>(std::index_sequence<all...>) {
    return std::array{&append_csv_faces<all>...};
  }(std::make_index_sequence<kChoices>());
  return kFunctions.at((columns.track ? kTrack : 0) + (columns.tracked ? kTracked : 0) +
                       (columns.classes ? kClasses : 0));
}

void append_json_point(std::string& to, const Point& point) {
  to += '[';
  append_number(to, point.x);
  append_fields(to, point.y);
  to += ']';
}

void append_json_landmarks(std::string& to, const Landmarks& points) {
  to += R"(,"landmarks":)";
  char before = '[';
  for (const Point& point : points) {
    to += before;
    append_json_point(to, point);
    before = ',';
  }
  to += ']';
}

void append_json_face(std::string& to, const NamedFrame& frame, std::size_t i) {
  const FrameRecord& record = frame.record;
  const Detections& faces = record.faces;
  const Box& box = faces.boxes[i];
  to += R"({"box":[)";
  append_number(to, box.x1);
  append_fields(to, box.y1, box.x2, box.y2);
  to += R"(],"score":)";
  append_number(to, faces.scores[i]);
  if (has_known_classes(frame.classes)) {
    const detector::FoundClass found = class_of(frame, i);
    to += R"(,"class":)" + json_string(found.name);
    to += R"(,"model":)" + (found.model.empty() ? "null" : json_string(found.model));
  }
  const std::int64_t track = record.face_tracks.empty() ? kNoTrack : record.face_tracks.at(i);
  if (track != kNoTrack) to += R"(,"track":)" + std::to_string(track);
  if (!record.searched) to += R"(,"tracked":true)";
  if (faces.has_landmarks(i))
    append_json_landmarks(to, faces.landmarks[i]);
  else
    to += R"(,"landmarks":null)";
  to += '}';
}

void append_json_frame(std::string& to, const NamedFrame& frame) {
  const FrameRecord& record = frame.record;
  to += R"({"file":)" + json_string(frame.name);
  to += R"(,"frame":)" + std::to_string(record.index);
  to += R"(,"pts_s":)";
  append_number(to, record.pts_s);
  to += R"(,"width":)" + std::to_string(record.size.width);
  to += R"(,"height":)" + std::to_string(record.size.height);
  to += R"(,"faces":[)";
  for (std::size_t i = 0; i < record.faces.size(); ++i) {
    if (i > 0) to += ',';
    append_json_face(to, frame, i);
  }
  to += "]}\n";
}

void append_latency(std::string& to, const NamedFrame& frame) {
  append_leading_fields(to, frame);
  for (const Interval& stage : frame.record.times.stages) {
    if (stage.ran())
      append_fields(to, in_milliseconds(stage.begin - frame.start),
                    in_milliseconds(stage.end - frame.start));
    else
      to += ",,";
  }
  append_fields(to, frame.record.times.total_ms(), frame.record.times.latency_ms());
  to += ',' + std::to_string(frame.record.candidates);
  to += ',' + std::to_string(frame.record.face_count);
  to += ',' + std::to_string(frame.record.lane) + ',' + to_string(frame.record.device);
  append_fields(to, frame.record.order_wait_ms);
  to += '\n';
}

std::string csv_faces_header(FaceColumns columns) {
  std::string header = "file,frame,pts_s,width,height,x1,y1,x2,y2,score";
  for (std::string_view point : {"left_eye", "right_eye", "nose", "left_mouth", "right_mouth"})
    for (std::string_view axis : {"_x", "_y"}) header.append(",").append(point).append(axis);
  if (columns.track) header += ",track";
  if (columns.tracked) header += ",tracked";
  if (columns.classes) header += ",class,model";
  return header + '\n';
}

std::string latency_header() {
  std::string header = "file,frame,pts_s";
  for (std::size_t i = 0; i < kStageCount; ++i)
    for (std::string_view edge : {"_begin_ms", "_end_ms"})
      header.append(",").append(to_string(static_cast<StageId>(i))).append(edge);
  return header + ",total_ms,latency_ms,candidates,faces,lane,device,order_wait_ms\n";
}

}  // namespace

FrameFormat detections_format(const std::filesystem::path& path, FaceColumns columns) {
  if (path.extension() == ".csv")
    return {{csv_faces_header(columns), input_of_csv}, csv_faces(columns), csv_field, true};
  return {{{}, input_of_json}, append_json_frame, json_string};
}

FrameFormat latency_format() {
  return {{latency_header(), input_of_csv}, append_latency, csv_field};
}

FrameFile::FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
                     const std::stop_token& stop)
    : path_(path), format_(std::move(format)), lines_(path, format_.lines, existing, stop) {}

template <typename Work>
void FrameFile::unless_given_up(bool whole_input, const Work& work) {
  if (failure_) return;
  failure_ = attempt(path_.string(), work);
  if (!failure_) return;
  spdlog::error("{}; the run writes no more lines to it", failure_->message);
  static_cast<void>(attempt(path_.string(), [&] { lines_.give_up(whole_input); }));
}

void FrameFile::write(const NamedFrame& frame) {
  unless_given_up(frame.of_several, [&] {
    line_.clear();
    format_.append(line_, frame);
    lines_.write(line_);
  });
}

void FrameFile::spool(LineSpool& to, const NamedFrame& frame) const {
  std::string line;
  format_.append(line, frame);
  to.append(line);
}

void FrameFile::write_all(const LineSpool& lines) {
  unless_given_up(true, [&] { lines.give([this](std::string_view part) { lines_.write(part); }); });
}

void FrameFile::keep(const std::string& name) {
  unless_given_up(true, [&] { lines_.keep(format_.field(name)); });
}

void FrameFile::keep_unfinished(const std::string& name) {
  unless_given_up(false, [&] { lines_.keep_unfinished(format_.field(name)); });
}

void FrameFile::forget() {
  unless_given_up(true, [&] { lines_.forget(); });
}

void FrameFile::take(const std::string& name) {
  unless_given_up(true, [&] { lines_.take(format_.field(name)); });
}

void FrameFile::commit(bool partial) {
  if ((partial || failure_) && !lines_.any()) return;
  if (partial || failure_) {
    committed_ = lines_.keep_partial();
    return;
  }
  lines_.commit();
  committed_ = path_;
}

}  // namespace facepipe::app
