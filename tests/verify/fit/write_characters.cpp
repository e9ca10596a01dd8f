// Writes the shared characters, their stylised variants and poses as OBJ files, to be fitted and
// looked at.
//
//   write_characters FOLDER
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "pneuma/core/error.h"
#include "tests/verify/fit/shared_characters.h"

int main(int argc, char** argv) try {
  using namespace pneuma;
  if (argc != 2) throw InputError("write_characters FOLDER");
  std::filesystem::create_directories(argv[1]);
  for (const test::SharedCharacter& c : test::allSharedCharacters()) {
    if (c.mesh.empty()) throw InputError("no shared characters");
    std::string name = c.name;
    std::erase(name, ',');
    std::ranges::replace(name, ' ', '_');
    io::writeMesh(std::filesystem::path(argv[1]) / (name + ".obj"), c.mesh);
  }
  return 0;
} catch (const pneuma::InputError& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
