// Checks JSON against a JSON schema: the words of it that data/model-card.schema.json uses.
#pragma once

#include <nlohmann/json.hpp>

namespace facepipe::test {

/// Throws std::runtime_error for a word that it doesn't know. `root` holds the definitions.
[[nodiscard]] bool fits_schema(const nlohmann::json& value, const nlohmann::json& schema,
                               const nlohmann::json& root);

}  // namespace facepipe::test
