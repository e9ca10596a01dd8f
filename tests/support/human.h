#pragma once

#include <memory>
#include <string_view>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/data_folder.h"

/// The body that comes with Pneuma, loaded once per test program.
namespace pneuma::test {

inline std::shared_ptr<const anatomy::Body> humanBody() {
  static const auto body = std::make_shared<const anatomy::Body>(
      anatomy::loadBody(dataFile("body/human.toml")).valueOrThrow());
  return body;
}

/// The same as a person; by default the body's own.
inline anatomy::Body humanAs(const anatomy::Person& person) {
  return anatomy::fitToPerson(*humanBody(), person);
}
inline anatomy::Body humanAsBuilt() {
  return humanAs(humanBody()->person);
}

/// Both sexes, 1.50 to 1.95 m, body mass index 18 to 38, 20 to 75 years.
inline std::vector<anatomy::Person> twelvePersons() {
  using anatomy::Sex;
  const auto person = [](Sex sex, double height, double index, double age) {
    anatomy::Person p;
    p.sex = sex;
    p.height = height;
    p.mass = index * height * height;
    p.age = age;
    return p;
  };
  return {person(Sex::Male, 1.62, 18, 20),   person(Sex::Male, 1.70, 22, 75),
          person(Sex::Male, 1.75, 23.8, 30), person(Sex::Male, 1.78, 30, 45),
          person(Sex::Male, 1.85, 38, 60),   person(Sex::Male, 1.95, 26, 25),
          person(Sex::Female, 1.50, 20, 75), person(Sex::Female, 1.55, 32, 60),
          person(Sex::Female, 1.60, 22, 30), person(Sex::Female, 1.65, 26, 45),
          person(Sex::Female, 1.72, 38, 50), person(Sex::Female, 1.83, 18, 20)};
}

}  // namespace pneuma::test
