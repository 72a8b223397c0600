#include "app/run/turned_faces.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <optional>

#include "core/error.h"
#include "detector/options.h"
#include "detector/turned_faces.h"

namespace facepipe::app {

std::string look_for_turned_faces(pipeline::JobOptions& job, const RunFacts& facts,
                                  const RunContext& context) {
  if (!job.hide || job.hide->known || !context.parts.faces_by_turn) return {};
  detector::DetectorOptions detector = context.options.detector;
  detector.model = facts.model;
  detector.more_models.clear();
  for (const detector::ModelInfo& other : facts.model_info->others())
    detector.more_models.push_back(other.about().file);
  const std::optional<detector::FacesByTurn> found =
      context.parts.faces_by_turn(job, detector, context.stop);
  const std::optional<int> turn = found ? detector::turn_of_faces(*found) : std::nullopt;
  if (!turn) return {};
  const detector::TurnInWords words = detector::turn_in_words(*turn);
  const std::string why = "most faces are turned in the pixels: in a few pictures, " +
                          std::to_string((*found)[0]) +
                          " faces were found in the pictures as they are, and " +
                          std::to_string((*found)[static_cast<std::size_t>(*turn)]) +
                          " in pictures turned " + words.angle;
  const std::string help = "; ffmpeg -i INPUT " + words.filter + " OUTPUT turns a video upright";
  if (context.options.job.output.strict)
    throw Error(ErrorKind::input, job.input.name + ": --strict: " + why + help);
  job.hide->turned_too = *turn;
  std::string notice =
      why + "; facepipe looks for turned faces, too, which takes twice the time and may miss some" +
      help;
  spdlog::warn("{}: {}", job.input.name, notice);
  return notice;
}

}  // namespace facepipe::app
