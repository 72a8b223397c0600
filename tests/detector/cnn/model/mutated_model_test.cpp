// These tests change model files at random. Each file must be refused in one line, or run. It must
// never crash the program.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "tests/detector/files.h"
#include "tests/support/half_weights.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Identifies a field of a message that has a value, or one element of a list.
struct Place {
  Message* message;
  const FieldDescriptor* field;
  int index;  ///< -1 if the field isn't a list
};

void collect(Message& message, std::vector<Place>& places) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    // This takes only the first elements of long lists, such as weights.
    for (int i = 0; i < std::min(count, 300); ++i) {
      places.push_back({&message, field, field->is_repeated() ? i : -1});
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                   : *reflection.MutableMessage(&message, field),
              places);
    }
  }
}

std::int64_t odd_number(std::mt19937& random) {
  constexpr std::int64_t kOdd[] = {
      0,         1,  2,        3, 4, 7, 64, 255, 65535, 1 << 20, INT32_MAX, std::int64_t{1} << 32,
      INT64_MAX, -1, INT64_MIN};
  return kOdd[random() % std::size(kOdd)];
}

std::string odd_text(const std::string& before, std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return {};
    case 1:
      return before.substr(0, before.size() / 2);
    case 2:
      return before + before.substr(0, 4);
    default:
      return "Slice";
  }
}

void set_odd_value(const Place& place, std::mt19937& random) {
  Message& message = *place.message;
  const google::protobuf::Reflection& r = *message.GetReflection();
  const FieldDescriptor* const f = place.field;
  const int i = place.index;
  const std::int64_t number = odd_number(random);
  if (f->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    i < 0 ? r.SetInt64(&message, f, number) : r.SetRepeatedInt64(&message, f, i, number);
  } else if (f->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    const auto small = static_cast<std::int32_t>(number);
    i < 0 ? r.SetInt32(&message, f, small) : r.SetRepeatedInt32(&message, f, i, small);
  } else if (f->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    const float value = random() % 2 == 0 ? std::numeric_limits<float>::infinity() : 0.0F;
    i < 0 ? r.SetFloat(&message, f, value) : r.SetRepeatedFloat(&message, f, i, value);
  } else if (f->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    const std::string text = i < 0 ? r.GetString(message, f) : r.GetRepeatedString(message, f, i);
    i < 0 ? r.SetString(&message, f, odd_text(text, random))
          : r.SetRepeatedString(&message, f, i, odd_text(text, random));
  } else {
    r.ClearField(&message, f);
  }
}

/// Gives one field or element an odd value, removes it, or swaps it with another element of its
/// list.
void mutate(onnx::ModelProto& model, std::mt19937& random) {
  std::vector<Place> places;
  collect(model, places);
  // Weights have many more elements than nodes, so half of the changes are made to nodes.
  std::vector<Place> in_nodes;
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) collect(node, in_nodes);
  const std::vector<Place>& among = random() % 2 == 0 ? in_nodes : places;
  const Place place = among[random() % among.size()];
  const google::protobuf::Reflection& reflection = *place.message->GetReflection();
  const unsigned what = random() % 4;
  if (what == 0) {
    reflection.ClearField(place.message, place.field);
  } else if (what == 1 && place.index >= 0) {
    const int count = reflection.FieldSize(*place.message, place.field);
    reflection.SwapElements(place.message, place.field, place.index,
                            static_cast<int>(random() % static_cast<unsigned>(count)));
  } else {
    set_odd_value(place, random);
  }
}

/// Expects that the error is one line that names the file.
void expect_refusal(const Error& error) {
  const std::string message = error.what();
  EXPECT_EQ(error.kind(), ErrorKind::device) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find("changed.onnx"), std::string::npos) << message;
}

/// Changes a file at 1 to `most_changes` places, with a seed for each of several tries, and gives
/// the results to `read`. Returns how many of them `read` refuses.
unsigned refusals(const onnx::ModelProto& original, unsigned first_seed, unsigned seeds,
                  unsigned most_changes,
                  const std::function<void(onnx::ModelProto& changed)>& read) {
  unsigned refused = 0;
  for (unsigned seed = first_seed; seed < first_seed + seeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    onnx::ModelProto changed = original;
    auto changes = most_changes > 1 ? 1 + random() % most_changes : 1;
    for (; changes > 0 && changed.graph().node_size() > 0; --changes) mutate(changed, random);
    try {
      read(changed);
    } catch (const Error& error) {
      ++refused;
      expect_refusal(error);
    }
  }
  return refused;
}

void run_mutations(const std::filesystem::path& file, Library library, unsigned first,
                   unsigned count) {
  const test::TemporaryFolder folder;
  onnx::ModelProto original;
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(original.ParseFromIstream(&stream));
  constexpr Size kNetwork{64, 64};
  (void)refusals(original, first, count, 1, [&](const onnx::ModelProto& changed) {
    const Model model(folder.write("changed.onnx", changed.SerializeAsString()));
    const auto inference =
        make_engine(library, model, kNetwork, {Precision::f32, 1, 1})->make_inference();
    inference->start();
    inference->wait();
  });
}

/// Changes an exported file, and makes the canonical form of the result.
void run_canonical_mutations(const onnx::ModelProto& original, const CanonicalOptions& options) {
  constexpr Size kTrial{128, 64};
  constexpr unsigned kSeeds = 400;
  const unsigned refused = refusals(original, 0, kSeeds, 2, [&](onnx::ModelProto& changed) {
    (void)make_canonical(changed, "changed.onnx", options);
    (void)graph::check_onnx(changed, "changed.onnx", kTrial);
  });
  EXPECT_GT(refused, kSeeds / 10);
  EXPECT_LT(refused, kSeeds);
}

TEST(MutatedModel, OfAnExportIsRefusedOrCanonical) {
  constexpr InputNormalisation kNormalisation{{127.5F, 127.5F, 127.5F}, {128, 128, 128}};
  for (const Tail tail : {Tail::kept, Tail::arrangement_cut, Tail::decoding_cut}) {
    run_canonical_mutations(test::small_scrfd().model(), {tail, kNormalisation});
    run_canonical_mutations(test::export_for_all_passes().model(), {tail, kNormalisation});
  }
}

TEST(MutatedModel, OfHalfWeightsIsRefusedOrCanonical) {
  run_canonical_mutations(test::with_half_weights(test::small_scrfd().model()),
                          {Tail::arrangement_cut, {}});
}

TEST(MutatedModel, OfAYoloOrRetinafaceIsRefusedOrCanonical) {
  constexpr InputNormalisation kNormalisation{{0, 0, 0}, {255, 255, 255}};
  for (const test::OnnxBuilder& file :
       {test::small_yolo(2, {5, 3}), test::small_yolo_anchors(), test::small_retinaface()})
    run_canonical_mutations(file.model(), {Tail::decoding_cut, kNormalisation});
}

/// Changes a file, and reads it as a model of the user.
void run_read_mutations(const onnx::ModelProto& original) {
  const test::TemporaryFolder folder;
  constexpr unsigned kSeeds = 150;
  const unsigned refused = refusals(original, 0, kSeeds, 1, [&](const onnx::ModelProto& changed) {
    const Model model(folder.write("changed.onnx", changed.SerializeAsString()));
    EXPECT_EQ(model.outputs().size(), model.head().strides.size() * model.head().outputs.size());
  });
  EXPECT_GT(refused, kSeeds / 20);
  EXPECT_LT(refused, kSeeds);
}

TEST(MutatedModel, ThatTellsWhatItIsIsRefusedOrRead) {
  run_read_mutations(test::small_yolo(2, {5, 3}).model());
  run_read_mutations(test::small_yolo(1, {}, test::YoloVersion::v11).model());
  run_read_mutations(test::small_scrfd().model());
}

/// The checks of extents and indices must refuse each network that a library couldn't run safely.
TEST(MutatedModel, OfBoxesIsRefusedOrRunsByOpenvino) {
  const auto engines = supported_engines();
  if (std::ranges::none_of(engines,
                           [](const auto& has) { return has.library == Library::openvino; }))
    GTEST_SKIP() << "this build lacks OpenVINO";
  const test::TemporaryFolder folder;
  (void)folder.write("changed.onnx.json", test::boxes_card({"face", "plate"}));
  for (const bool suppresses : {false, true}) {
    constexpr unsigned kSeeds = 40;
    const unsigned refused =
        refusals(test::small_boxes(suppresses).model(), 0, kSeeds, 1, [&](const auto& changed) {
          const Model model(folder.write("changed.onnx", changed.SerializeAsString()));
          const Size size = model.data().input.size.value();
          const auto inference =
              make_engine(Library::openvino, model, size, {Precision::f32, 1, 1})->make_inference();
          inference->start();
          inference->wait();
        });
    EXPECT_GT(refused, kSeeds / 10);
    EXPECT_LT(refused, kSeeds);
  }
}

// With seed 75, the importer of OpenCV 4.6 crashed.
TEST(MutatedModel, OfCenterfaceIsRefusedOrRuns) {
  run_mutations(test::centerface_file(), Library::opencv, 60, 50);
}

TEST(MutatedModel, OfCenterfaceIsRefusedOrRunsByOpenvino) {
  const auto engines = supported_engines();
  if (engines.front().library != Library::openvino) GTEST_SKIP() << "this build lacks OpenVINO";
  run_mutations(test::centerface_file(), Library::openvino, 1000, 20);
}

TEST(MutatedModel, OfYunetIsRefusedOrRuns) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  run_mutations(test::yunet_file(), Library::opencv, 2000, 60);
}

}  // namespace
}  // namespace facepipe::detector
