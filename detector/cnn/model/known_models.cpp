#include "detector/cnn/model/known_models.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace facepipe {

std::span<const KnownModel* const> known_models() {
  static constexpr std::array<const KnownModel*, 2> kModels{&kCenterface, &kYunet};
  return kModels;
}

const KnownModel& known_model(ModelKind kind) {
  const auto models = known_models();
  const auto found = std::ranges::find(models, kind, &KnownModel::kind);
  if (found == models.end()) throw Error(ErrorKind::internal, "a kind of model without an entry");
  return **found;
}

std::string_view to_string(ModelKind kind) { return known_model(kind).name; }

std::unique_ptr<Head> make_head(ModelKind kind) { return known_model(kind).make_head(); }

}  // namespace facepipe
