#include "app/review/open_browser.h"

#include <gtest/gtest.h>

#include <string>

namespace facepipe::app {
namespace {

TEST(AddressOfReview, IsOnThePortOfTheReview) {
  EXPECT_TRUE(is_address_of_review("http://127.0.0.1:4711/open?t=aB3_-9", 4711));
}

TEST(AddressOfReview, NothingElseIsOpened) {
  for (const char* const address :
       {"", "http://127.0.0.1:4711", "http://127.0.0.1:47110/", "http://127.0.0.1:4712/open",
        "https://127.0.0.1:4711/", "http://localhost:4711/", "http://127.0.0.1:4711@host/",
        "file:///etc/passwd", " http://127.0.0.1:4711/", "http://127.0.0.1:4711/a b",
        "http://127.0.0.1:4711/;touch", "http://127.0.0.1:4711/$(x)", "http://127.0.0.1:4711/\n",
        "http://127.0.0.1:4711/%2e", "--help"})
    EXPECT_FALSE(is_address_of_review(address, 4711)) << address;
}

}  // namespace
}  // namespace facepipe::app
