#include "pneuma/flesh/grid_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pneuma/core/error.h"
#include "pneuma/core/interpolate.h"

namespace pneuma::flesh {
namespace {

[[noreturn]] void failSize(const std::string& found) {
  throw InputError(Diagnostic{.subject = "grid",
                              .message = fmt::format("size '{}' is not usable", found),
                              .expected = "nodes along three axes, each >= 2, e.g. 21x5x5 (two for "
                                          "a surface, e.g. 21x9), 2,000,000 nodes at most"});
}

void requireSize(const GridSize& s) {
  const double nodes = static_cast<double>(s.m) * s.n * s.o;
  if (s.m < 2 || s.n < 2 || s.o < 1 || nodes > 2e6) failSize(toString(s));
}

/// The square [-1, 1]^2 onto the unit disc.
Vec2 squareToDisc(double u, double v) {
  return {u * std::sqrt(1 - 0.5 * v * v), v * std::sqrt(1 - 0.5 * u * u)};
}

}  // namespace

GridSize parseGridSize(const std::string& text) {
  GridSize size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%dx%d%c", &size.m, &size.n, &size.o, &rest) == 3) {
    if (size.o < 2) failSize(text);
  } else if (std::sscanf(text.c_str(), "%dx%d%c", &size.m, &size.n, &rest) == 2) {
    size.o = 1;
  } else {
    failSize(text);
  }
  requireSize(size);
  return size;
}

std::string toString(const GridSize& s) {
  return s.isSurface() ? fmt::format("{}x{}", s.m, s.n) : fmt::format("{}x{}x{}", s.m, s.n, s.o);
}

GridShape makeGrid(const GridSize& size, const std::function<Vec3(const Vec3& a)>& mapping) {
  requireSize(size);
  GridShape shape{size, {}};
  shape.positions.reserve(static_cast<std::size_t>(size.nodeCount()));
  for (int i = 0; i < size.m; ++i)
    for (int j = 0; j < size.n; ++j)
      for (int k = 0; k < size.o; ++k) {
        const double a3 = size.isSurface() ? 0.5 : k / (size.o - 1.0);
        const Vec3 p = mapping({i / (size.m - 1.0), j / (size.n - 1.0), a3});
        if (!p.allFinite())
          throw InputError(fmt::format("grid: node ({}, {}, {}) has no finite position", i, j, k));
        shape.positions.push_back(p);
      }
  return shape;
}

GridShape makeBrickGrid(const GridSize& size, const Vec3& extent, const Vec3& origin) {
  if (!(extent.array() > 0).all())
    throw InputError(
        Diagnostic{.subject = "brick",
                   .field = "extent",
                   .message = fmt::format("{} x {} x {} m", extent.x(), extent.y(), extent.z()),
                   .expected = "three lengths > 0 [m]"});
  return makeGrid(size, [&](const Vec3& a) -> Vec3 { return origin + a.cwiseProduct(extent); });
}

GridShape makeStationGrid(const GridSize& size, std::span<const MuscleStation> stations) {
  if (stations.size() < 2) throw InputError("muscle shape: fewer than two stations");
  return makeGrid(size, [&](const Vec3& a) -> Vec3 {
    const double s = a.x() * static_cast<double>(stations.size() - 1);
    const auto along = [&](Vec3 MuscleStation::*field) {
      return interpolateEven<Vec3>(stations.size(), s,
                                   [&](std::size_t i) { return stations[i].*field; });
    };
    const Vec2 disc = squareToDisc(2 * a.y() - 1, 2 * a.z() - 1);
    return along(&MuscleStation::center) + disc.x() * along(&MuscleStation::side1) +
           disc.y() * along(&MuscleStation::side2);
  });
}

GridShape makeFusiformGrid(const GridSize& size, double length, double bellyRadius,
                           double endRadius) {
  if (!(length > 0 && bellyRadius > 0 && endRadius > 0))
    throw InputError(Diagnostic{
        .subject = "fusiform muscle",
        .message = fmt::format("length {}, radii {} and {}", length, bellyRadius, endRadius),
        .expected = "numbers > 0 [m]"});
  return makeGrid(size, [&](const Vec3& a) -> Vec3 {
    const double swell = std::pow(std::sin(kPi * a.x()), 2);
    const double radius = endRadius + (bellyRadius - endRadius) * swell;
    const Vec2 disc = radius * squareToDisc(2 * a.y() - 1, 2 * a.z() - 1);
    return {length * a.x(), disc.x(), disc.y()};
  });
}

std::vector<Triangle> gridSurface(const GridSize& s) {
  std::vector<Triangle> triangles;
  // A quad p, p+u, p+u+v, p+v, seen from the side where u x v points; alternate diagonals keep the
  // pattern symmetric.
  const auto quad = [&](int p00, int p10, int p11, int p01, bool flip, bool alternate) {
    if (flip) std::swap(p10, p01);
    if (alternate) {
      triangles.push_back({p00, p10, p01});
      triangles.push_back({p10, p11, p01});
    } else {
      triangles.push_back({p00, p10, p11});
      triangles.push_back({p00, p11, p01});
    }
  };
  const auto side = [&](int axis, int at, bool flip) {
    const std::array<int, 3> count{s.m, s.n, s.o};
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    // u x v is +axis for axes 1 and 3 and -axis for axis 2.
    const bool turned = flip != (axis == 1);
    for (int i = 0; i + 1 < count[static_cast<std::size_t>(u)]; ++i)
      for (int j = 0; j + 1 < count[static_cast<std::size_t>(v)]; ++j) {
        const auto id = [&](int di, int dj) {
          std::array<int, 3> p{};
          p[static_cast<std::size_t>(axis)] = at;
          p[static_cast<std::size_t>(u)] = i + di;
          p[static_cast<std::size_t>(v)] = j + dj;
          return s.index(p[0], p[1], p[2]);
        };
        quad(id(0, 0), id(1, 0), id(1, 1), id(0, 1), turned, (i + j) % 2 == 1);
      }
  };
  if (s.isSurface()) {
    side(2, 0, false);
    return triangles;
  }
  side(0, 0, true), side(0, s.m - 1, false);
  side(1, 0, true), side(1, s.n - 1, false);
  side(2, 0, true), side(2, s.o - 1, false);
  return triangles;
}

}  // namespace pneuma::flesh
