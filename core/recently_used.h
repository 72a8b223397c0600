// Values that take long to make, kept for whoever wants them again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

namespace facepipe {

/// Values by key, in the order in which they were used. What one costs is the caller's to say:
/// bytes, pixels. Not thread-safe.
template <typename Key, typename Value>
class RecentlyUsed {
 public:
  /// The value of that key, which counts as used now; nullptr if it isn't kept. Valid until the
  /// next call.
  [[nodiscard]] Value* find(const Key& key) {
    const auto known = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    if (known == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, known);
    return &kept_.front().value;
  }

  /// The value of that key, which is kept no longer; of several the one that was used last. nullopt
  /// if none is kept.
  [[nodiscard]] std::optional<Value> take(const Key& key) {
    if (find(key) == nullptr) return std::nullopt;
    std::optional<Value> taken = std::move(kept_.front().value);
    kept_.pop_front();
    return taken;
  }

  /// Lets those go that were used least lately, until at most `count` are left, which cost at most
  /// `cost` together.
  void keep_at_most(std::size_t count, std::int64_t cost) {
    std::int64_t all = 0;
    for (const Entry& entry : kept_) all += entry.cost;
    while (!kept_.empty() && (kept_.size() > count || all > cost)) {
      all -= kept_.back().cost;
      kept_.pop_back();
    }
  }

  /// Keeps a value, which counts as used now: of values of one key find() sees the last.
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
  std::list<Entry> kept_;  // last used first
};

}  // namespace facepipe
