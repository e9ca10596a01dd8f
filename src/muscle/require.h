#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "pneuma/core/error.h"

namespace pneuma::muscle::internal {

/// Throws InputError about a field of a component when the condition does not hold.
inline void require(bool good, const char* subject, const char* field, double value,
                    const char* expected) {
  if (good && std::isfinite(value)) return;
  throw InputError(Diagnostic{.subject = subject,
                              .field = field,
                              .message = fmt::format("{} is out of range", value),
                              .expected = expected});
}

}  // namespace pneuma::muscle::internal
