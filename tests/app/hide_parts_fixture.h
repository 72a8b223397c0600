// Hides faces in parts with the real program, and compares the result with what hide makes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/app/parts_fixture.h"
#include "tests/app/program.h"
#include "tests/support/clips.h"

namespace facepipe::test {

/// With this encoder, the packets of a picture don't depend on other pictures.
inline const Arguments kMjpeg{"--codec", "mjpeg", "--format", "matroska"};
inline const Arguments kSmall = joined(kQuick, kMjpeg);
/// Without a size for the detector, weak detections are looked at again.
inline const Arguments kWithSecondLooks =
    joined({"--device", "cpu", "--precision", "f32", "--threads", "2", "-q"}, kMjpeg);

/// Makes a clip with sound. It can be cut before each 48th frame.
/// @param scene  frames of a scene; the next scene shows another part of the photo, and is brighter
///               or darker
/// @param rate   frames a second
inline void make_scenes(const std::filesystem::path& clip, int frames, int scene, int rate = 25) {
  const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
  const std::string number = "floor(n/" + std::to_string(scene) + ")";
  const std::string x = "mod(" + number + "*170\\,480)+mod(n\\," + std::to_string(scene) + ")/2";
  const std::string y = "mod(" + number + "*90\\,300)";
  ffmpeg("-loop 1 -r " + std::to_string(rate) + " -i " + photo + " -f lavfi -i sine -t " +
             std::to_string(static_cast<double>(frames) / rate) + " -vf crop=320:192:" + x + ":" +
             y + ",eq=eval=frame:brightness=0.3*mod(" + number +
             "\\,2),format=yuv420p -c:v libx264 -preset veryfast -threads 1 -bf 3 " +
             "-x264-params keyint=48:min-keyint=48:scenecut=0:open-gop=1 -c:a aac",
         clip);
}

/// A plan of split hide, and the folder of the parts.
class HidePartsTest : public PartsTest {
 protected:
  [[nodiscard]] nlohmann::json planned() const { return nlohmann::json::parse(read_file(plan())); }
  /// Returns how many frames behind its cut each part but the first begins.
  [[nodiscard]] std::vector<int> begins() const {
    std::vector<int> all;
    const nlohmann::json plan = planned();
    for (const nlohmann::json& part : plan["parts"])
      if (part.contains("next")) all.push_back(part["next"]["frames"]);
    return all;
  }
  void split_hide(const std::filesystem::path& input, int parts, const Arguments& options) const {
    static_cast<void>(split("hide", input, parts, options));
  }
  void make_all(int exit_code = 0) const {
    std::vector<int> numbers(planned()["parts"].size());
    std::iota(numbers.rbegin(), numbers.rend(), 1);  // the last part first
    make(numbers, exit_code);
  }
  /// Hides the faces as a whole, and joins the parts. Expects the same of both.
  /// @param facts  outputs besides the video that both can write
  void expect_as_a_whole(const std::filesystem::path& input, const Arguments& options,
                         int exit_code = 0,
                         const std::vector<std::string>& facts = {"detections", "tracks"}) const {
    const auto outputs = [&](const std::string& name) {
      Arguments words{"--report", dir_ / (name + ".json")};
      for (const std::string& fact : facts)
        words =
            joined(words, {fact == "tracks" ? "--write-tracks" : "--detections",
                           dir_ / (name + '_' + fact + (fact == "tracks" ? ".json" : ".jsonl"))});
      return words;
    };
    const CommandResult whole = run_program(
        joined(joined({"hide", input, "-o", dir_ / "whole.mkv", "--overwrite"}, options),
               outputs("whole")));
    ASSERT_EQ(whole.exit_code, exit_code) << whole.err;
    const CommandResult made = join("joined.mkv", joined(outputs("joined"), {"--overwrite"}));
    ASSERT_EQ(made.exit_code, exit_code) << made.err;
    EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "whole.mkv"));
    for (const std::string& fact : facts) {
      const std::string file = '_' + fact + (fact == "tracks" ? ".json" : ".jsonl");
      EXPECT_EQ(read_file(dir_ / ("joined" + file)), read_file(dir_ / ("whole" + file)));
    }
    const nlohmann::json of_whole = entry_of(dir_ / "whole.json");
    const nlohmann::json of_joined = entry_of(dir_ / "joined.json");
    for (const char* const fact : {"status", "frames", "faces", "tracks", "size"})
      EXPECT_EQ(of_joined[fact], of_whole[fact]) << fact;
  }
  /// Makes and joins the parts. Expects what `hide --parts` makes, byte for byte.
  void expect_as_hide_in_parts(const std::filesystem::path& input, int parts,
                               const Arguments& options) const {
    split_hide(input, parts, options);
    make_all();
    ASSERT_EQ(join("joined.mp4", {"--write-tracks", dir_ / "joined.json"}).exit_code, 0);
    const CommandResult whole =
        run_program(joined({"hide", input, "-o", dir_ / "parts.mp4", "--parts",
                            std::to_string(parts), "--write-tracks", dir_ / "parts.json"},
                           options));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_EQ(read_file(dir_ / "joined.mp4"), read_file(dir_ / "parts.mp4"));
    EXPECT_EQ(read_file(dir_ / "joined.json"), read_file(dir_ / "parts.json"));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "parts.mp4.parts")) << "the part files are removed";
  }
};

}  // namespace facepipe::test
