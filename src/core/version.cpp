#include "pneuma/core/version.h"

namespace pneuma {

std::string_view version() {
  return PNEUMA_VERSION;
}
std::string_view buildDescription() {
  return PNEUMA_BUILD_DESCRIPTION;
}

}  // namespace pneuma
