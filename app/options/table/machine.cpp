// The rows of the machine that works: devices, engines, threads, lanes.
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kMachine = "Machine";

constexpr int kMostThreads = 1024;
constexpr int kMostFramesInFlight = 64;
constexpr int kMostLanes = 64;

/// The words of --engine: "auto" and the names of the engines.
std::vector<std::string_view> engine_words() {
  std::vector<std::string_view> words{"auto"};
  for (const detector::NamedEngine& engine : detector::named_engines())
    words.push_back(engine.name);
  return words;
}

/// `index` counts in engine_words().
void set_engine(Asked& to, std::size_t index) {
  if (index == 0) return;
  const detector::NamedEngine engine = detector::named_engines()[index - 1];
  to.detector.library = engine.library;
  to.detector.fused = engine.fused;
}

Row threads(Commands commands, const char* group, const char* help) {
  return {.names = "--threads",
          .kind = "N",
          .help = help,
          .value = integer(0, kMostThreads, [](Asked& to) -> int& { return to.detector.threads; }),
          .places = {{commands, group}}};
}

std::vector<Row> device_rows() {
  return {
      {.names = "--device",
       .kind = "DEVICE",
       .help = "auto, cpu, cuda or cuda:N",
       .fallback = "auto",
       .value = {FormedText{
           [](Asked& to, const OptionText& given) { to.run.device = parse_device(given.text); }}},
       .words = {"auto", "cpu", "cuda"},
       .places = {{kVideoWork, kMachine}}},
      {.names = "--devices",
       .kind = "all|LIST",
       .help = "Several CUDA devices at the same time, like 0,2, if the output can be joined from "
               "parts",
       .fallback = "one, that of --device",
       .value = {FormedText{
           [](Asked& to, const OptionText& given) { to.run.devices = parse_devices(given.text); }}},
       .words = {"all"},
       .places = {{kVideoWork, kMachine}}},
      {.names = "--engine",
       .kind = "ENGINE",
       .help = joined(engine_words(), " or "),
       .fallback = "auto",
       .value = {Choice{engine_words(), set_engine}},
       .places = {{kVideoWork, kMachine}, {kVerify, kDetection}}},
      {.names = "--precision",
       .kind = "PRECISION",
       .help = "auto, f32, f16, bf16 or i8. i8 is faster and finds a few other faces: auto never "
               "chooses it",
       .value = choice<std::optional<detector::Precision>>(
           [](Asked& to) -> auto& { return to.detector.precision; },
           {{"auto", std::nullopt},
            {"f32", detector::Precision::f32},
            {"f16", detector::Precision::f16},
            {"bf16", detector::Precision::bf16},
            {"i8", detector::Precision::i8}}),
       .places = {{kVideoWork, kMachine}, {kVerify, kDetection}}},
      {.names = "--decoder",
       .kind = "DECODER",
       .help = "For a CUDA device: auto (NVDEC, or the CPU if NVDEC can't), cuda or cpu",
       .value =
           choice<video::DecoderChoice>([](Asked& to) -> auto& { return to.run.job.input.decoder; },
                                        {{"auto", video::DecoderChoice::automatic},
                                         {"cuda", video::DecoderChoice::nvdec},
                                         {"cpu", video::DecoderChoice::cpu}}),
       .places = {{kVideoWork, kMachine}}},
  };
}

std::vector<Row> concurrency_rows() {
  return {
      threads(kVideoWork, kMachine, "Threads of decoder, network and encoder each; 0: all cores"),
      threads(kPart, kMachine, "Threads of decoder and network each; 0: as the plan says"),
      threads(kVerify, kDetection, "Threads of decoders and network each; 0: all cores"),
      threads(kCalibrate, kRanges, "Threads; 0: all cores"),
      threads(kModelCheck, kChecking, "Threads; 0: all cores"),
      {.names = "--lanes",
       .kind = "auto|N",
       .help = "Decoders that work on one input at the same time, if the output can be joined from "
               "parts (no video, or Motion JPEG); a part of split hide has one",
       .fallback = "auto: all of the device",
       .value = {Integer{1, kMostLanes, "auto",
                         [](Asked& to, int value) { to.run.job.resources.lanes = value; }}},
       .places = {{kVideoWork | kPart, kMachine}}},
      {.names = "--frames-in-flight",
       .kind = "auto|N",
       .help = "Frames on their way through the stages of each lane at the same time",
       .fallback = "auto: 4; with several lanes 2, without video 1",
       .value = {Integer{
           1, kMostFramesInFlight, "auto",
           [](Asked& to, int value) { to.run.job.resources.frames_in_flight = value; }}},
       .places = {{kVideoWork, kMachine}}},
  };
}

}  // namespace

std::vector<Row> machine_rows() { return joined_rows({device_rows, concurrency_rows}); }

}  // namespace facepipe::app
