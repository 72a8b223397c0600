// Writes the small networks of tests/support/small_yolo.h into a folder, for
// bench/golden/make_family_golden.py: write_family_models FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/support/small_yolo.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_family_models FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const facepipe::test::FamilyModel& model : facepipe::test::family_models()) {
    std::ofstream file(folder / (model.name + ".onnx"), std::ios::binary);
    if (!model.file.model().SerializeToOstream(&file) || !file.flush()) {
      std::cerr << "can't write " << model.name << ".onnx into " << folder.string() << '\n';
      return 1;
    }
  }
}
