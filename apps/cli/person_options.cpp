#include "cli/person_options.h"

#include <fmt/format.h>

#include "cli/program.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/log.h"

namespace pneuma::cli {

void PersonOptions::addTo(CLI::App* verb) {
  const char* group = "Person";
  verb->add_option("--body", path_, "Body file (default: the human that comes with Pneuma)")
      ->type_name("FILE")
      ->group(group);
  verb->add_option("--sex", sex_, "male or female")->check(oneOf({"male", "female"}))->group(group);
  verb->add_option("--height", height_, "Height in m (or cm above 3)")
      ->check(finiteNumber())
      ->type_name("M")
      ->group(group);
  verb->add_option("--mass", mass_, "Body mass in kg")
      ->check(finiteNumber())
      ->type_name("KG")
      ->group(group);
  verb->add_option("--age", age_, "Age in years")
      ->check(finiteNumber())
      ->type_name("YEARS")
      ->group(group);
  const auto ratio = [&](const char* name, std::optional<double>& value, const char* help) {
    verb->add_option(name, value, help)->check(finiteNumber())->type_name("RATIO")->group(group);
  };
  ratio("--spine-ratio", spineRatio_, "Leg length against trunk length, 1 = as measured");
  ratio("--high-lateral", highLateral_, "Width of the upper body, 1 = as measured");
  ratio("--low-lateral", lowLateral_, "Width of the lower body, 1 = as measured");
  ratio("--frontal", frontal_, "Depth of the body, 1 = as measured");
}

anatomy::Body PersonOptions::loadAsMeasured() const {
  Result<anatomy::Body> body =
      anatomy::loadBody(path_.empty() ? anatomy::defaultBodyPath() : std::filesystem::path(path_));
  if (body)
    for (const Diagnostic& d : body.diagnostics()) logWarning(d.toString());
  return std::move(body).valueOrThrow();
}

anatomy::Person PersonOptions::person(const anatomy::Body& body) const {
  anatomy::Person p = body.person;
  if (sex_) p.sex = *sex_ == "female" ? anatomy::Sex::Female : anatomy::Sex::Male;
  if (height_) p.height = *height_ > 3 ? *height_ / 100 : *height_;
  if (mass_) p.mass = *mass_;
  // A height without a mass keeps the body mass index.
  if (height_ && !mass_)
    p.mass = body.person.mass * (p.height * p.height) / (body.person.height * body.person.height);
  if (age_) p.age = *age_;
  if (spineRatio_) p.spineRatio = spineRatio_;
  if (highLateral_) p.highLateralScale = highLateral_;
  if (lowLateral_) p.lowLateralScale = lowLateral_;
  if (frontal_) p.frontalScale = frontal_;
  anatomy::checkPerson(p);
  return p;
}

anatomy::Body PersonOptions::load() const {
  const anatomy::Body measured = loadAsMeasured();
  return anatomy::fitToPerson(measured, person(measured));
}

}  // namespace pneuma::cli
