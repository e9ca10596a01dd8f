#pragma once

#include <optional>
#include <vector>

#include "pneuma/fit/fitted_figure.h"
#include "pneuma/fit/five_ends.h"

namespace pneuma::fit::internal {

/// The ends that a user names, as vertices: those nearest to the places given; nothing where none
/// is named. Throws InputError where one is missing, lies beside the character, or two are one.
std::optional<FiveEnds> namedEnds(const TriangleMesh& mesh, const std::vector<Landmark>& landmarks);

}  // namespace pneuma::fit::internal
