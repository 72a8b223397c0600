#include "pipeline/parts/part_maker.h"

namespace facepipe::pipeline {

void take_encoder(PartMaker& maker, const video::Encoder& encoder, const OutputPlan& plan) {
  const video::UniqueCodecParameters parameters = encoder.parameters();
  maker.encoder = encoder.name();
  maker.container = plan.muxer.format->name;
  maker.time_base = video::from_av(encoder.time_base());
  maker.extradata.assign(parameters->extradata, parameters->extradata + parameters->extradata_size);
}

PartMaker part_maker(const Backend& backend, const JobOptions& options,
                     const video::Encoder* encoder, const JobPlan& plan) {
  PartMaker maker;
  if (options.hide && options.hide->known) {  // nothing is searched, so there is no model
    maker.edits = options.hide->known->sha256;
  } else {
    const detector::ModelInfo& model = backend.model_info();
    maker.engine = model.choice().name();
    maker.precision = to_string(model.choice().precision);
    maker.model_sha256 = model.model_sha256();
  }
  if (options.hide) {
    maker.turned_faces = options.hide->turned_too;
    maker.look_ahead = plan.limits.hiding.waiting;
  }
  if (encoder != nullptr) take_encoder(maker, *encoder, *plan.output);
  return maker;
}

}  // namespace facepipe::pipeline
