#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Names of body parts: sides, vertebral levels, and the placeholders of the series rule.
namespace pneuma::anatomy::internal {

/// Lower-case letters, digits, `_`, `-` and the marks of references and placeholders.
bool isValidName(std::string_view name);

/// Left and right exchanged in every word of a name or reference: `rib_05_l:head` gives
/// `rib_05_r:head`, `l_elbow_flexion` gives `r_elbow_flexion`.
std::string mirrorName(std::string_view name);

/// c1 .. c7, t01 .. t12, l1 .. l5, from above.
const std::vector<std::string>& vertebralLevels();

/// "c3..t02" or "01..10" as a list (also downwards); empty when it is not a range.
std::vector<std::string> expandRange(std::string_view text);

/// A level or number moved down by `steps`: ("c7", 1) gives "t01", ("09", 1) gives "10".
std::optional<std::string> shiftLevel(std::string_view value, int steps);

}  // namespace pneuma::anatomy::internal
