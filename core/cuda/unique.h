// Owners of what CUDA's runtime makes: streams, events, graphs, memory.
#pragma once

#include <memory>
#include <type_traits>

namespace facepipe::cuda {

/// Ends the thing by the runtime's own function. What that answers says nothing to an owner.
template <auto Function>
struct Delete {
  void operator()(auto* thing) const noexcept { Function(thing); }
};

/// Owns what the handle, a pointer, stands for.
template <class Handle, auto Function>
using Unique = std::unique_ptr<std::remove_pointer_t<Handle>, Delete<Function>>;

}  // namespace facepipe::cuda
