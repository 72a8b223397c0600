// Memory that runs out at a chosen allocation.
#pragma once

namespace facepipe::test {

/// While it lives, `operator new` succeeds so many times on this thread, and then no more.
class FailingAllocations {
 public:
  explicit FailingAllocations(long successes);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace facepipe::test
