#include "anatomy/text/packed_points.h"

#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pneuma/core/base64.h"
#include "pneuma/core/error.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

std::string packPoints(std::span<const Vec3> points, const Vec3& middle) {
  std::string bytes;
  bytes.reserve(6 * points.size());
  for (const Vec3& p : points)
    for (int a = 0; a < 3; ++a) {
      const double steps = std::round((p[a] - middle[a]) / kPackedStep);
      if (!(std::abs(steps) <= std::numeric_limits<std::int16_t>::max()))
        throw InputError("points of a surface lie too far apart to be packed");
      const auto word = static_cast<std::uint16_t>(static_cast<std::int16_t>(steps));
      bytes += static_cast<char>(word & 0xff);
      bytes += static_cast<char>(word >> 8);
    }
  return encodeBase64(bytes);
}

std::optional<std::vector<Vec3>> unpackPoints(std::string_view text, const Vec3& middle) {
  std::string plain;
  plain.reserve(text.size());
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) plain += c;
  const std::optional<std::string> bytes = decodeBase64(plain);
  if (!bytes || bytes->size() % 6 != 0) return std::nullopt;
  std::vector<Vec3> points(bytes->size() / 6);
  for (std::size_t i = 0; i < 3 * points.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return static_cast<std::uint16_t>(static_cast<unsigned char>((*bytes)[2 * i + k]));
    };
    const auto word = static_cast<std::int16_t>(static_cast<std::uint16_t>(byte(0) | byte(1) << 8));
    const auto axis = static_cast<Eigen::Index>(i % 3);
    points[i / 3][axis] = middle[axis] + kPackedStep * word;
  }
  return points;
}

Vec3 packingMiddle(std::span<const Vec3> points) {
  Vec3 middle = (1e3 * boundingBox(points).center()).array().round().matrix() / 1e3;
  middle.x() = 0;  // so that the mid-plane is kept to the last bit
  return middle;
}

}  // namespace pneuma::anatomy::internal
