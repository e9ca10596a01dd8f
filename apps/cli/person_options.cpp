#include "cli/person_options.h"

#include "cli/field_options.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/log.h"

namespace pneuma::cli {

void PersonOptions::addTo(CLI::App* verb) {
  const char* group = "Person";
  verb->add_option("--body", path_, "Body file (default: the human that comes with Pneuma)")
      ->type_name("FILE")
      ->group(group);
  addFieldOptions(verb, request_, group);
}

anatomy::Body PersonOptions::loadAsMeasured() const {
  Result<anatomy::Body> body =
      anatomy::loadBody(path_.empty() ? anatomy::defaultBodyPath() : std::filesystem::path(path_));
  if (body)
    for (const Diagnostic& d : body.diagnostics()) logWarning(d.toString());
  return std::move(body).valueOrThrow();
}

anatomy::Person PersonOptions::person(const anatomy::Body& body) const {
  return stage::personOf(request_, body);
}

anatomy::Body PersonOptions::load() const {
  const anatomy::Body measured = loadAsMeasured();
  return anatomy::fitToPerson(measured, person(measured));
}

}  // namespace pneuma::cli
