#pragma once

#include <string_view>

namespace pneuma::render::internal {

/// The bundled script of the interactive view (apps/report-viewer); empty when the build left it
/// out.
std::string_view viewerScript();

}  // namespace pneuma::render::internal
