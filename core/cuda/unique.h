// Owns the objects that CUDA's runtime makes: streams, events, graphs, memory.
#pragma once

#include <memory>
#include <type_traits>

namespace facepipe::cuda {

/// Destroys an object by the runtime's own function. It ignores the result, because an owner can do
/// nothing about a failure.
template <auto Function>
struct Delete {
  void operator()(auto* thing) const noexcept { Function(thing); }
};

/// Owns the object that a handle refers to. A handle is a pointer.
template <class Handle, auto Function>
using Unique = std::unique_ptr<std::remove_pointer_t<Handle>, Delete<Function>>;

}  // namespace facepipe::cuda
