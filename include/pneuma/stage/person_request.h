#pragma once

#include <optional>
#include <string>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/field_table.h"

namespace pneuma::stage {

/// Who is asked for. What is not stated is as the body file has it.
struct PersonRequest {
  std::string
      sex;  ///< "male", "man" or "boy", "female", "woman" or "girl", or "": as the body has it
  std::optional<double> height;                                        ///< [m], or cm above 3
  std::optional<double> mass;                                          ///< [kg]
  std::optional<double> age;                                           ///< [years]
  std::optional<double> spineRatio, highLateral, lowLateral, frontal;  ///< 1 = as measured
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<PersonRequest> p) {
  v.field({.name = "sex",
           .meaning = "male or female",
           .choices = {"male", "female", "man", "woman", "boy", "girl"}},
          p.sex);
  v.field({.name = "height", .meaning = "Height in m (or cm above 3)", .type = "M"}, p.height);
  v.field({.name = "mass", .meaning = "Body mass in kg", .type = "KG"}, p.mass);
  v.field({.name = "age", .meaning = "Age in years", .type = "YEARS"}, p.age);
  v.field({.name = "spine_ratio",
           .meaning = "Leg length against trunk length, 1 = as measured",
           .type = "RATIO"},
          p.spineRatio);
  v.field({.name = "high_lateral",
           .meaning = "Width of the upper body, 1 = as measured",
           .type = "RATIO"},
          p.highLateral);
  v.field({.name = "low_lateral",
           .meaning = "Width of the lower body, 1 = as measured",
           .type = "RATIO"},
          p.lowLateral);
  v.field({.name = "frontal", .meaning = "Depth of the body, 1 = as measured", .type = "RATIO"},
          p.frontal);
}

/// The person that a request and the body's own one ask for together. A height without a mass keeps
/// the body mass index; a child without a height has the median of sex and age, a woman the body's.
/// Throws InputError for someone who cannot be (anatomy::checkPerson).
anatomy::Person personOf(const PersonRequest& request, const anatomy::Body& body);

}  // namespace pneuma::stage
