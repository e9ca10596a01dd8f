#pragma once

#include <vector>

#include "pneuma/anatomy/body.h"

namespace pneuma::anatomy::internal {

/// Checks an expanded body: names are unique, references lead somewhere, trees are trees, joints
/// have what their type needs, inertias are possible. All findings are appended.
void checkReferences(const Body& body, std::vector<Diagnostic>& findings);

}  // namespace pneuma::anatomy::internal
