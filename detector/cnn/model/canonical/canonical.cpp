#include "detector/cnn/model/canonical/canonical.h"

#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/graph/onnx_check.h"

namespace facepipe::detector {

CanonicalForm make_canonical(onnx::ModelProto& model, const std::string& source,
                             const CanonicalOptions& options) {
  Rewriting to(model, source);
  make_constants_weights(to);
  graph::check_parts(model, source);
  widen_half_weights(to);
  drop_identities(to);
  // Factors are folded before the tail is cut, because the tail may contain factors.
  fold_factors(to);
  CanonicalForm form;
  if (options.tail == Tail::arrangement_cut) form.maps = cut_arrangement(to);
  if (options.tail == Tail::decoding_cut) form.maps = cut_decoding(to);
  // Nodes that were cut off are erased now, because the shapes of their outputs may be unknown.
  drop_unread(to);
  free_reshapes(to);
  free_resizes(to);
  free_shuffles(to);
  make_slices_splits(to);
  simplify_pooling(to);
  fold_normalisation(to, options.normalisation);
  form.lists = find_sized_lists(to);
  // Nodes that computed extents have no readers any more.
  drop_unread(to);
  return form;
}

}  // namespace facepipe::detector
