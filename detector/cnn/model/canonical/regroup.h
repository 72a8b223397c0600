// Which extents a Reshape gives, for every size of the picture.
#pragma once

#include <optional>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/size_number.h"

namespace facepipe::detector {

using SizeExtents = std::vector<SizeNumber>;

/// Returns the product of all extents.
[[nodiscard]] std::optional<SizeNumber> product_of(const SizeExtents& extents);

/// Returns the extents that Reshape makes of `from` with the list `target`, in which 0 keeps an
/// extent and -1 takes what is left. `exported` is the size of the picture with which the file was
/// exported, if the file holds for this size alone: then numbers of `target` may come from this
/// size, and it is found out from which extents. Returns nullopt if that isn't clear.
[[nodiscard]] std::optional<SizeExtents> reshaped(const SizeExtents& from,
                                                  const SizeExtents& target,
                                                  const std::optional<Size>& exported);

/// Returns the list with which Reshape makes `to` of `from` for every size of the picture, or
/// nullopt if there is none.
[[nodiscard]] std::optional<std::vector<std::int64_t>> reshape_list(const SizeExtents& from,
                                                                    const SizeExtents& to);

}  // namespace facepipe::detector
