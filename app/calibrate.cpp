#include "app/calibrate.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "app/failure.h"
#include "app/model_path.h"
#include "app/output/existing_target.h"
#include "app/run/named_files.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/files/sha256.h"
#include "detector/cnn/cpu/calibrate.h"
#include "detector/cnn/model/i8_ranges.h"
#include "detector/cnn/model/model.h"
#include "detector/detector.h"
#include "detector/families.h"
#include "video/read/rgba_image.h"

namespace facepipe::app {

int calibrate(const CalibrateOptions& options, const std::stop_token& stop) {
  const std::filesystem::path file = find_model(options.model, program_directory());
  if (!detector::family_of(file).has(detector::Precision::i8))
    throw Error(ErrorKind::usage, "model " + file.string() + ": i8 works only with " +
                                      detector::files_with(detector::Precision::i8));
  const detector::Model model(file, options.card);
  const std::filesystem::path target =
      options.output.empty() ? detector::i8_ranges_file(file) : options.output;
  refuse_input_as_output(target, {file.string(), options.card.string()});
  refuse_input_as_output(target, options.pictures);
  const std::unique_ptr<OutputFile> output = open_output(target, options.overwrite, stop);
  detector::Calibration calibration(model, options.threads);
  std::vector<std::string> hashes;
  for (const std::string& picture : options.pictures) {
    hashes.push_back(sha256_of_file(picture, stop));
    calibration.measure(video::read_rgba_image(picture), stop);
    spdlog::info("{}: measured", picture);
  }
  detector::I8Ranges ranges = calibration.ranges();
  ranges.pictures = std::move(hashes);
  output->write_text(detector::to_json(ranges));
  output->commit();
  spdlog::info("{}: holds the ranges of {} tensors", output->target().string(),
               ranges.tensors.size());
  return kExitDone;
}

}  // namespace facepipe::app
