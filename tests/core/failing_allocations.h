// Lets memory run out at a chosen allocation.
#pragma once

namespace facepipe::test {

/// While it lives, the first `operator new` calls of this thread succeed, and all later ones fail.
class FailingAllocations {
 public:
  explicit FailingAllocations(long successes);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace facepipe::test
