#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "pneuma/stage/person_request.h"

namespace pneuma::cli {

/// Which body, and who: the options that all verbs with a body share.
///
///   --body FILE  --sex S --height CM|M --mass KG --age YEARS
///   --spine-ratio R --high-lateral R --low-lateral R --frontal R
class PersonOptions {
 public:
  void addTo(CLI::App* verb);

  /// The described body, expanded and fitted to the person. Throws InputError with every finding.
  anatomy::Body load() const;
  /// The same without fitting, for looking at the file itself.
  anatomy::Body loadAsMeasured() const;
  /// The person that the options and the body's own default ask for.
  anatomy::Person person(const anatomy::Body& body) const;

  const std::string& path() const { return path_; }
  const stage::PersonRequest& request() const { return request_; }

 private:
  std::string path_;
  stage::PersonRequest request_;
};

}  // namespace pneuma::cli
