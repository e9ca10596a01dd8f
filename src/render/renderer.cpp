#include "pneuma/render/renderer.h"

#include <fmt/format.h>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "render/film.h"

namespace pneuma::render {
namespace {

using internal::Film;
using internal::FilmPixel;
using internal::Geometry;
using internal::Radiance;
using internal::Rgb;
using internal::Sampler;
using internal::Tracer;

constexpr int kProbes = 4;  // samples that must all see plain background to stop early

[[noreturn]] void fail(const std::string& subject, const std::string& field,
                       const std::string& message, const std::string& expected = "") {
  throw InputError(
      Diagnostic{.subject = subject, .field = field, .message = message, .expected = expected});
}

void requireFinite(std::span<const Vec3> points, const std::string& subject) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      fail(subject, "positions", fmt::format("point {} is not finite", i));
}

void validate(const Surface& s, const std::string& subject) {
  requireFinite(s.mesh.positions, subject);
  const auto count = static_cast<std::int32_t>(s.mesh.positions.size());
  for (std::size_t t = 0; t < s.mesh.triangles.size(); ++t)
    for (const std::int32_t v : s.mesh.triangles[t])
      if (v < 0 || v >= count)
        fail(subject, "triangles", fmt::format("triangle {} names vertex {} of {}", t, v, count));
  if (!s.scalars.empty() && !s.scale) fail(subject, "scale", "missing for the given scalars");
  if (s.scale && !(s.scale->max > s.scale->min))
    fail(subject, "scale", fmt::format("range {} to {}", s.scale->min, s.scale->max), "max > min");
  for (const auto& [size, field] :
       {std::pair{s.scale ? std::max(s.scalars.size(), std::size_t{1}) : 0, "scalars"},
        std::pair{s.colors.size(), "colors"},
        std::pair{s.texture ? std::max(s.texture->places.size(), std::size_t{1}) : 0, "places"}})
    if (size != 0 && size != s.mesh.positions.size())
      fail(subject, field, fmt::format("{} values", size),
           fmt::format("{}, one per vertex", s.mesh.positions.size()));
}

void validate(const Polyline& line, const std::string& subject) {
  requireFinite(line.points, subject);
  const std::size_t n = line.points.size();
  if (n < 2) fail(subject, "points", fmt::format("{} points", n), "two or more");
  if (line.radii.size() != 1 && line.radii.size() != n)
    fail(subject, "radii", fmt::format("{} values", line.radii.size()), fmt::format("1 or {}", n));
  for (const double r : line.radii)
    if (!(r > 0) || !std::isfinite(r)) fail(subject, "radii", fmt::format("{}", r), "> 0 [m]");
  if (!line.colors.empty() && line.colors.size() != n)
    fail(subject, "colors", fmt::format("{} values", line.colors.size()), fmt::format("{}", n));
}

void validate(const Scene& scene) {
  for (std::size_t i = 0; i < scene.surfaces.size(); ++i)
    validate(scene.surfaces[i], fmt::format("surface {} '{}'", i, scene.surfaces[i].name));
  for (std::size_t i = 0; i < scene.lines.size(); ++i)
    validate(scene.lines[i], fmt::format("line {}", i));
}

void validate(const RenderOptions& o) {
  for (const auto& [value, field] : {std::pair{o.width, "width"}, std::pair{o.height, "height"}})
    if (value < 1 || value > 16384) fail("picture", field, fmt::format("{}", value), "1 to 16384");
  if (o.samples < 1 || o.samples > 4096)
    fail("picture", "samples", fmt::format("{}", o.samples), "1 to 4096");
  if (!(o.exposure > 0)) fail("picture", "exposure", fmt::format("{}", o.exposure), "> 0");
  if (!(o.keyLight >= 0)) fail("picture", "keyLight", fmt::format("{}", o.keyLight), ">= 0");
  if (!(o.skyLight >= 0)) fail("picture", "skyLight", fmt::format("{}", o.skyLight), ">= 0");
  if (o.cut && !(o.cut->normal.norm() > 0)) fail("picture", "cut", "the plane's normal is zero");
}

/// Whether two samples of a pixel see the same: no edge between them, nor a fine pattern.
bool alike(const Radiance& a, const Radiance& b) {
  constexpr float kLight = 0.02f, kNormal = 0.02f, kDepth = 0.01f;
  return a.touched && b.touched && (a.light - b.light).abs().maxCoeff() < kLight &&
         (a.normal - b.normal).squaredNorm() < kNormal &&
         std::abs(a.depth - b.depth) < kDepth * a.depth;
}

/// Means over the samples of one pixel. Plain background is recognised by a few probes, and where
/// light is kept and so has no grain, two samples that are alike are enough.
FilmPixel exposePixel(const Tracer& tracer, int x, int y, int samples) {
  FilmPixel pixel;
  const float left = static_cast<float>(x), top = static_cast<float>(y);
  if (!tracer.mayHit(left, top)) {
    pixel.light = tracer.behind(left + 0.5f, top + 0.5f);
    return pixel;
  }
  Sampler sampler(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
  Radiance first;
  float sum = 0, squares = 0;
  int taken = 0;
  while (taken < samples && (pixel.touched || taken < kProbes)) {
    sampler.start(static_cast<std::uint32_t>(taken));
    const auto [u, v] = sampler.next2();
    const Radiance r = tracer.trace(left + u, top + v, sampler);
    pixel.light += r.light;
    pixel.normal += r.normal;
    pixel.color += r.color;
    pixel.depth += r.depth;
    const float brightness = r.light.mean();
    sum += brightness;
    squares += brightness * brightness;
    pixel.touched = pixel.touched || r.touched;
    ++taken;
    if (taken == 1) first = r;
    if (taken == 2 && tracer.lightIsKept() && alike(first, r)) break;
  }
  const auto n = static_cast<float>(taken);
  pixel.light /= n, pixel.normal /= n, pixel.color /= n, pixel.depth /= n;
  if (taken > 1) pixel.variance = std::max(0.0f, squares - sum * sum / n) / (n * (n - 1));
  return pixel;
}

/// Vertices in the picture or near it, so that a camera may sway a little. The rest is lit as ever,
/// should it be seen after all.
std::vector<char> nearPicture(const Camera& camera, const RenderOptions& options,
                              const internal::Part& part) {
  constexpr double kAround = 0.12;  // of the picture's size
  const double right = kAround * options.width, down = kAround * options.height;
  std::vector<char> inside(part.vertices.size());
  for (std::size_t v = 0; v < inside.size(); ++v) {
    const Vec3 p =
        camera.project(part.vertices[v].head<3>().cast<double>(), options.width, options.height);
    inside[v] = p.z() > 0 && p.x() > -right && p.x() < options.width + right && p.y() > -down &&
                p.y() < options.height + down;
  }
  return inside;
}

/// Few rays leave grain from vertex to vertex; a mean with the neighbours takes it.
void smoothen(std::vector<internal::KeptLight>& light, const std::vector<Triangle>& triangles) {
  constexpr int kPasses = 3;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<internal::KeptLight> sum = light;
    std::vector<float> count(light.size(), 1);
    for (const Triangle& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto to = static_cast<std::size_t>(t[k]);
        const internal::KeptLight& from = light[static_cast<std::size_t>(t[(k + 1) % 3])];
        if (light[to].key < 0 || from.key < 0) continue;  // not known
        sum[to].key += from.key, sum[to].open += from.open, sum[to].sky += from.sky;
        ++count[to];
      }
    for (std::size_t v = 0; v < light.size(); ++v)
      light[v] = {sum[v].key / count[v], sum[v].open / count[v], sum[v].sky / count[v]};
  }
}

/// To 8 bits, with a fixed dither that keeps soft gradients free of bands.
void store(Image& image, int x, int y, const Rgb& light) {
  const auto h =
      internal::hashPair(static_cast<std::uint32_t>(x) + 77u, static_cast<std::uint32_t>(y));
  const float dither = Sampler::toUnit(h);
  std::uint8_t* pixel =
      &image.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x))];
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(
        std::clamp(255 * internal::linearToSrgb(light[c]) + dither, 0.0f, 255.0f));
}

Image develop(const Film& film, bool denoised) {
  Image image(film.width, film.height);
  const std::vector<Rgb> clean = denoised ? internal::denoise(film) : std::vector<Rgb>();
  for (int y = 0; y < film.height; ++y)
    for (int x = 0; x < film.width; ++x)
      store(image, x, y,
            denoised ? clean[static_cast<std::size_t>(y * film.width + x)] : film.at(x, y).light);
  return image;
}

void drawLabels(Image& image, const Scene& scene, const Camera& camera) {
  const double scale = image.height / 720.0;
  for (const Label& label : scene.labels) {
    const Vec3 p = camera.project(label.anchor, image.width, image.height);
    if (p.z() <= 0) continue;
    const Vec2 end = p.head<2>() + scale * label.offset;
    const bool toRight = label.offset.x() >= 0;
    drawLine(image, p.x(), p.y(), end.x(), end.y(), 1.3 * scale, palette::kInk, 0.75);
    const TextStyle style{
        .size = 19 * scale, .align = toRight ? Align::Left : Align::Right, .halo = 2.5 * scale};
    drawText(image, end.x() + (toRight ? 5 : -5) * scale, end.y() + 6 * scale, label.text, style);
  }
}

/// Surfaces that share a quantity share its legend, so only the first scale of the scene is drawn.
void drawLegends(Image& image, const Scene& scene) {
  for (const Surface& s : scene.surfaces)
    if (s.scale) return drawLegend(image, *s.scale);
}

}  // namespace

RenderOptions RenderOptions::inStudio() const {
  RenderOptions o = *this;
  o.keyLight = 1.35, o.skyLight = 0.55;
  o.background = Color::hex(0x8d929a);
  return o;
}

struct Renderer::Impl {
  explicit Impl(Scene s) : scene(std::move(s)), geometry(scene) {}

  Scene scene;
  Geometry geometry;
  std::vector<std::vector<Vec3>> rest;      ///< positions before the first setPose, per surface
  std::vector<std::optional<Pose>> poses;   ///< the last of each surface
  std::optional<internal::Lighting> light;  ///< that is kept
};

Renderer::Renderer(Scene scene) {
  validate(scene);
  impl_ = std::make_unique<Impl>(std::move(scene));
}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

const Scene& Renderer::scene() const {
  return impl_->scene;
}

void Renderer::setPositions(std::size_t surface, std::span<const Vec3> positions) {
  Surface& s = impl_->scene.surfaces.at(surface);
  if (positions.size() != s.mesh.positions.size())
    fail("surface '" + s.name + "'", "positions", fmt::format("{} points", positions.size()),
         fmt::format("{}", s.mesh.positions.size()));
  requireFinite(positions, "surface '" + s.name + "'");
  s.mesh.positions.assign(positions.begin(), positions.end());
  if (surface < impl_->poses.size()) impl_->poses[surface].reset();
  impl_->geometry.updateSurface(impl_->scene, surface);
}

void Renderer::setPose(std::size_t surface, const Pose& pose) {
  Surface& s = impl_->scene.surfaces.at(surface);
  impl_->rest.resize(impl_->scene.surfaces.size());
  std::vector<Vec3>& rest = impl_->rest[surface];
  if (rest.empty()) rest = s.mesh.positions;
  if (!pose.position.allFinite() || !pose.rotation.allFinite())
    fail("surface '" + s.name + "'", "pose", "not finite");
  // What stays where it is costs nothing.
  impl_->poses.resize(impl_->scene.surfaces.size());
  std::optional<Pose>& last = impl_->poses[surface];
  if (last && last->position == pose.position && last->rotation == pose.rotation) return;
  last = pose;
  for (std::size_t i = 0; i < rest.size(); ++i) s.mesh.positions[i] = pose * rest[i];
  impl_->geometry.moveSurface(surface, pose);
}

void Renderer::setScalars(std::size_t surface, std::span<const double> scalars) {
  Surface& s = impl_->scene.surfaces.at(surface);
  if (scalars.size() != s.scalars.size())
    fail("surface '" + s.name + "'", "scalars", fmt::format("{} values", scalars.size()),
         fmt::format("{}", s.scalars.size()));
  s.scalars.assign(scalars.begin(), scalars.end());
  impl_->geometry.updateScalars(impl_->scene, surface);
}

void Renderer::setMaterial(std::size_t surface, const Material& material) {
  impl_->scene.surfaces.at(surface).material = material;
  impl_->geometry.updateMaterial(impl_->scene, surface);
}

void Renderer::setLine(std::size_t line, std::span<const Vec3> points) {
  Polyline& l = impl_->scene.lines.at(line);
  if (points.size() != l.points.size())
    fail(fmt::format("line {}", line), "points", fmt::format("{}", points.size()),
         fmt::format("{}", l.points.size()));
  requireFinite(points, fmt::format("line {}", line));
  l.points.assign(points.begin(), points.end());
  impl_->geometry.updateLine(impl_->scene, line);
}

void Renderer::setLineMaterial(std::size_t line, const Material& material) {
  impl_->scene.lines.at(line).material = material;
  impl_->geometry.updateLineMaterial(impl_->scene, line);
}

Image Renderer::render(const Camera& camera, const RenderOptions& options) {
  validate(options);
  impl_->geometry.commit(options.cut);
  const Tracer tracer(impl_->geometry, camera, options, impl_->light ? &*impl_->light : nullptr);
  Film film(options.width, options.height);
  // Rows in short strips: a body's rows cost more than background, and strips balance that.
  const auto rows = static_cast<std::size_t>(options.height);
  parallelFor(rows, 4, [&](std::size_t begin, std::size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
      for (int x = 0; x < options.width; ++x)
        film.at(x, y) = exposePixel(tracer, x, y, options.samples);
  });
  Image image = develop(film, options.denoise);
  if (options.labels) drawLabels(image, impl_->scene, camera);
  if (options.legend) drawLegends(image, impl_->scene);
  return image;
}

void Renderer::keepLight(const Camera& camera, const RenderOptions& options) {
  constexpr std::uint32_t kRays = 12;  // and smoothen() the rest
  validate(options);
  Geometry& geometry = impl_->geometry;
  geometry.keepHierarchy();
  geometry.commit(options.cut);
  impl_->light.emplace(camera, options);
  for (std::uint32_t k = 0; k < geometry.partCount(); ++k) {
    internal::Part& part = geometry.part(k);
    if (part.isLine) continue;
    part.kept.assign(part.vertices.size(), {});
    const std::vector<char> seen = nearPicture(camera, options, part);
    if (std::ranges::find(seen, 1) == seen.end()) continue;
    parallelFor(part.vertices.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (!seen[v]) continue;
        Sampler sampler(static_cast<std::uint32_t>(v), k);
        part.kept[v] = impl_->light->reaching(geometry, part.vertices[v].head<3>(), part.normals[v],
                                              kRays, sampler);
      }
    });
    smoothen(part.kept, part.triangles);
  }
}

Image render(const Scene& scene, const Camera& camera, const RenderOptions& options) {
  return Renderer(scene).render(camera, options);
}

Image render(const Scene& scene, View view, const RenderOptions& options) {
  const double aspect = static_cast<double>(options.width) / std::max(1, options.height);
  return render(scene, Camera::frame(scene.bounds(), view, {.aspect = aspect}), options);
}

}  // namespace pneuma::render
