#include "pneuma/stage/skin_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"

namespace pneuma::stage {
namespace {

using anatomy::SkinAtlas;

constexpr int kPadding = 6;  // texels around a chart

/// A triangle of the atlas over a texel, and where in it.
struct TexelPlace {
  std::int32_t triangle = -1;  ///< -1: no chart is there
  std::array<float, 3> weight{};

  template <class Value>
  auto of(const std::vector<Value>& values, const std::vector<Triangle>& triangles) const {
    const Triangle& t = triangles[static_cast<std::size_t>(triangle)];
    Value sum = values[static_cast<std::size_t>(t[0])] * static_cast<double>(weight[0]);
    for (std::size_t k = 1; k < 3; ++k)
      sum += values[static_cast<std::size_t>(t[k])] * static_cast<double>(weight[k]);
    return sum;
  }
};

/// Which triangle covers the centre of each texel.
class AtlasGrid {
 public:
  AtlasGrid(const SkinAtlas& atlas, int size)
      : size_(size), texels_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {
    for (std::size_t t = 0; t < atlas.triangles.size(); ++t) cover(atlas, t);
  }
  const TexelPlace& at(std::size_t texel) const { return texels_[texel]; }

 private:
  void cover(const SkinAtlas& atlas, std::size_t t) {
    std::array<Vec2, 3> p;  // in texels, rows from the top
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2& uv = atlas.uv[static_cast<std::size_t>(atlas.triangles[t][k])];
      p[k] = size_ * Vec2(uv.x(), 1 - uv.y());
    }
    const auto cross = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
    const double area = cross(p[1] - p[0], p[2] - p[0]);
    if (area == 0) return;
    const auto [left, right] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
    const auto [top, bottom] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
    const auto first = [](double x) { return std::max(0, static_cast<int>(std::ceil(x - 0.5))); };
    const auto last = [this](double x) {
      return std::min(size_ - 1, static_cast<int>(std::floor(x - 0.5)));
    };
    for (int y = first(top); y <= last(bottom); ++y)
      for (int x = first(left); x <= last(right); ++x) {
        const Vec2 c(x + 0.5, y + 0.5);
        const double b1 = cross(c - p[0], p[2] - p[0]) / area;
        const double b2 = cross(p[1] - p[0], c - p[0]) / area;
        if (b1 < 0 || b2 < 0 || b1 + b2 > 1) continue;
        texels_[static_cast<std::size_t>(y * size_ + x)] = {
            static_cast<std::int32_t>(t),
            {static_cast<float>(1 - b1 - b2), static_cast<float>(b1), static_cast<float>(b2)}};
      }
  }

  int size_;
  std::vector<TexelPlace> texels_;
};

/// The mesh that wears the maps: its frame at each render vertex.
struct ShownFrames {
  std::vector<Vec3> normals, tangents;
  std::vector<double> signs;

  ShownFrames(const anatomy::SkinTopology& shown, std::span<const Vec3> positions) {
    const std::vector<Vec3> own(positions.begin(), positions.end());
    normals = shown.atlas.expanded(std::span<const Vec3>(vertexNormals({own, shown.triangles})));
    for (const Vec4& t : anatomy::skinTangents(shown.atlas, positions)) {
      tangents.push_back(t.head<3>());
      signs.push_back(t.w());
    }
  }
};

render::Color toPixel(const Vec3& n) {
  const auto channel = [](double x) { return static_cast<float>(0.5 + 0.5 * x); };
  return {channel(n.x()), channel(n.y()), channel(n.z())};
}

/// Charts grow by the mean of their neighbours, so that filters at a seam find no background.
void pad(render::Image& image, std::vector<char> filled) {
  const auto at = [&](int x, int y) { return static_cast<std::size_t>(y * image.width + x); };
  for (int pass = 0; pass < kPadding; ++pass) {
    std::vector<char> grown = filled;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        if (filled[at(x, y)]) continue;
        float r = 0, g = 0, b = 0, count = 0;
        for (int v = std::max(0, y - 1); v <= std::min(image.height - 1, y + 1); ++v)
          for (int u = std::max(0, x - 1); u <= std::min(image.width - 1, x + 1); ++u)
            if (filled[at(u, v)]) {
              const render::Color c = image.at(u, v);
              r += c.r, g += c.g, b += c.b, ++count;
            }
        if (count == 0) continue;
        image.set(x, y, {r / count, g / count, b / count});
        grown[at(x, y)] = 1;
      }
    filled = std::move(grown);
  }
}

std::string bytesOf(const render::Image& image) {
  const std::vector<std::uint8_t> png = render::encodePng(image);
  return {png.begin(), png.end()};
}

}  // namespace

SkinMaps makeSkinMaps(const anatomy::SkinTopology& shown, const anatomy::SkinSurface& fine,
                      const Complexion& complexion, const SkinMapConfig& config) {
  if (config.size < 16 || config.size > 8192)
    throw InputError(Diagnostic{.subject = "skin maps",
                                .field = "size",
                                .message = fmt::format("{}", config.size),
                                .expected = "16 to 8192"});
  if (!fine.topology || fine.topology->atlas.chartNames != shown.atlas.chartNames ||
      fine.topology->level < shown.level || shown.atlas.uv.empty())
    throw InputError(Diagnostic{.subject = "skin maps",
                                .message = "the finer skin is of another topology",
                                .expected = "a level of the one skin"});
  const SkinAtlas& atlas = fine.topology->atlas;
  const AtlasGrid fineGrid(atlas, config.size), shownGrid(shown.atlas, config.size);
  const std::vector<Vec3> places = atlas.expanded(std::span<const Vec3>(fine.topology->places));
  const std::vector<Vec3> normals = atlas.expanded(std::span<const Vec3>(vertexNormals(fine.mesh)));
  const ShownFrames frames(shown,
                           std::span<const Vec3>(fine.mesh.positions).first(shown.parts.size()));
  const std::vector<Triangle>& corners = shown.atlas.triangles;

  SkinMaps maps{render::Image(config.size, config.size, complexion.tone),
                render::Image(config.size, config.size, toPixel(Vec3::UnitZ()))};
  std::vector<char> filled(static_cast<std::size_t>(config.size) *
                           static_cast<std::size_t>(config.size));
  parallelFor(static_cast<std::size_t>(config.size), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(config.size); ++x) {
        const std::size_t texel = y * static_cast<std::size_t>(config.size) + x;
        const TexelPlace &f = fineGrid.at(texel), &s = shownGrid.at(texel);
        if (f.triangle < 0 || s.triangle < 0) continue;
        const Vec3 place = f.of(places, atlas.triangles);
        const int px = static_cast<int>(x), py = static_cast<int>(y);
        maps.color.set(px, py, complexionAt(place, complexion));
        const Vec3 n = s.of(frames.normals, corners).normalized();
        Vec3 t = s.of(frames.tangents, corners);
        t = (t - n * n.dot(t)).normalized();
        const Vec3 b = (s.of(frames.signs, corners) < 0 ? -1.0 : 1.0) * n.cross(t);
        constexpr double kStep = 2e-4;  // [m]
        const auto slope = [&](const Vec3& d) {
          return (poreHeight(place + kStep * d) - poreHeight(place - kStep * d)) / (2 * kStep);
        };
        const Vec3 seen =
            (f.of(normals, atlas.triangles).normalized() - slope(t) * t - slope(b) * b)
                .normalized();
        maps.normal.set(px, py, toPixel(Vec3(seen.dot(t), seen.dot(b), seen.dot(n))));
        filled[texel] = 1;
      }
  });
  pad(maps.color, filled);
  pad(maps.normal, filled);
  return maps;
}

io::GltfMaterial paintedMaterial(const SkinMaps& maps, io::GltfMaterial material,
                                 io::GltfScene& scene) {
  material.color = Vec3::Ones();  // multiplies the picture
  material.colorImage = scene.addImage({"skin_color", "image/png", bytesOf(maps.color)});
  material.normalImage = scene.addImage({"skin_normal", "image/png", bytesOf(maps.normal)});
  return material;
}

std::size_t writeSkinObj(const std::filesystem::path& path, const anatomy::Body& measured,
                         const anatomy::Person& person, const SkinMapConfig& config) {
  constexpr int kTriangles = 80000;
  const anatomy::GeometryCache cache;
  const anatomy::SkinSurface skin = anatomy::makeShownSkin(measured, person, kTriangles, cache);
  const SkinMaps maps = makeSkinMaps(*skin.topology, skin, {.sex = person.sex}, config);
  const std::string stem = path.stem().string();
  const auto beside = [&](const std::string& ending) {
    return path.parent_path() / (stem + ending);
  };
  render::writePng(maps.color, beside("_color.png"));
  render::writePng(maps.normal, beside("_normal.png"));
  io::writeFile(beside(".mtl"),
                fmt::format("newmtl skin\nKd 1 1 1\nKs 0.03 0.03 0.03\nNs 40\nd 1\nillum 2\n"
                            "map_Kd {0}_color.png\nnorm {0}_normal.png\n",
                            stem));
  const io::NamedMesh mesh{.name = "skin",
                           .mesh = skin.mesh,
                           .uv = skin.topology->atlas.uv,
                           .uvTriangles = skin.topology->atlas.triangles,
                           .material = "skin"};
  io::writeMeshes(path, {&mesh, 1}, stem + ".mtl");
  return skin.mesh.triangleCount();
}

}  // namespace pneuma::stage
