#include "video/write/places.h"

#include <gtest/gtest.h>

#include <string>

namespace facepipe::video {
namespace {

using namespace std::string_literals;

TEST(Places, A8KnowsHowDevicesWriteThem) {
  for (const std::string& text : {
           "F/2.8, SS 240.0, ISO 100, GPS (8.5417, 47.3769, 12), H 12.5m"s,
           "GPS(8.5,47.3,400)"s,
           "HOME(114.0234,22.5431) 2016.11.25"s,
           "[latitude : 47.376900] [longtitude : 8.541700]"s,
           "lat: 47.3 lon: 8.5"s,
           "{\"Latitude\": 47.376, \"Longitude\": 8.54}"s,
           "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"s,
           "47\xC2\xB0"s + "22'33\"N 8\xC2\xB0" + "32'E",
           "N 47.3769\xB0"s,
           "+47.37690+008.54170/"s,
           "47.37690, 8.54170"s,
           "\0l\0a\0t\0=\0004\0007\0.\0003"s,
       })
    EXPECT_TRUE(names_place(text)) << text;
}

TEST(Places, A8WordsAreNoPlace) {
  for (const std::string& text : {
           ""s,
           "Hello"s,
           "The GPS is broken."s,
           "GPS: 7 satellites"s,
           "We drove home (3 hours)."s,
           "It was 30\xC2\xB0 in the shade."s,
           "Pi is 3.14159."s,
           "1.5, 2.5, 3.5"s,
           "Plato: 427.5 pages"s,
           "Call me at 12.30"s,
           "a latitude of ideas"s,
       })
    EXPECT_FALSE(names_place(text)) << text;
}

}  // namespace
}  // namespace facepipe::video
