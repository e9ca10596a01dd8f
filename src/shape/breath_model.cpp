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

void putIdentity(io::StateWriter& out, const IdentitySpace& z) {
  out.put(z.means()), out.put(z.deviations());
  out.putAll(std::span<const float>(z.directions().data(),
                                    static_cast<std::size_t>(z.directions().size())));
}

IdentitySpace getIdentity(io::StateReader& in) {
  VecX means, deviations;
  in.get(means), in.get(deviations);
  const std::vector<float> d = in.getAll<float>();
  const auto size = static_cast<Index>(d.size());
  const Index rows = means.size();
  if (deviations.size() != rows || (rows == 0 ? size != 0 : size % rows != 0))
    throw InputError("its scores of people do not fit one another");
  return {Eigen::Map<const FeatureRows>(d.data(), rows, rows > 0 ? size / rows : 0), means,
          deviations};
}

void putPose(io::StateWriter& out, const PoseShape& pose) {
  out.put(static_cast<std::int32_t>(pose.turn()));
  out.putAll(
      std::span<const float>(pose.rows().data(), static_cast<std::size_t>(pose.rows().size())));
}

PoseShape getPose(io::StateReader& in, std::size_t triangles) {
  const auto turn = in.get<std::int32_t>();
  const std::vector<float> values = in.getAll<float>();
  constexpr Index kColumns = 6 * PoseShape::kInputs;
  if (turn < 0 || turn > static_cast<std::int32_t>(TurnOf::Triangle) ||
      (!values.empty() && values.size() != triangles * static_cast<std::size_t>(kColumns)))
    throw InputError("its poses do not fit its triangles");
  return {static_cast<TurnOf>(turn),
          Eigen::Map<const FeatureRows>(values.data(), static_cast<Index>(values.size()) / kColumns,
                                        kColumns)};
}

void putWords(io::StateWriter& out, const std::vector<std::string>& words) {
  out.put(static_cast<std::uint64_t>(words.size()));
  for (const std::string& w : words) out.put(w);
}

bool fitsFunction(const BreathModel& m) {
  const Index features = featureCount(m.function.inputs());
  const MatX& w = m.function.weights();
  return w.rows() == features * (1 + m.identity.count()) && w.cols() == m.modeCount() &&
         w.allFinite() && m.featureMoments.rows() == features &&
         m.featureMoments.cols() == features && m.featureMoments.allFinite();
}

bool fitsIdentity(const BreathModel& m) {
  const IdentitySpace& z = m.identity;
  const auto onTrunk = [](const std::string& part) { return isTrunkPart(part); };
  return z.directions().rows() == z.count() && z.deviations().size() == z.count() &&
         (z.count() == 0 ||
          z.directions().cols() == 3 * std::ranges::count_if(m.vertexParts, onTrunk)) &&
         z.directions().allFinite() && z.means().allFinite() && z.deviations().allFinite() &&
         (z.deviations().array() > 0).all();
}

/// Everything that later code relies on.
void checkModel(const BreathModel& m) {
  const std::size_t vertices = m.mesh.vertexCount();
  const auto inRange = [&](std::int32_t v) { return v >= 0 && at(v) < vertices; };
  bool fits = vertices > 0 && m.vertexParts.size() == vertices && m.mirror.size() == vertices &&
              std::ranges::all_of(m.mirror, inRange) && m.modeCount() > 0 && m.components > 0 &&
              std::isfinite(m.bellyLead) && fitsFunction(m) && fitsIdentity(m) &&
              m.pose.rows().allFinite();
  for (const Triangle& t : m.mesh.triangles) fits = fits && std::ranges::all_of(t, inRange);
  const auto finite = [](const Vec3& p) { return p.allFinite(); };
  fits = fits && std::ranges::all_of(m.mesh.positions, finite);
  for (const std::vector<Vec3>& u : m.modes)
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
  if (inputs < 0 || inputs > static_cast<std::int32_t>(BreathInputs::KonnoMeadFlow))
    throw InputError("its inputs are unknown");
  m.function = {static_cast<BreathInputs>(inputs), getMatrix(in)};
  m.identity = getIdentity(in);
  m.featureMoments = getMatrix(in);
  in.get(m.bellyLead);
  m.components = static_cast<Index>(in.get<std::int64_t>());
  const auto modes = in.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < modes; ++k) m.modes.push_back(getPoints(in));
  m.pose = getPose(in, m.mesh.triangleCount());
  if (!in.atEnd()) throw InputError("it goes on behind its end");
  checkModel(m);
  return m;
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
  putIdentity(out, m.identity);
  putMatrix(out, m.featureMoments);
  out.put(m.bellyLead), out.put(static_cast<std::int64_t>(m.components));
  out.put(static_cast<std::uint64_t>(m.modes.size()));
  for (const std::vector<Vec3>& u : m.modes) putPoints(out, u);
  putPose(out, m.pose);
  io::writeBlob(path, kModelKind, BreathModel::kVersion, out.bytes());
}

BreathModel readBreathModel(const std::filesystem::path& path) {
  const Result<std::string> read = io::readBlob(path, kModelKind, BreathModel::kVersion);
  if (!read) {
    Diagnostic d = read.diagnostics().front();
    if (d.expected.empty()) d.expected = "a model of this version: `pneuma learn` makes it anew";
    throw InputError(d);
  }
  const std::string& bytes = *read;
  try {
    return unpack(bytes);
  } catch (const InputError& e) {
    throw InputError(io::fileError(path.string(), fmt::format("is no breath model: {}", e.what()),
                                   "a file of `pneuma learn`"));
  }
}

}  // namespace pneuma::shape
