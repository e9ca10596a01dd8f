#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pneuma/anatomy/body.h"

/// What run.toml says of a body and a person.
namespace pneuma::stage {

/// Hash of the whole text of a body as it was read, with all files it includes: two bodies that
/// differ in any number or name differ in it.
std::string bodyHash(const anatomy::Body& measured);

/// A person's every number.
nlohmann::ordered_json personJson(const anatomy::Person& person);

}  // namespace pneuma::stage
