#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/progress.h"
#include "pneuma/shape/registration.h"

namespace pneuma::reproduce::tsoli2014 {

/// Somebody else's body with our skin registered to it.
struct CharacterLine {
  std::string name;
  shape::SurfaceDistances trunk;      ///< of our trunk from the character [m]
  shape::SurfaceDistances skin;       ///< of our skin outside hands and head [m]
  shape::SurfaceDistances character;  ///< of the character from our skin, likewise [m]
  std::vector<Vec3> rest;             ///< the character's shape in our rest pose [m]
};

/// Every OBJ, PLY, STL, glTF or GLB of a folder, by name. A body that cannot be registered throws
/// InputError.
std::vector<CharacterLine> registerCharacters(const std::filesystem::path& folder,
                                              const anatomy::Body& measured, Progress& progress);

}  // namespace pneuma::reproduce::tsoli2014
