// What libraries would write to standard error by themselves.
#pragma once

namespace facepipe {

/// From now on hwloc (through oneTBB), SVT-AV1, OpenCV and protobuf keep to themselves what they
/// would tell: what matters comes back as an error, and is told by us in one line. Sets environment
/// variables, so it comes before any thread; those that the user has set stay.
void quiet_libraries();

}  // namespace facepipe
