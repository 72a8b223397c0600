// Makes a thread's allocations of memory fail after a chosen number of successes.
#pragma once

namespace facepipe::test {

/// While this object exists, the thread's first `successes` calls of `operator new` succeed, and
/// all later calls fail.
class FailingAllocations {
 public:
  explicit FailingAllocations(long successes);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace facepipe::test
