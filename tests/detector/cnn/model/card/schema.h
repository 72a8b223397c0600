// Checks JSON with a JSON schema. Supports only the keywords that data/model-card.schema.json uses.
#pragma once

#include <nlohmann/json.hpp>

namespace facepipe::test {

/// Returns whether `value` fits `schema`. `root` is the whole schema, which contains the
/// definitions. Throws std::runtime_error if the schema has a keyword that is not supported.
[[nodiscard]] bool fits_schema(const nlohmann::json& value, const nlohmann::json& schema,
                               const nlohmann::json& root);

}  // namespace facepipe::test
