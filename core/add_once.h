// Makes lists in which each value stands once.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace facepipe {

/// Appends a value to a list, unless the list has it.
template <typename T>
void add_once(std::vector<T>& list, T value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(std::move(value));
}

}  // namespace facepipe
