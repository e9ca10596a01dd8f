#include <cstdlib>

#include "fuzz_target.h"
#include "pneuma/anatomy/body_file.h"

/// A body text that includes itself under any name: reading, and unfolding what it declares.
PNEUMA_FUZZ(content) {
  using namespace pneuma;
  using namespace pneuma::anatomy;
  const auto body = readBody(
      "fuzz.toml", [&](const std::string&) -> Result<std::string> { return std::string(content); });
  if (!body) {
    if (toString(body.diagnostics()).empty()) std::abort();
    return;
  }
  expandBody(*body);
}
