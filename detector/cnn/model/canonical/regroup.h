// Computes the extents that a Reshape gives, for every size of the picture.
#pragma once

#include <optional>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/size_number.h"

namespace facepipe::detector {

using SizeExtents = std::vector<SizeNumber>;

[[nodiscard]] std::optional<SizeNumber> product_of(const SizeExtents& extents);

/// Returns the extents of a Reshape's result. `from` are the extents of the Reshape's input. In the
/// list `target`, 0 keeps an extent, and -1 takes the rest. `exported` is the size of the picture
/// with which the file was exported, if the file is valid only for this size. Then numbers of
/// `target` may depend on this size, and the function finds out which numbers depend on which side.
/// Returns nullopt if this isn't clear.
[[nodiscard]] std::optional<SizeExtents> reshaped(const SizeExtents& from,
                                                  const SizeExtents& target,
                                                  const std::optional<Size>& exported);

/// Returns the list with which a Reshape changes the extents `from` into the extents `to`, for
/// every size of the picture. Returns nullopt if there is no such list.
[[nodiscard]] std::optional<std::vector<std::int64_t>> reshape_list(const SizeExtents& from,
                                                                    const SizeExtents& to);

}  // namespace facepipe::detector
