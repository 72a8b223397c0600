// The rows of what pictures look like in the output: drawing, hiding, encoding.
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kDrawing = "Drawing";
constexpr const char* kHiding = "Hiding";
constexpr const char* kRegions = "Regions";
constexpr const char* kEncoding = "Encoding";

constexpr double kLargestCrf = 63;
constexpr int kMostMegabytes = 1 << 20;
constexpr int kMegabyteBits = 20;

constexpr const char* kRegion = "NAME=x,y,w,h[@FROM-TO]";

Choices<overlay::MaskShape> shapes() {
  Choices<overlay::MaskShape> choices;
  for (const overlay::MaskShapeEntry& entry : overlay::kMaskShapes)
    choices.emplace_back(entry.name, entry.shape);
  return choices;
}

std::vector<std::string> draw_choices() {
  std::vector<std::string> words;
  for (const overlay::OverlayPart& part : overlay::kOverlayParts) words.emplace_back(part.name);
  words.emplace_back("none");
  return words;
}

/// `parse` reads one text, and `field` holds what all texts say.
template <typename T>
FormedText each(T (*parse)(const OptionText&), std::vector<T>& (*field)(Asked&)) {
  return {[=](Asked& to, const OptionText& given) { field(to).push_back(parse(given)); }};
}

std::string default_megabytes() {
  const AskedHiding unasked;
  return std::to_string(unasked.lookahead_bytes >> kMegabyteBits);
}

std::vector<Row> encoder_rows() {
  return {
      {.names = "--codec",
       .kind = "NAME",
       .help =
           "FFmpeg's name of the video encoder; or auto, h264 or hevc: the CUDA device's NVENC if "
           "it can encode these pictures, else libx264 or libx265",
       .fallback = "auto, which is h264; a still image keeps its own",
       .value = {AnyText{"the name of an encoder",
                         [](Asked& to, std::string_view text) {
                           to.run.job.output.encoder.codec = text == "auto" ? "" : text;
                         }}},
       .words = {"auto", "h264", "hevc"},
       .places = {{kRun | kHide | kReview, kEncoding}}},
      {.names = "--preset",
       .kind = "NAME",
       .help = "The encoder's preset, which trades speed for size; NVENC has p1 (fastest) to p7",
       .fallback = "the encoder's own",
       .value = {AnyText{
           "", [](Asked& to, std::string_view text) { to.run.job.output.encoder.preset = text; }}},
       .places = {{kRun | kHide | kReview, kEncoding}}},
      {.names = "--crf",
       .kind = "0..63",
       .help = "Quality, if the encoder has this option; lower is better. NVENC gets it as cq, up "
               "to 51",
       .fallback = "the encoder's own; 23 for NVENC",
       .value = {Number{0, kLargestCrf,
                        [](Asked& to, double value) { to.run.job.output.encoder.crf = value; }}},
       .places = {{kRun | kHide | kReview, kEncoding}}},
      {.names = "--encoder-option",
       .kind = "NAME=VALUE",
       .help = "Any option of the encoder; may be given again",
       .fallback = "none",
       .value = {each<std::pair<std::string, std::string>>(
           parse_assignment, [](Asked& to) -> auto& { return to.run.job.output.encoder.options; })},
       .again = true,
       .places = {{kRun | kHide | kReview, kEncoding}}},
  };
}

/// Returns the rows of what may be given up, or is an error.
std::vector<Row> tolerance_rows() {
  return {
      {.names = "--allow-8bit",
       .help = "Allow mjpeg and h264_nvenc to reduce pictures of more than 8 bits to 8 bits",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.run.job.output.allow_8bit; }),
       .places = {{kRun | kHide | kReview, kEncoding}}},
      {.names = "--strict",
       .help = "A stream that can't be kept is an error",
       .fallback = "a warning",
       .value = flag([](Asked& to) -> bool& { return to.run.job.output.strict; }),
       .places = {{kRun | kHide | kReview, kEncoding}}},
      {.names = "--on-size-change",
       .kind = "WHAT",
       .help = "scale or error: what happens if pictures change size midway",
       .value =
           choice<bool>([](Asked& to) -> bool& { return to.run.job.input.scale_on_size_change; },
                        {{"scale", true}, {"error", false}}),
       .places = {{kRun | kHide | kReview, kEncoding}, {kDetect, "Damage"}}},
      {.names = "--tolerate-damage",
       .help = "Lost or damaged frames don't change the exit code",
       .fallback = "exit 6",
       .value = flag([](Asked& to) -> bool& { return to.run.tolerate_damage; }),
       .places = {{kRun | kHide | kReview, kEncoding}, {kDetect | kPart | kJoin, "Damage"}}},
  };
}

}  // namespace

std::vector<Row> drawing_rows() {
  return {{.names = "--draw",
           .kind = "LIST",
           .help = "Any of " + draw_words() +
                   ", joined by commas; or none. The ids are those of detect's tracks",
           .fallback = "boxes",
           .value = {WordList{[](Asked& to, const std::vector<std::string>& words) {
             to.run.job.overlay = parse_draw("--draw", words);
           }}},
           .words = draw_choices(),
           .places = {{kRun, kDrawing}}}};
}

std::vector<Row> hiding_rows() {
  return {
      {.names = "--style",
       .kind = "STYLE",
       .help = "solid, or solid:COLOUR, a name or #RRGGBB; image:FILE, a picture on black; blur or "
               "mosaic, through which software can still recognise people",
       .fallback = "solid, black",
       .value = {FormedText{
           [](Asked& to, const OptionText& given) { to.hiding.style = parse_hide_style(given); }}},
       .words = {"solid", "blur", "mosaic"},
       .places = {{kHide | kReview, kHiding}}},
      {.names = "--shape",
       .kind = "box|ellipse",
       .help = "The shape of what hides a face",
       .value = choice<overlay::MaskShape>(
           [](Asked& to) -> overlay::MaskShape& { return to.hiding.shape; }, shapes()),
       .places = {{kHide | kReview, kHiding}}},
      {.names = "--grow",
       .kind = "0..4",
       .help = "Hide more than the face: on each side this share of its size",
       .fallback = "0.25; 0.35 for an ellipse",
       .value = {Number{0, overlay::kMostGrow,
                        [](Asked& to, double value) { to.hiding.grow = value; }}},
       .places = {{kHide | kReview, kHiding}}},
      {.names = "--lookahead-memory",
       .kind = "MB",
       .help = "Memory on the device, for all lanes together, for frames that wait until facepipe "
               "knows what to hide in them. If it is too small, there are fewer lanes or a shorter "
               "wait, and facepipe says so",
       .fallback = default_megabytes(),
       .value = {Integer{1, kMostMegabytes, "",
                         [](Asked& to, int value) {
                           to.hiding.lookahead_bytes = std::int64_t{value} << kMegabyteBits;
                         }}},
       .places = {{kHide | kReview, kHiding}}},
      {.names = "--keep-metadata",
       .kind = "LIST",
       .help = "Names of the input's tags that stay, joined by commas. Languages, time codes and "
               "rotation always stay; other tags may tell of people and places",
       .fallback = "none",
       .value = {WordList{
           [](Asked& to, const std::vector<std::string>& names) { to.hiding.kept_tags = names; }}},
       .places = {{kHide | kReview, kHiding}}},
  };
}

std::vector<Row> region_rows() {
  return {
      {.names = "--region",
       .kind = kRegion,
       .help = "Hide a part of the upright picture, in pixels, at times as --start takes them (or "
               "FROM- or -TO); may be given again",
       .fallback = "none",
       .value = {each<pipeline::Region>(
           parse_region, [](Asked& to) -> auto& { return to.hiding.regions.hidden; })},
       .again = true,
       .places = {{kHide | kReview, kRegions}}},
      {.names = "--keep-region",
       .kind = kRegion,
       .help = "Show what a detector finds wholly in this part, such as a poster. What something "
               "else hides stays hidden; may be given again",
       .fallback = "none",
       .value = {each<pipeline::Region>(parse_region,
                                        [](Asked& to) -> auto& { return to.hiding.regions.kept; })},
       .again = true,
       .places = {{kHide | kReview, kRegions}}},
      {.names = "--hide-all",
       .kind = "FROM-TO",
       .help = "Hide whole frames at these times; may be given again",
       .fallback = "none",
       .value = {each<pipeline::TimeSpan>(
           parse_span, [](Asked& to) -> auto& { return to.hiding.regions.all_hidden; })},
       .again = true,
       .places = {{kHide | kReview, kRegions}}},
  };
}

std::vector<Row> encoding_rows() { return joined_rows({encoder_rows, tolerance_rows}); }

}  // namespace facepipe::app
