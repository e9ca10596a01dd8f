#include "pneuma/render/camera.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pneuma/core/error.h"

namespace pneuma::render {
namespace {

constexpr std::array<std::pair<View, std::string_view>, 7> kNames = {
    {{View::Front, "front"},
     {View::Back, "back"},
     {View::Left, "left"},
     {View::Right, "right"},
     {View::ThreeQuarter, "three-quarter"},
     {View::ThreeQuarterBack, "three-quarter-back"},
     {View::Top, "top"}}};

Vec3 upFor(const Vec3& direction) {
  // Seen from above, the body's front is at the bottom of the picture.
  return std::abs(direction.normalized().y()) > 0.98 ? Vec3(0, 0, -1) : Vec3::UnitY();
}

}  // namespace

View viewFromName(std::string_view wanted) {
  std::vector<std::string> known;
  for (const auto& [view, text] : kNames) {
    if (text == wanted) return view;
    known.emplace_back(text);
  }
  if (wanted == "side") return View::Left;
  Diagnostic d{.field = "view",
               .message = "unknown view '" + std::string(wanted) + "'",
               .nearest = nearestName(wanted, known)};
  for (const std::string& text : known) d.expected += (d.expected.empty() ? "" : ", ") + text;
  throw InputError(d);
}

std::string_view name(View view) {
  for (const auto& [v, text] : kNames)
    if (v == view) return text;
  return "";
}

Vec3 direction(View view) {
  switch (view) {
    case View::Front:
      return {0, 0.06, 1};
    case View::Back:
      return {0, 0.06, -1};
    case View::Left:
      return {1, 0.06, 0};
    case View::Right:
      return {-1, 0.06, 0};
    case View::ThreeQuarter:
      return {0.72, 0.22, 1};
    case View::ThreeQuarterBack:
      return {0.72, 0.22, -1};
    case View::Top:
      return {0, 1, 0};
  }
  return Vec3::UnitZ();
}

Camera Camera::frame(const Box& box, View view, const FramingOptions& options) {
  return frame(box, render::direction(view), options);
}

Camera Camera::frame(const Box& box, const Vec3& direction, const FramingOptions& options) {
  if (box.empty()) throw InputError("camera: nothing to frame, the scene is empty");
  Camera camera;
  const Vec3 back = direction.normalized();
  camera.target = box.center();
  camera.up = upFor(back);
  camera.verticalFieldOfView = options.verticalFieldOfView;
  camera.position = camera.target + back;
  const Vec3 right = camera.right(), up = right.cross(camera.forward());
  const double room = 1 - options.margin;
  const double tanY = std::tan(options.verticalFieldOfView / 2) * room,
               tanX = tanY * options.aspect;
  // Least distance (or height) at which each corner is inside the picture.
  double distance = 0, halfHeight = 1e-9, depth = 0;
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner((i & 1 ? box.max : box.min).x(), (i & 2 ? box.max : box.min).y(),
                      (i & 4 ? box.max : box.min).z());
    const Vec3 p = corner - camera.target;
    const double x = std::abs(p.dot(right)), y = std::abs(p.dot(up)), z = p.dot(back);
    distance = std::max({distance, z + x / tanX, z + y / tanY});
    halfHeight = std::max({halfHeight, y / room, x / (room * options.aspect)});
    depth = std::max(depth, z);
  }
  if (options.orthographic) {
    camera.orthographicHeight = 2 * halfHeight;
    distance = 2 * depth + halfHeight;
  }
  camera.position = camera.target + std::max(distance, 1e-6) * back;
  return camera;
}

Camera Camera::closeUp(const Vec3& center, double size, View view, const FramingOptions& options) {
  Camera camera;
  const Vec3 back = render::direction(view).normalized();
  camera.target = center;
  camera.up = upFor(back);
  camera.verticalFieldOfView = options.verticalFieldOfView;
  if (options.orthographic) camera.orthographicHeight = size;
  camera.position = center + 0.5 * size / std::tan(options.verticalFieldOfView / 2) * back;
  return camera;
}

Vec3 Camera::project(const Vec3& point, int width, int height) const {
  const Vec3 f = forward(), r = right(), u = r.cross(f);
  const Vec3 p = point - position;
  const double depth = p.dot(f);
  const double half =
      orthographicHeight > 0 ? orthographicHeight / 2 : depth * std::tan(verticalFieldOfView / 2);
  const double scale = 0.5 * height / half;
  return {0.5 * width + scale * p.dot(r), 0.5 * height - scale * p.dot(u), depth};
}

}  // namespace pneuma::render
