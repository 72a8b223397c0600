#include "tests/pipeline/container_table/rows.h"

#include <ostream>

namespace facepipe::test {
namespace {

using enum Property;

// Most clips have these ten pictures, with a gap of three pictures after the fifth. Pixels are
// wider than high, and all colour tags are set. The sound begins three pictures after the first
// picture. The arguments contain "CHAPTERS" instead of the name of the chapters file.
std::string pictures(const std::string& size) {
  return "-f lavfi -i testsrc2=s=" + size + ":r=25:d=0.4 ";
}
const std::string kFrames = pictures("96x64");
const std::string kCif = pictures("352x288");
const std::string kPal = pictures("720x576");
const std::string kPalPixels = "-vf setsar=64/45 ";
const std::string kSound = "-f lavfi -i sine=r=48000:d=0.6 ";
const std::string kLateSound = "-itsoffset 0.12 " + kSound;
const std::string kChapters = "-i CHAPTERS -map 0 -map 1 -map_metadata 2 ";
const std::string kSetGap = "-fps_mode passthrough -vf setpts=(N+3*gte(N\\,5))/25/TB";
const std::string kGap = kSetGap + ",setsar=4/3,format=yuv420p ";
const std::string kOnlyGap = kSetGap + " ";
const std::string kWide = "-vf setsar=4/3 ";
const std::string kColour =
    "-color_range tv -color_primaries bt709 -color_trc bt709 -colorspace bt709 "
    "-chroma_sample_location topleft ";
const std::string kGerman = "-metadata:s:a language=deu ";
const std::string kLate = "-output_ts_offset 1.6 ";
const std::string kX264 =
    "-c:v libx264 -preset ultrafast -bf 2 -x264-params "
    "b-adapt=0:scenecut=0 ";
const std::string kInOrder = "-c:v libx264 -preset ultrafast -bf 0 ";
const std::string kX265 = "-c:v libx265 -preset ultrafast -x265-params log-level=error ";
const std::string kVp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -lag-in-frames 0 ";
const std::string kAv1 = "-c:v libaom-av1 -cpu-used 8 -usage realtime ";
const std::string kMpeg2 = "-c:v mpeg2video -bf 2 -q:v 3 -r 25 ";

const std::string kAll = kFrames + kLateSound + kChapters + kGap + kColour + kGerman;

const Properties kEverything{stamps, start, sound, aspect, rotation, colour, chapters, language};

Properties without(Properties from, const Properties& these) {
  for (const Property property : these) from.erase(property);
  return from;
}

const Properties kUnturned = without(kEverything, {rotation});
const Properties kInMatroska{stamps, start, sound, aspect, colour, side_data, chapters, language};
const Properties kOfPictures{stamps, start, sound, aspect, colour};
const Properties kInTransport{stamps, start, sound, aspect, colour, language};

constexpr const char* kNoSideData =
    "FFmpeg's command makes no stereo 3D of MP4's own; from Matroska it is in the row Matroska";
constexpr const char* kNoTurn = "the format has no field for rotation, or FFmpeg 5 writes none";
constexpr const char* kTransport = "MPEG-TS has no field for rotation and chapters";
constexpr const char* kProgram = "a program stream has none for rotation, chapters and languages";
constexpr const char* kRaw = "a stream without a container has pictures alone";
constexpr const char* kPlain = "the format has pictures and sound at an even rate from 0, no tags";

const RowExtras kTurned{.turned = true};
const Loss kNoPcm{".mp4", {sound, language}, "FFmpeg before 6 writes no PCM into MP4"};
const Loss kNoWma{".mp4", {sound, language}, "MP4 holds no WMA"};
// FFmpeg's command line program makes the same error in copies: it shifts this picture by one
// frame.
const Loss kOggGap{".ogv", {stamps}, "Ogg shows the picture behind a gap where the gap begins"};
// Copies of Opus in WebM and Matroska begin 6.5 ms too early, also with FFmpeg's command line
// program. Rounded to whole milliseconds, this is 7. The start of the sound may differ by twice
// tick_s.
const RowExtras kOfOpus{.tick_s = 0.004};
const RowExtras kReadsBack{.refused = "can be read again while it is written"};

}  // namespace

void PrintTo(const ContainerRow& row, std::ostream* out) { *out << row.name; }

// Some formats are missing, because FFmpeg's demuxer reports damage in complete files of FFmpeg's
// muxer: SMJPEG, multipart JPEG (mpjpeg), filmstrip. Others are missing because they have no
// demuxer: a64, animated WebP.
const std::vector<ContainerRow>& rows_with_stamps() {
  static const std::vector<ContainerRow> rows{
      {"Mp4", "clip.mp4", kAll + kX264 + kLate + "-c:a aac", kEverything, kNoSideData, kTurned},
      {"Mov",
       "clip.mov",
       kAll + kX264 + kLate + "-c:a pcm_s16le",
       without(kEverything, {language}),
       "QuickTime numbers languages; FFmpeg writes none for this one",
       {.turned = true, .losses = {kNoPcm}}},
      {"ThreeGp", "clip.3gp", kAll + kX264 + kLate + "-c:a aac", kEverything, kNoSideData, kTurned},
      {"ThreeG2", "clip.3g2", kAll + kX264 + kLate + "-c:a aac", kEverything, kNoSideData, kTurned},
      {"M4v", "clip.m4v", kAll + kX264 + kLate + "-f ipod -c:a aac", kEverything, kNoSideData,
       kTurned},
      {"F4v", "clip.f4v", kAll + kX264 + kLate + "-c:a aac", kEverything, kNoSideData, kTurned},
      {"Ismv", "clip.ismv", kAll + kX264 + "-c:a aac", without(kUnturned, {start}),
       "its fragments begin at 0, and FFmpeg writes them without rotation"},
      {"Matroska",
       "clip.mkv",
       kAll + kX264 + kLate + "-metadata:s:v stereo_mode=left_right -c:a pcm_s16le",
       kInMatroska,
       kNoTurn,
       {.losses = {kNoPcm}}},
      {"WebM", "clip.webm", kAll + kLate + kVp9 + "-c:a libopus", kUnturned, kNoTurn, kOfOpus},
      {"Nut", "clip.nut", kAll + kX264 + kLate + "-c:a mp2", kUnturned, kNoTurn},
      {"Asf", "clip.asf", kAll + kInOrder + kLate + "-c:a mp2", kUnturned, kNoTurn},
      {"Wmv",
       "clip.wmv",
       kAll + kLate + "-c:v wmv2 -c:a wmav2",
       without(kUnturned, {colour}),
       "WMV2 has no field for colour, ASF none for rotation",
       {.losses = {kNoWma}}},
      {"MpegPs", "clip.mpg", kAll + kMpeg2 + kLate + "-c:a mp2", kOfPictures, kProgram},
      {"Vob", "clip.vob", kAll + kMpeg2 + kLate + "-c:a mp2", kOfPictures, kProgram},
      {"Ogg",
       "clip.ogv",
       kAll + kLate + "-c:v libtheora -c:a libvorbis",
       {stamps, start, sound, aspect, language},
       "Theora has no field for these colours, Ogg none for rotation",
       {.losses = {kOggGap}}},
      {"Flv", "clip.flv", kAll + kX264 + kLate + "-c:a aac", kOfPictures,
       "FLV has no field for rotation, chapters and languages"},
      {"MpegTs", "clip.ts", kAll + kX264 + kLate + "-c:a mp2", kInTransport, kTransport},
      {"M2ts", "clip.m2ts", kAll + kX264 + kLate + "-c:a ac3", kInTransport, kTransport},
      {"Wtv", "clip.wtv", kAll + kMpeg2 + kLate + "-c:a mp2", kOfPictures,
       "FFmpeg writes no rotation, chapters and languages into WTV"},
      {"Ivf",
       "clip.ivf",
       kFrames + kGap + "-c:v libvpx -deadline realtime -cpu-used 8",
       {stamps},
       "IVF has stamps alone, VP8 no shape of pixels"},
      {"Gif", "clip.gif", kFrames + kOnlyGap, {stamps}, "GIF has stamps alone"},
      {"Apng", "clip.apng", kFrames + kOnlyGap + "-plays 0", {stamps}, "APNG has stamps alone"},
  };
  return rows;
}

const std::vector<ContainerRow>& rows_at_fixed_rate() {
  static const std::vector<ContainerRow> rows{
      {"Avi",
       "clip.avi",
       kAll + kInOrder + "-c:a mp2",
       {stamps, aspect, colour},
       "AVI's streams begin at 0; a gap is made of empty chunks; it has no field for the others"},
      {"Gxf",
       "clip.gxf",
       kPal + kSound + kPalPixels + "-c:v mjpeg -pix_fmt yuvj422p -c:a pcm_s16le",
       {aspect},
       "GXF counts fields from 0, Motion JPEG has one kind of colour"},
      {"Roq",
       "clip.roq",
       "-f lavfi -i testsrc2=s=128x64:r=30:d=0.4 -f lavfi -i sine=r=22050:d=0.4 -c:v roqvideo "
       "-c:a roq_dpcm",
       {},
       kPlain},
      {"RawDirac", "clip.drc", kFrames + "-c:v vc2 -f dirac", {colour}, kRaw},
      {"Mxf",
       "clip.mxf",
       kFrames + kSound + kColour + kWide + kMpeg2 + "-c:a pcm_s16le",
       {aspect, colour},
       "MXF counts pictures from 0"},
      {"Dv",
       "clip.dv",
       kPal + kSound + kPalPixels + "-pix_fmt yuv420p -c:v dvvideo -c:a pcm_s16le -ac 2",
       {aspect},
       "DV has no stamps, and one kind of colour"},
      {"Swf", "clip.swf", kFrames + kSound + "-c:v flv1 -c:a libmp3lame -ar 44100", {}, kPlain},
      {"RealMedia", "clip.rm", kFrames + kSound + "-c:v rv20 -c:a ac3", {}, kPlain},
      {"Amv",
       "clip.amv",
       kFrames + "-f lavfi -i sine=r=22050:d=0.4 -r 25 -pix_fmt yuvj420p -c:v amv -c:a "
                 "adpcm_ima_amv -ac 1 -block_size 882",
       {},
       kPlain},
      {"FilmCpk", "clip.cpk", kFrames + "-f film_cpk -c:v cinepak", {}, kPlain, kReadsBack},
      {"Y4m",
       "clip.y4m",
       kFrames + "-vf setsar=4/3,format=yuv420p",
       {aspect},
       "YUV4MPEG has a rate and no stamps"},
      {"RawH264", "clip.264", kFrames + kColour + kWide + kX264, {aspect, colour}, kRaw},
      {"RawHevc", "clip.hevc", kFrames + kColour + kWide + kX265, {aspect, colour}, kRaw},
      {"RawMpeg4", "raw.m4v", kFrames + kWide + "-c:v mpeg4 -f m4v", {aspect}, kRaw},
      {"RawMpeg1", "clip.m1v", kFrames + "-c:v mpeg1video", {}, kRaw},
      {"RawMpeg2",
       "clip.m2v",
       kFrames + kColour + kWide + "-c:v mpeg2video",
       {aspect, colour},
       kRaw},
      {"RawH261", "clip.h261", kCif + "-c:v h261", {}, kRaw},
      {"RawH263", "clip.h263", kCif + "-c:v h263", {aspect}, kRaw},
      {"RawMjpeg", "clip.mjpeg", kFrames + kWide + "-c:v mjpeg -pix_fmt yuvj420p", {aspect}, kRaw},
      {"RawAv1", "clip.obu", kFrames + kColour + kAv1, {colour}, kRaw},
  };
  return rows;
}

std::string chapters_file() {
  return ";FFMETADATA1\ntitle=table\n"
         "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=320\ntitle=one\n"
         "[CHAPTER]\nTIMEBASE=1/1000\nSTART=320\nEND=700\ntitle=two\n";
}

}  // namespace facepipe::test
