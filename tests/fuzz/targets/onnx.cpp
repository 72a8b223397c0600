// Networks, with and without a card. The input is the length of the card in two bytes, the card,
// and the ONNX file. A length of 0 means that there is no card.
#include <onnx/onnx_pb.h>

#include "detector/cnn/model/declared_values.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/model.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

constexpr Size kNetwork{64, 64};

/// Reads a model as the program does. Engines then read the form that the model returns, so our
/// import must accept this form.
void read_model(const MemoryFile& file, const MemoryFile& card, bool has_card) {
  const auto model = parsed(ErrorKind::device, [&] {
    return detector::Model(file.path(), has_card ? card.path() : std::string());
  });
  if (!model) return;
  require(!model->outputs().empty(), "a model has no outputs");
  const Size size = model->data().input.size.value_or(kNetwork);
  const auto form = parsed(ErrorKind::device, [&] { return model->onnx(size); });
  if (form) static_cast<void>(detector::graph::import_onnx(*form, "form"));
}

/// Checks and imports a file without the passes that simplify it first.
void check_as_it_is(std::string_view bytes) {
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  static_cast<void>(
      parsed(ErrorKind::device, [&] { return detector::graph::check_onnx(proto, "f", kNetwork); }));
}

}  // namespace

void fuzz_onnx(Bytes input) {
  static const MemoryFile file;
  static const MemoryFile card;
  Pieces pieces(input);
  const std::size_t length = pieces.two_bytes();
  card.hold(text_of(pieces.take(length)));
  const std::string_view bytes = text_of(pieces.rest());
  file.hold(bytes);
  read_model(file, card, length > 0);
  check_as_it_is(bytes);
  static_cast<void>(
      parsed(ErrorKind::device, [&] { return detector::declared_values(file.path()); }));
}

}  // namespace facepipe::fuzz
