#include "pneuma/shape/breath_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/io/file.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr std::string_view kModelKind = "breath model";

void putMatrix(io::StateWriter& out, const MatX& m) {
  out.put(static_cast<std::int64_t>(m.rows()));
  out.put(static_cast<std::int64_t>(m.cols()));
  out.putAll(std::span<const double>(m.data(), static_cast<std::size_t>(m.size())));
}

MatX getMatrix(io::StateReader& in) {
  const auto rows = in.get<std::int64_t>(), columns = in.get<std::int64_t>();
  const std::vector<double> values = in.getAll<double>();
  const auto size = static_cast<std::int64_t>(values.size());
  if (rows < 0 || columns < 0 || rows > size || columns > size || rows * columns != size)
    throw InputError("its matrix does not hold what it says");
  return Eigen::Map<const MatX>(values.data(), rows, columns);
}

void putPoints(io::StateWriter& out, const std::vector<Vec3>& points) {
  std::vector<float> floats;
  for (const Vec3& p : points)
    for (int k = 0; k < 3; ++k) floats.push_back(static_cast<float>(p[k]));
  out.putAll(std::span<const float>(floats));
}

std::vector<Vec3> getPoints(io::StateReader& in) {
  const std::vector<float> floats = in.getAll<float>();
  std::vector<Vec3> points(floats.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = Vec3(floats[3 * i], floats[3 * i + 1], floats[3 * i + 2]);
  return points;
}

void putWords(io::StateWriter& out, const std::vector<std::string>& words) {
  out.put(static_cast<std::uint64_t>(words.size()));
  for (const std::string& w : words) out.put(w);
}

/// Everything that later code relies on.
void checkModel(const BreathModel& m) {
  const std::size_t vertices = m.mesh.vertexCount();
  const auto inRange = [&](std::int32_t v) { return v >= 0 && at(v) < vertices; };
  bool fits = vertices > 0 && m.vertexParts.size() == vertices && m.mirror.size() == vertices &&
              std::ranges::all_of(m.mirror, inRange) && m.componentCount() > 0 &&
              m.function.weights().rows() == featureCount(m.function.inputs()) &&
              m.function.weights().cols() == m.componentCount() &&
              m.deviations.size() == m.componentCount() && std::isfinite(m.bellyLead) &&
              m.function.weights().allFinite() && m.deviations.allFinite();
  for (const Triangle& t : m.mesh.triangles) fits = fits && std::ranges::all_of(t, inRange);
  const auto finite = [](const Vec3& p) { return p.allFinite(); };
  fits = fits && std::ranges::all_of(m.mesh.positions, finite);
  for (const std::vector<Vec3>& u : m.components)
    fits = fits && u.size() == vertices && std::ranges::all_of(u, finite);
  if (!fits) throw InputError("its parts do not fit one another");
}

BreathModel unpack(const std::string& bytes) {
  io::StateReader in(bytes);
  BreathModel m;
  in.get(m.topologyId), in.get(m.dataHash), in.get(m.card);
  m.mesh.positions = getPoints(in);
  m.mesh.triangles = in.getAll<Triangle>();
  const auto parts = in.get<std::uint64_t>();
  if (parts != m.mesh.vertexCount()) throw InputError("its labels do not fit its vertices");
  m.vertexParts.resize(parts);
  for (std::string& p : m.vertexParts) in.get(p);
  m.mirror = in.getAll<std::int32_t>();
  const auto inputs = in.get<std::int32_t>();
  if (inputs < 0 || inputs > static_cast<std::int32_t>(BreathInputs::TypeFlow))
    throw InputError("its inputs are unknown");
  m.function = {static_cast<BreathInputs>(inputs), getMatrix(in)};
  in.get(m.bellyLead), in.get(m.deviations);
  const auto components = in.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < components; ++k) m.components.push_back(getPoints(in));
  if (!in.atEnd()) throw InputError("it goes on behind its end");
  checkModel(m);
  return m;
}

double volumeAt(const BreathModel& model, std::span<const Vec3> rest, const VecX& w) {
  std::vector<Vec3> x(rest.begin(), rest.end());
  for (Index m = 0; m < w.size(); ++m) {
    if (w[m] == 0) continue;
    const std::vector<Vec3>& u = model.components[static_cast<std::size_t>(m)];
    for (std::size_t v = 0; v < x.size(); ++v) x[v] += w[m] * u[v];
  }
  return enclosedVolume(x, model.mesh.triangles);
}

}  // namespace

void writeBreathModel(const std::filesystem::path& path, const BreathModel& m) {
  checkModel(m);
  io::StateWriter out;
  out.put(m.topologyId), out.put(m.dataHash), out.put(m.card);
  putPoints(out, m.mesh.positions);
  out.putAll(std::span<const Triangle>(m.mesh.triangles));
  putWords(out, m.vertexParts);
  out.putAll(std::span<const std::int32_t>(m.mirror));
  out.put(static_cast<std::int32_t>(m.function.inputs()));
  putMatrix(out, m.function.weights());
  out.put(m.bellyLead), out.put(m.deviations);
  out.put(static_cast<std::uint64_t>(m.components.size()));
  for (const std::vector<Vec3>& u : m.components) putPoints(out, u);
  io::writeBlob(path, kModelKind, BreathModel::kVersion, out.bytes());
}

BreathModel readBreathModel(const std::filesystem::path& path) {
  const std::string bytes = io::readBlob(path, kModelKind, BreathModel::kVersion).valueOrThrow();
  try {
    return unpack(bytes);
  } catch (const InputError& e) {
    throw InputError(io::fileError(path.string(), fmt::format("is no breath model: {}", e.what()),
                                   "a file of `pneuma learn`"));
  }
}

PersonBreath::PersonBreath(const BreathModel& model, std::vector<Vec3> rest)
    : model_(&model), rest_(std::move(rest)) {
  if (rest_.size() != model.mesh.vertexCount())
    throw InputError(fmt::format("breath: a skin of {} vertices; the model was learned on {}",
                                 rest_.size(), model.mesh.vertexCount()));
  area_ = torsoArea(model.shape(), rest_);
  const Index count = model.componentCount();
  const double before = enclosedVolume(rest_, model.mesh.triangles);
  // V is a cubic in w: its odd part at unit steps gives slopes, its even part exactly w^T H w.
  const auto even = [&](const VecX& w) {
    return 0.5 * (volumeAt(model, rest_, w) + volumeAt(model, rest_, -w)) - before;
  };
  slope_.resize(count), bend_.resize(count, count);
  for (Index m = 0; m < count; ++m) {
    const double step = std::max(1e-9, model.deviations[m]);
    const VecX w = step * VecX::Unit(count, m);
    slope_[m] =
        (volumeAt(model, rest_, 1e-3 * w) - volumeAt(model, rest_, -1e-3 * w)) / (2e-3 * step);
    bend_(m, m) = even(w) / (step * step);
  }
  for (Index m = 0; m < count; ++m)
    for (Index n = 0; n < m; ++n) {
      const double a = std::max(1e-9, model.deviations[m]), b = std::max(1e-9, model.deviations[n]);
      const double both = even(a * VecX::Unit(count, m) + b * VecX::Unit(count, n));
      bend_(m, n) = bend_(n, m) =
          0.5 * (both - a * a * bend_(m, m) - b * b * bend_(n, n)) / (a * b);
    }
}

double PersonBreath::volumeOf(const VecX& w) const {
  return slope_.dot(w) + w.dot(bend_ * w);
}

VecX PersonBreath::weights(const BreathMoment& moment) const {
  return model_->function(moment).transpose();
}

VecX PersonBreath::weights(double volume, double flow, double type) const {
  VecX w = weights(momentOf(type, volume / area_, flow / area_, model_->bellyLead));
  const VecX freedom = model_->deviations.cwiseAbs2();
  for (int step = 0; step < 2; ++step) {
    const VecX gradient = slope_ + 2 * (bend_ * w), way = freedom.cwiseProduct(gradient);
    const double gain = gradient.dot(way);
    if (gain > 0) w += (volume - volumeOf(w)) / gain * way;
  }
  return w;
}

void PersonBreath::apply(const VecX& w, std::span<Vec3> positions) const {
  PNEUMA_CHECK(positions.size() == rest_.size() && w.size() == model_->componentCount(),
               "{} places and {} weights for {} vertices and {} components", positions.size(),
               w.size(), rest_.size(), model_->componentCount());
  std::ranges::copy(rest_, positions.begin());
  for (Index m = 0; m < w.size(); ++m) {
    const std::vector<Vec3>& u = model_->components[static_cast<std::size_t>(m)];
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += w[m] * u[v];
  }
}

}  // namespace pneuma::shape
