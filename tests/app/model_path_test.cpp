// These tests check at which paths the program looks for the model.
#include "app/model_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::expect_error;
using test::TemporaryFolder;

/// Sets or unsets an environment variable. The destructor restores it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* const before = getenv(name);
    if (before != nullptr) before_ = before;
    had_ = before != nullptr;
    if (value != nullptr)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  ~Variable() {
    if (had_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

TEST(FindModel, NamedBeatsVariableBeatsPlaces) {
  const TemporaryFolder dir;
  const std::string beside = dir.write("bin/models/centerface.onnx");
  const std::string shared = dir.write("share/facepipe/models/centerface.onnx");
  {
    const Variable set("FACEPIPE_MODEL", "variable.onnx");
    EXPECT_EQ(find_model("named.onnx", dir / "bin"), "named.onnx");
    EXPECT_EQ(find_model("", dir / "bin"), "variable.onnx");
  }
  const Variable unset("FACEPIPE_MODEL", nullptr);
  EXPECT_EQ(find_model("", dir / "bin"), beside);
  std::filesystem::remove(beside);
  EXPECT_EQ(find_model("", dir / "bin"), shared);
}

TEST(FindModel, ByTheNamesOfTheModelsThatComeWithTheProgram) {
  const TemporaryFolder dir;
  const Variable set("FACEPIPE_MODEL", "variable.onnx");
  for (const std::string name : {"centerface", "centerface-hide"}) {
    const std::string file = dir.write("share/facepipe/models/" + name + ".onnx");
    EXPECT_EQ(find_model(name, dir / "bin"), file);
    std::filesystem::remove(file);
    expect_error(ErrorKind::device, "bin/models/" + name + ".onnx",
                 [&] { (void)find_model(name, dir / "bin"); });
  }
  EXPECT_EQ(find_model("centerface-other", dir / "bin"), "centerface-other");
}

TEST(FindModel, SaysWhereItLookedAndWhatHelps) {
  const TemporaryFolder dir;
  const Variable unset("FACEPIPE_MODEL", nullptr);
  for (const std::string& text : std::vector<std::string>{
           dir / "bin/models/centerface.onnx", dir / "share/facepipe/models/centerface.onnx",
           std::string("FACEPIPE_MODEL"), std::string("./dev setup")})
    expect_error(ErrorKind::device, text, [&] { (void)find_model("", dir / "bin"); });
}

TEST(FindModel, ProgramDirectoryHoldsThisTest) {
  EXPECT_TRUE(std::filesystem::exists(program_directory() / "test_app"));
}

}  // namespace
}  // namespace facepipe::app
