// Runs tests with both known models.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "detector/cnn/model/model.h"
#include "tests/detector/files.h"

namespace facepipe::test {

/// The parameter is "centerface" or "yunet". The tests with YuNet are skipped if its file is
/// missing.
class KnownModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool centerface = std::strcmp(GetParam(), "centerface") == 0;
    const std::filesystem::path file = centerface ? centerface_file() : yunet_file();
    if (!centerface && !std::filesystem::exists(file)) GTEST_SKIP() << "no YuNet file";
    model_ = std::make_unique<detector::Model>(file);
  }
  [[nodiscard]] const detector::Model& model() const { return *model_; }

 private:
  std::unique_ptr<detector::Model> model_;
};

}  // namespace facepipe::test
