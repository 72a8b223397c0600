// The faces that a folder's labels.txt lists: no picture lies outside of the folder.
#include "app/model_check/labels.h"

#include <algorithm>
#include <cmath>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {

void fuzz_labels(Bytes input) {
  static const test::TemporaryFolder folder;
  folder.write("labels.txt", text_of(input));
  const auto pictures = parsed(ErrorKind::input, [&] { return app::read_labels(folder.path()); });
  if (!pictures) return;
  require(!pictures->empty(), "there are no pictures");
  const auto images = folder / "images";
  for (const app::LabelledPicture& picture : *pictures) {
    const auto [end, rest] = std::ranges::mismatch(images, picture.file.lexically_normal());
    require(end == images.end(), "a picture lies outside of the folder");
    for (const Box& face : picture.faces)
      require(
          std::isfinite(face.x1) && std::isfinite(face.y2) && face.width() > 0 && face.height() > 0,
          "a face is empty or not finite");
  }
}

}  // namespace facepipe::fuzz
