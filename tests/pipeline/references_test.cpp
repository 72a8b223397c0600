// These tests check inputs that name other files. A job must not read such files unless the user
// allows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kSecretFrames = 10;

/// Makes a folder with somebody's media files. The tests' inputs refer to these files.
class References : public testing::Test {
 protected:
  References() {
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=1 -c:v libx264", folder_ / "secret.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=1 -c:v libx264", folder_ / "secret.ts");
  }

  /// Returns the message with which a run on `input` is refused, or "" if it isn't refused.
  [[nodiscard]] static std::string refusal(const std::string& input) {
    try {
      (void)run_fake_job(lossless_job(input, {}));
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
  }
  [[nodiscard]] static std::int64_t frames_where_allowed(const std::string& input) {
    pipeline::JobOptions options = lossless_job(input, {});
    options.input.allow_references = true;
    return run_fake_job(options).result.ledger.decoded;
  }

  const TemporaryFolder folder_;
};

std::string hls_of(const std::string& segment) {
  return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + segment +
         "\n#EXT-X-ENDLIST\n";
}

std::string dash_of(const std::string& file) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"
     profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
 <Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1000" width="128"
   height="96" codecs="avc1.64000a"><BaseURL>)" +
         file + R"(</BaseURL></Representation></AdaptationSet></Period>
</MPD>
)";
}

constexpr const char* kRemedy = "is a playlist that names other files; --allow-references opens it";

TEST_F(References, OfAnHlsPlaylistAreOpenedOnlyWhereAllowed) {
  const std::string list = folder_.write("list.m3u8", hls_of("secret.ts"));
  EXPECT_THAT(refusal(list), AllOf(HasSubstr("list.m3u8"), HasSubstr(kRemedy)));
  EXPECT_EQ(frames_where_allowed(list), kSecretFrames);
}

TEST_F(References, OfAnHlsPlaylistNamedAsVideoAreNotOpened) {
  const std::string list = folder_.write("x.mp4", hls_of("secret.ts"));
  EXPECT_NE(refusal(list), "");
  EXPECT_NE(refusal("file://" + list), "");
  EXPECT_NE(refusal("cache:file://" + list), "");
}

TEST_F(References, OfAPlaylistOfPlaylistsAreNotOpened) {
  folder_.write("inner.m3u8", hls_of("secret.ts"));
  const std::string outer = folder_.write(
      "outer.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=128x96\ninner.m3u8\n");
  EXPECT_THAT(refusal(outer), HasSubstr(kRemedy));
}

TEST_F(References, OfADashManifestAreNotOpened) {
  const std::string manifest = folder_.write("x.mp4", dash_of("secret.mp4"));
  EXPECT_THAT(refusal(manifest), HasSubstr(kRemedy));
}

TEST_F(References, OfAConcatenationAreOpenedOnlyWhereAllowed) {
  const std::string list = folder_.write("x.mp4", "ffconcat version 1.0\nfile 'secret.mp4'\n");
  EXPECT_THAT(refusal(list), HasSubstr(kRemedy));
  EXPECT_EQ(frames_where_allowed(list), kSecretFrames);
}

TEST_F(References, OfAListOfFilesToJoinAreNotOpened) {
  const std::string list = folder_.write("list.txt", (folder_ / "secret.ts").string() + "\n");
  EXPECT_NE(refusal("concatf:file://" + list), "");
}

TEST_F(References, OfASessionDescriptionAreNotOpened) {
  const std::string sdp = folder_.write("x.mp4",
                                        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\n"
                                        "c=IN IP4 127.0.0.1\nt=0 0\n"
                                        "m=video 47998 RTP/AVP 96\na=rtpmap:96 H264/90000\n");
  EXPECT_THAT(refusal(sdp), HasSubstr(kRemedy));
}

LoopbackServer::Answer files_or_404(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& name) -> std::string {
    const auto file = files.find(name);
    if (file == files.end()) return "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n";
    return http_answer(file->second, file->second.size());
  };
}

TEST_F(References, OfAPlaylistFromTheNetworkAreOpenedThereAndNotHere) {
  const std::string clip = read_file(folder_ / "secret.ts");
  const std::string local = "file://" + (folder_ / "secret.ts").string();
  const LoopbackServer server(
      files_or_404({{"list.m3u8", hls_of("clip.ts")},
                    {"clip.ts", clip},
                    {"local.m3u8", hls_of(local)},
                    {"local.txt", "ffconcat version 1.0\nfile '" + local + "'\n"}}));
  EXPECT_EQ(refusal(server.url("list.m3u8")), "");
  EXPECT_NE(refusal(server.url("local.m3u8")), "");
  EXPECT_NE(refusal("cache:" + server.url("local.m3u8")), "");
  EXPECT_NE(refusal("cache:" + server.url("local.txt")), "");
}

TEST_F(References, AreNoneInOrdinaryFiles) {
  ffmpeg("-f lavfi -i testsrc2=s=128x96 -frames:v 1", folder_ / "picture.png");
  for (const char* name : {"secret.mp4", "secret.ts", "picture.png"})
    EXPECT_EQ(refusal(folder_ / name), "") << name;
  EXPECT_EQ(refusal("file://" + (folder_ / "secret.mp4").string()), "");
  EXPECT_EQ(refusal("cache:file://" + (folder_ / "secret.mp4").string()), "");
}

}  // namespace
}  // namespace facepipe::test
