#include "verify/pairing.h"

#include <cmath>
#include <limits>

namespace facepipe::verify {
namespace {

double apart(std::optional<double> one, double other) {
  return one ? std::abs(*one - other) : std::numeric_limits<double>::infinity();
}

}  // namespace

Meeting meet(const NextFrames& next) {
  if (!next.hidden) return Meeting::missing;
  if (!next.original) return Meeting::extra;
  const double distance = apart(next.original, *next.hidden);
  if (apart(next.after, *next.hidden) < distance) return Meeting::missing;
  if (apart(next.before, *next.hidden) < distance) return Meeting::extra;
  return Meeting::pair;
}

}  // namespace facepipe::verify
