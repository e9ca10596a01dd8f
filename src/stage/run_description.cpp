#include "pneuma/stage/run_description.h"

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/hash.h"

namespace pneuma::stage {

std::string bodyHash(const anatomy::Body& measured) {
  return Hash64().text(anatomy::bodyText(measured)).hex();
}

nlohmann::ordered_json personJson(const anatomy::Person& p) {
  nlohmann::ordered_json j{{"sex", p.sex == anatomy::Sex::Male ? "male" : "female"},
                           {"height_m", p.height},
                           {"mass_kg", p.mass},
                           {"age_years", p.age}};
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) j[key] = *value;
  };
  put("spine_ratio", p.spineRatio);
  put("high_lateral", p.highLateralScale);
  put("low_lateral", p.lowLateralScale);
  put("frontal", p.frontalScale);
  return j;
}

}  // namespace pneuma::stage
