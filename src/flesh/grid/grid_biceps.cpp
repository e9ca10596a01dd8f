#include <array>

#include "pneuma/flesh/grid_presets.h"

namespace pneuma::flesh {
namespace {

/// Section of both heads together: centre [m, body frame] and half axes across the arm (medial to
/// lateral, front to back) of the ellipse with the same area and the same ratio of second moments.
/// Planes across the line between the sections at a sixth of the length from either end.
struct Measured {
  std::array<double, 3> center;
  double across, depth;
};

// BodyParts3D, (c) The Database Center for Life Science licensed under CC Attribution-Share Alike
// 2.1 Japan. Measured on the left arm: 1.8 to 14.6 to 1.4 cm^2 over 178 mm, 165 cm^3 of belly.
constexpr std::array<Measured, 12> kBiceps{{
    {{0.1717, 1.2598, 0.0855}, 0.0109, 0.0054},
    {{0.1758, 1.2441, 0.0877}, 0.0177, 0.0084},
    {{0.1801, 1.2284, 0.0890}, 0.0226, 0.0114},
    {{0.1837, 1.2126, 0.0900}, 0.0256, 0.0139},
    {{0.1874, 1.1969, 0.0897}, 0.0277, 0.0157},
    {{0.1912, 1.1811, 0.0890}, 0.0289, 0.0161},
    {{0.1946, 1.1653, 0.0880}, 0.0288, 0.0158},
    {{0.1979, 1.1495, 0.0869}, 0.0274, 0.0150},
    {{0.2017, 1.1337, 0.0856}, 0.0242, 0.0135},
    {{0.2054, 1.1180, 0.0844}, 0.0192, 0.0113},
    {{0.2083, 1.1021, 0.0834}, 0.0140, 0.0086},
    {{0.2108, 1.0861, 0.0831}, 0.0094, 0.0048},
}};

}  // namespace

std::span<const MuscleStation> bicepsStations() {
  static const std::array<MuscleStation, kBiceps.size()> stations = [] {
    std::array<MuscleStation, kBiceps.size()> list;
    const Vec3 axis = Vec3(0.1959, -0.9806, -0.0093).normalized();
    const Vec3 front = (Vec3::UnitZ() - axis.z() * axis).normalized();
    const Vec3 lateral = front.cross(axis);  // axis, lateral, front are right-handed
    for (std::size_t i = 0; i < kBiceps.size(); ++i)
      list[i] = {Vec3(kBiceps[i].center.data()), kBiceps[i].across * lateral,
                 kBiceps[i].depth * front};
    return list;
  }();
  return stations;
}

}  // namespace pneuma::flesh
