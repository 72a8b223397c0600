#include "core/recently_used.h"

#include <gtest/gtest.h>

#include <string>

namespace facepipe {
namespace {

constexpr std::int64_t kAnyCost = 1000;

/// Returns a cache that holds a, b and c, which cost 10, 20 and 30 and were added in that order.
RecentlyUsed<char, std::string> abc() {
  RecentlyUsed<char, std::string> kept;
  kept.add('a', "A", 10);
  kept.add('b', "B", 20);
  kept.add('c', "C", 30);
  return kept;
}

std::string names(RecentlyUsed<char, std::string> kept) {
  std::string found;
  for (const char key : {'a', 'b', 'c'})
    if (const std::string* const value = kept.find(key)) found += *value;
  return found;
}

TEST(RecentlyUsed, FindsWhatIsKept) {
  EXPECT_EQ(names(abc()), "ABC");
  EXPECT_EQ(abc().find('d'), nullptr);
  EXPECT_EQ(abc().size(), 3U);
}

TEST(RecentlyUsed, LetsTheOldestGoAboveACount) {
  auto kept = abc();
  kept.keep_at_most(2, kAnyCost);
  EXPECT_EQ(names(kept), "BC");
  kept.keep_at_most(0, kAnyCost);
  EXPECT_EQ(kept.size(), 0U);
}

TEST(RecentlyUsed, LetsTheOldestGoAboveACost) {
  for (const auto& [cost, left] :
       {std::pair{60, "ABC"}, {59, "BC"}, {50, "BC"}, {49, "C"}, {30, "C"}, {29, ""}, {-1, ""}}) {
    auto kept = abc();
    kept.keep_at_most(3, cost);
    EXPECT_EQ(names(kept), left) << cost;
  }
}

TEST(RecentlyUsed, WhatIsFoundIsTheYoungest) {
  auto kept = abc();
  EXPECT_EQ(*kept.find('a'), "A");
  kept.keep_at_most(2, kAnyCost);
  EXPECT_EQ(names(kept), "AC");
}

TEST(RecentlyUsed, WhatIsTakenIsNotKept) {
  auto kept = abc();
  EXPECT_EQ(kept.take('b'), "B");
  EXPECT_EQ(kept.take('b'), std::nullopt);
  EXPECT_EQ(names(kept), "AC");
  kept.keep_at_most(3, 40);  // the entry that was taken no longer costs anything
  EXPECT_EQ(kept.size(), 2U);
}

TEST(RecentlyUsed, OfOneKeyTheLastComesFirst) {
  auto kept = abc();
  kept.add('a', "another", 5);
  EXPECT_EQ(kept.take('a'), "another");
  EXPECT_EQ(kept.take('a'), "A");
  EXPECT_EQ(kept.take('a'), std::nullopt);
}

}  // namespace
}  // namespace facepipe
