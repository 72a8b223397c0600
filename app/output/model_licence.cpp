#include "app/output/model_licence.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "app/output/text.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

void add(std::string& text, const char* what, const std::string& licence) {
  if (licence.empty()) return;
  text += (text.empty() ? "" : ", ") + std::string(what) + " " + licence;
}

}  // namespace

std::string licence_text(const detector::ModelLicence& licence) {
  std::string text;
  add(text, "weights", licence.weights);
  add(text, "code", licence.code);
  add(text, "trained with", licence.data);
  if (text.empty()) text = "unknown, because no card tells it";
  if (!licence.commercial) return text;
  return text + (*licence.commercial ? "; commercial use is allowed" : "; no commercial use");
}

Json licence_json(const detector::ModelLicence& licence) {
  if (licence == detector::ModelLicence{}) return {};
  return {{"weights", text_or_null(licence.weights)},
          {"code", text_or_null(licence.code)},
          {"data", text_or_null(licence.data)},
          {"commercial", licence.commercial ? Json(*licence.commercial) : Json()}};
}

void warn_of_licence(const std::string& model, const detector::ModelLicence& licence) {
  if (licence.commercial.value_or(true)) return;
  spdlog::warn("model {}: its licence doesn't allow commercial use{}", model,
               licence.weights.empty() ? "" : " (" + licence.weights + ")");
}

void warn_of_licences(const std::vector<detector::ModelInfo>& models,
                      const std::filesystem::path& first) {
  for (std::size_t i = 0; i < models.size(); ++i)
    warn_of_licence((i == 0 ? first : models[i].about().file).string(), models[i].about().licence);
}

}  // namespace facepipe::app
