#pragma once

#include <string>
#include <string_view>

/// Bones, muscles and meshes of one side end in _l or _r.
namespace pneuma::survey {

inline bool isLeft(std::string_view name) {
  return name.ends_with("_l");
}

/// The same part of the other side; of the middle: itself.
inline std::string rightName(std::string name) {
  if (isLeft(name)) name.back() = 'r';
  return name;
}

}  // namespace pneuma::survey
