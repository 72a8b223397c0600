// Keeps values that take long to make, so that they can be used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

namespace facepipe {

/// Holds values by key, in the order of their last use. The caller says what each value costs (for
/// example in bytes or pixels). Not thread-safe.
template <typename Key, typename Value>
class RecentlyUsed {
 public:
  /// Returns the value of this key, which counts as used now; nullptr if there is none. The pointer
  /// is valid until the next call.
  [[nodiscard]] Value* find(const Key& key) {
    const auto known = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    if (known == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, known);
    return &kept_.front().value;
  }

  /// Removes the value of this key and returns it; nullopt if there is none. If several values have
  /// the key, it takes the value that was used last.
  [[nodiscard]] std::optional<Value> take(const Key& key) {
    if (find(key) == nullptr) return std::nullopt;
    std::optional<Value> taken = std::move(kept_.front().value);
    kept_.pop_front();
    return taken;
  }

  /// Removes the least recently used values, until at most `count` values are left and their costs
  /// add up to at most `cost`.
  void keep_at_most(std::size_t count, std::int64_t cost) {
    std::int64_t all = 0;
    for (const Entry& entry : kept_) all += entry.cost;
    while (!kept_.empty() && (kept_.size() > count || all > cost)) {
      all -= kept_.back().cost;
      kept_.pop_back();
    }
  }

  /// Adds a value, which counts as used now. If several values have the same key, find() returns
  /// the value that was used last.
  void add(Key key, Value value, std::int64_t cost) {
    kept_.push_front({std::move(key), std::move(value), cost});
  }

  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  struct Entry {
    Key key;
    Value value;
    std::int64_t cost;
  };
  std::list<Entry> kept_;  // the value used last comes first
};

}  // namespace facepipe
