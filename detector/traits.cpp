#include "detector/traits.h"

namespace facepipe::detector {

DetectorTraits traits_of(Library library) {
  switch (library) {
    case Library::opencv:
    case Library::openvino:
    case Library::own:
      return {};
    case Library::cascade:
      return {.name = "a cascade", .misses_many_faces = true, .gives_every_window = true};
    case Library::acf:
      return {.name = "channel features", .misses_many_faces = true, .is_plural = true};
  }
  return {};
}

}  // namespace facepipe::detector
