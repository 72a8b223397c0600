// These tests check the exact text of the files that have a line for each frame.
#include "app/output/frame_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/output/text.h"
#include "tests/app/frames.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::at_ms;
using test::frame_record;
using test::read_file;
using test::TemporaryFolder;

std::string text_of(const FrameFormat& format, const std::string& name, const FrameRecord& record) {
  std::string text;
  format.append(text, {name, record, at_ms(0)});
  return text;
}

std::string number(float value) {
  std::string text;
  append_number(text, value);
  return text;
}

TEST(Text, NumbersAreShortAndReadBack) {
  EXPECT_EQ(number(0.3F), "0.3");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-12.5F), "-12.5");
  for (const float value : {1.0F / 3, 1234.5678F, 1e-30F, std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min()})
    EXPECT_EQ(std::stod(number(value)) == static_cast<double>(value) ||
                  std::strtof(number(value).c_str(), nullptr) == value,
              true);
  EXPECT_EQ(number(std::numeric_limits<float>::quiet_NaN()), "null");
  EXPECT_EQ(number(std::numeric_limits<float>::infinity()), "null");
}

TEST(Text, CsvFieldsAreQuotedByRfc4180) {
  EXPECT_EQ(csv_field("clip.mp4"), "clip.mp4");
  EXPECT_EQ(csv_field("my clip.mp4"), "my clip.mp4");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Text, CsvFieldsAreUtf8WhateverTheName) {
  EXPECT_EQ(csv_field("caf\xc3\xa9.mp4"), "caf\xc3\xa9.mp4");
  EXPECT_EQ(csv_field("caf\xe9.mp4"), "caf\xef\xbf\xbd.mp4");
  EXPECT_EQ(csv_field("\xff,\"\xc3"), "\"\xef\xbf\xbd,\"\"\xef\xbf\xbd\"");
}

TEST(Text, JsonStringsTakeAnyByte) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(json_string("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(json_string("bad\xff"), "\"bad\xef\xbf\xbd\"");
}

TEST(DetectionsFormat, JsonLineOfAFrame) {
  const FrameFormat format = detections_format("d.jsonl");
  EXPECT_EQ(format.lines.header, "");
  EXPECT_EQ(text_of(format, "clip.mp4", frame_record(3, 1)),
            R"({"file":"clip.mp4","frame":3,"pts_s":0.3,"width":640,"height":480,)"
            R"("faces":[{"box":[0.1,2,8.5,12],"score":0.75,)"
            R"("landmarks":[[1,3],[2,3],[3,4],[4,5],[5,5]]}]})"
            "\n");
  EXPECT_EQ(text_of(format, "clip.mp4", frame_record(0, 0)),
            R"({"file":"clip.mp4","frame":0,"pts_s":0,"width":640,"height":480,"faces":[]})"
            "\n");
}

/// Returns the text of a frame with two faces; the second one is of the class `its`.
std::string text_with_classes(const FrameFormat& format,
                              const std::vector<detector::FoundClass>& classes, std::uint16_t its) {
  FrameRecord record = frame_record(3, 2);
  record.faces.set_class_of_last(its);
  record.faces.landmarks.back() = kNoLandmarks;
  std::string text;
  format.append(text, {"clip.mp4", record, at_ms(0), false, classes});
  return text;
}

TEST(DetectionsFormat, TellsClassesAndModels) {
  const std::vector<detector::FoundClass> both{{"face", "centerface"},
                                               {"licence \"plate\"", "a,b"}};
  const auto json =
      nlohmann::json::parse(text_with_classes(detections_format("d.jsonl"), both, 1))["faces"];
  EXPECT_EQ(json[0]["class"], "face");
  EXPECT_EQ(json[0]["model"], "centerface");
  EXPECT_EQ(json[0]["landmarks"].size(), 5U);
  EXPECT_EQ(json[1]["class"], "licence \"plate\"");
  EXPECT_EQ(json[1]["model"], "a,b");
  EXPECT_EQ(json[1]["landmarks"], nullptr) << "a class without landmarks";
  const FrameFormat csv = detections_format("d.csv", {.track = false, .classes = true});
  EXPECT_THAT(csv.lines.header, testing::EndsWith(",right_mouth_y,class,model\n"));
  const std::string lines = text_with_classes(csv, both, 1);
  EXPECT_THAT(lines, testing::HasSubstr(",face,centerface\n"));
  EXPECT_THAT(lines, testing::EndsWith(",,,,,,,,,,\"licence \"\"plate\"\"\",\"a,b\"\n"));
}

TEST(DetectionsFormat, ClassesStandBehindTracks) {
  const FrameFormat csv =
      detections_format("d.csv", {.track = true, .tracked = true, .classes = true});
  EXPECT_THAT(csv.lines.header, testing::EndsWith(",track,tracked,class,model\n"));
  FrameRecord record = frame_record(0, 1);
  record.face_tracks = {7};
  std::string text;
  const std::vector<detector::FoundClass> plates{{"plate", ""}};
  csv.append(text, {"clip.mp4", record, at_ms(0), false, plates});
  EXPECT_THAT(text, testing::EndsWith(",7,0,plate,\n"));
}

TEST(DetectionsFormat, FacesOfOneModelTellNothing) {
  const std::vector<detector::FoundClass> faces{{"face", "centerface"}};
  FrameRecord record = frame_record(3, 1);
  std::string text;
  detections_format("d.jsonl").append(text, {"clip.mp4", record, at_ms(0), false, faces});
  EXPECT_EQ(text, text_of(detections_format("d.jsonl"), "clip.mp4", record));
  EXPECT_EQ(text.find("class"), std::string::npos);
}

TEST(DetectionsFormat, JsonReadsBackExactly) {
  FrameRecord record = frame_record(1, 3);
  record.pts_s = 1.0 / 30;
  record.faces.boxes[2] = {1.0F / 3, 2.0F / 3, 1234.567F, 1e-3F};
  const auto json =
      nlohmann::json::parse(text_of(detections_format("d.jsonl"), "say \"hi\",\n\xff.mp4", record));
  EXPECT_EQ(json["file"], "say \"hi\",\n\xef\xbf\xbd.mp4");
  EXPECT_EQ(json["pts_s"].get<double>(), 1.0 / 30);
  ASSERT_EQ(json["faces"].size(), 3U);
  const auto& box = json["faces"][2]["box"];
  EXPECT_EQ(box[0].get<float>(), 1.0F / 3);
  EXPECT_EQ(box[1].get<float>(), 2.0F / 3);
  EXPECT_EQ(box[2].get<float>(), 1234.567F);
  EXPECT_EQ(box[3].get<float>(), 1e-3F);
}

TEST(DetectionsFormat, CsvHasALineAFace) {
  const FrameFormat format = detections_format("d.csv");
  EXPECT_EQ(format.lines.header,
            "file,frame,pts_s,width,height,x1,y1,x2,y2,score,left_eye_x,left_eye_y,right_eye_x,"
            "right_eye_y,nose_x,nose_y,left_mouth_x,left_mouth_y,right_mouth_x,right_mouth_y\n");
  EXPECT_EQ(text_of(format, "a,b.mp4", frame_record(3, 2)),
            "\"a,b.mp4\",3,0.3,640,480,0.1,2,8.5,12,0.75,1,3,2,3,3,4,4,5,5,5\n"
            "\"a,b.mp4\",3,0.3,640,480,10.1,2,18.5,12,0.75,11,3,12,3,13,4,14,5,15,5\n");
  EXPECT_EQ(text_of(format, "clip.mp4", frame_record(0, 0)), "");
}

TEST(DetectionsFormat, FacesWithoutLandmarks) {
  FrameRecord record = frame_record(3, 2);
  record.faces.landmarks.clear();
  EXPECT_EQ(
      text_of(detections_format("d.jsonl"), "clip.mp4", record),
      R"({"file":"clip.mp4","frame":3,"pts_s":0.3,"width":640,"height":480,)"
      R"("faces":[{"box":[0.1,2,8.5,12],"score":0.75,"landmarks":null},{"box":[10.1,2,18.5,12],"score":0.75,"landmarks":null}]})"
      "\n");
  EXPECT_EQ(text_of(detections_format("d.csv"), "clip.mp4", record),
            "clip.mp4,3,0.3,640,480,0.1,2,8.5,12,0.75,,,,,,,,,,\n"
            "clip.mp4,3,0.3,640,480,10.1,2,18.5,12,0.75,,,,,,,,,,\n");
}

TEST(DetectionsFormat, FacesThatAreTrackedHaveTheirTrack) {
  FrameRecord record = frame_record(3, 2);
  record.faces.landmarks.clear();
  record.face_tracks = {7, 12};
  EXPECT_EQ(text_of(detections_format("d.jsonl", {.track = true}), "clip.mp4", record),
            R"({"file":"clip.mp4","frame":3,"pts_s":0.3,"width":640,"height":480,)"
            R"("faces":[{"box":[0.1,2,8.5,12],"score":0.75,"track":7,"landmarks":null},)"
            R"({"box":[10.1,2,18.5,12],"score":0.75,"track":12,"landmarks":null}]})"
            "\n");
  const FrameFormat csv = detections_format("d.csv", {.track = true});
  EXPECT_THAT(csv.lines.header, testing::EndsWith(",right_mouth_y,track\n"));
  EXPECT_EQ(text_of(csv, "clip.mp4", record),
            "clip.mp4,3,0.3,640,480,0.1,2,8.5,12,0.75,,,,,,,,,,,7\n"
            "clip.mp4,3,0.3,640,480,10.1,2,18.5,12,0.75,,,,,,,,,,,12\n");
}

TEST(DetectionsFormat, FacesOfFramesThatWereNotSearchedAreTracked) {
  FrameRecord record = frame_record(3, 1);
  record.faces.landmarks.clear();
  record.face_tracks = {7};
  const FrameFormat csv = detections_format("d.csv", {.tracked = true});
  const FrameFormat both = detections_format("d.csv", {.track = true, .tracked = true});
  EXPECT_THAT(csv.lines.header, testing::EndsWith(",right_mouth_y,tracked\n"));
  EXPECT_THAT(both.lines.header, testing::EndsWith(",right_mouth_y,track,tracked\n"));
  EXPECT_THAT(text_of(csv, "clip.mp4", record), testing::EndsWith(",0.75,,,,,,,,,,,0\n"));
  EXPECT_THAT(text_of(both, "clip.mp4", record), testing::EndsWith(",0.75,,,,,,,,,,,7,0\n"));
  record.searched = false;
  EXPECT_THAT(text_of(csv, "clip.mp4", record), testing::EndsWith(",0.75,,,,,,,,,,,1\n"));
  EXPECT_THAT(text_of(both, "clip.mp4", record), testing::EndsWith(",0.75,,,,,,,,,,,7,1\n"));
  EXPECT_THAT(text_of(detections_format("d.jsonl"), "clip.mp4", record),
              testing::HasSubstr(R"("score":0.75,"track":7,"tracked":true,"landmarks":null}])"));
}

TEST(DetectionsFormat, AFaceWithoutATrackHasNone) {
  FrameRecord record = frame_record(3, 1);
  record.faces.landmarks.clear();
  record.face_tracks = {kNoTrack};
  EXPECT_THAT(text_of(detections_format("d.jsonl", {.track = true}), "clip.mp4", record),
              testing::HasSubstr(R"("score":0.75,"landmarks":null}])"));
  EXPECT_THAT(text_of(detections_format("d.csv", {.track = true}), "clip.mp4", record),
              testing::EndsWith(",0.75,,,,,,,,,,,\n"));
}

TEST(LatencyFormat, HasBeginAndEndOfEachStage) {
  const FrameFormat format = latency_format();
  EXPECT_EQ(
      format.lines.header,
      "file,frame,pts_s,read_begin_ms,read_end_ms,decode_begin_ms,decode_end_ms,"
      "preprocess_begin_ms,preprocess_end_ms,inference_begin_ms,inference_end_ms,"
      "nms_begin_ms,nms_end_ms,overlay_begin_ms,overlay_end_ms,encode_begin_ms,"
      "encode_end_ms,mux_begin_ms,mux_end_ms,total_ms,latency_ms,candidates,faces,lane,device,"
      "order_wait_ms\n");
  EXPECT_EQ(text_of(format, "clip.mp4", frame_record(1, 2)),
            "clip.mp4,1,0.1,100,100.5,101,101.5,102,102.5,103,103.5,104,104.5,105,105.5,106,106.5,"
            "107,107.5,7.5,4.5,6,2,0,cpu,0\n");
}

TEST(LatencyFormat, StagesThatDidNotRunAreEmpty) {
  FrameRecord record = frame_record(0, 0);
  for (const StageId stage : {StageId::overlay, StageId::encode, StageId::mux})
    record.times[stage] = {};
  EXPECT_EQ(text_of(latency_format(), "c", record),
            "c,0,0,0,0.5,1,1.5,2,2.5,3,3.5,4,4.5,,,,,,,4.5,3,0,0,0,cpu,0\n");
}

class FrameFileTest : public testing::Test {
 protected:
  void write(FrameFile& file, const std::string& name, std::int64_t index) {
    file.write({name, frame_record(index, 1), at_ms(0), false});
  }

  TemporaryFolder dir_;
};

TEST_F(FrameFileTest, HoldsOnlyInputsThatWereKept) {
  FrameFile file(dir_ / "d.csv", detections_format("d.csv"), ExistingOutput::refuse, {});
  write(file, "good.mp4", 0);
  file.keep("good.mp4");
  write(file, "bad.mp4", 0);
  write(file, "bad.mp4", 1);
  file.forget();
  write(file, "good2.mp4", 7);
  file.keep("good2.mp4");
  file.commit(false);
  const std::string text = read_file(dir_ / "d.csv");
  EXPECT_THAT(text, testing::StartsWith("file,frame"));
  EXPECT_THAT(text, testing::HasSubstr("\ngood.mp4,0,"));
  EXPECT_THAT(text, testing::HasSubstr("\ngood2.mp4,7,"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("bad.mp4")));
}

TEST_F(FrameFileTest, IsNamedPartialWhereItIs) {
  FrameFile file(dir_ / "d.jsonl", detections_format("d.jsonl"), ExistingOutput::refuse, {});
  write(file, "clip.mp4", 0);
  file.keep_unfinished("clip.mp4");
  file.commit(true);
  EXPECT_EQ(file.committed(), dir_ / "d.partial.jsonl");
  EXPECT_THAT(read_file(dir_ / "d.partial.jsonl"), testing::HasSubstr("clip.mp4"));
}

}  // namespace
}  // namespace facepipe::app
