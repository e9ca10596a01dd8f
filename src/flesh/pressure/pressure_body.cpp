#include "pneuma/flesh/pressure_body.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "pneuma/core/error.h"

namespace pneuma::flesh {

void PointArray::setZero() {
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(y.begin(), y.end(), 0.0);
  std::fill(z.begin(), z.end(), 0.0);
}

double addVolumeGradient(std::span<const Triangle> triangles, const PointArray& points,
                         const Vec3& origin, double sign, PointArray& gradient) {
  const double* px = points.x.data();
  const double* py = points.y.data();
  const double* pz = points.z.data();
  double* gx = gradient.x.data();
  double* gy = gradient.y.data();
  double* gz = gradient.z.data();
  const double ox = origin.x(), oy = origin.y(), oz = origin.z();
  const double sixth = sign / 6;
  double volume = 0;
  for (const auto& [a, b, c] : triangles) {
    const double ax = px[a], ay = py[a], az = pz[a];
    const double ux = px[b] - ax, uy = py[b] - ay, uz = pz[b] - az;
    const double wx = px[c] - ax, wy = py[c] - ay, wz = pz[c] - az;
    const double nx = (uy * wz - uz * wy) * sixth;
    const double ny = (uz * wx - ux * wz) * sixth;
    const double nz = (ux * wy - uy * wx) * sixth;
    volume += (ax - ox) * nx + (ay - oy) * ny + (az - oz) * nz;
    for (const std::int32_t i : {a, b, c}) {
      gx[i] += nx;
      gy[i] += ny;
      gz[i] += nz;
    }
  }
  return volume * sign;
}

double signedVolume(std::span<const Triangle> triangles, const PointArray& points,
                    const Vec3& origin) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 p = points[static_cast<std::size_t>(a)];
    const Vec3 u = points[static_cast<std::size_t>(b)] - p;
    const Vec3 w = points[static_cast<std::size_t>(c)] - p;
    sum += (p - origin).dot(u.cross(w));
  }
  return sum / 6;
}

double PressureLaw::pressure(double volume) const {
  const double v = std::max(volume, 1e-3 * restVolume);
  const double p = bulkModulus * (restVolume / v - 1);  // Eq. 4
  return clamp ? std::max(0.0, p) : p;
}

double PressureLaw::stiffness(double volume) const {
  const double v = std::max(volume, 1e-3 * restVolume);
  return bulkModulus * restVolume / (v * v);
}

PressureBody::PressureBody(TriangleMesh rest, PressureBodyConfig config, std::vector<int> anchors,
                           std::vector<InnerSpring> supports)
    : mesh_(std::move(rest)), config_(config), anchors_(std::move(anchors)) {
  if (mesh_.empty() || !analyzeTopology(mesh_).watertight())
    throw InputError("a pressure body needs a watertight surface");
  law_ = {.bulkModulus = config_.bulkModulus, .restVolume = enclosedVolume(mesh_), .clamp = false};
  addEdges();
  for (const InnerSpring& s : supports)
    edges_.push_back({s.a, s.b,
                      (mesh_.positions[static_cast<std::size_t>(s.a)] -
                       mesh_.positions[static_cast<std::size_t>(s.b)])
                          .norm()});
  const std::size_t n = mesh_.vertexCount();
  mass_.assign(n, config_.mass / static_cast<double>(n));
  inertia_.assign(n, 0.0);
  velocity_.assign(n, Vec3::Zero());
  force_.assign(n, Vec3::Zero());
  for (const int i : anchors_) targets_.push_back(mesh_.positions[static_cast<std::size_t>(i)]);
  targetVelocity_.assign(anchors_.size(), Vec3::Zero());
}

void PressureBody::addEdges() {
  std::set<std::pair<int, int>> seen;
  for (const Triangle& t : mesh_.triangles)
    for (int i = 0; i < 3; ++i) {
      const int a = t[static_cast<std::size_t>(i)], b = t[static_cast<std::size_t>((i + 1) % 3)];
      if (!seen.insert(std::minmax(a, b)).second) continue;
      const Vec3 d = mesh_.positions[static_cast<std::size_t>(a)] -
                     mesh_.positions[static_cast<std::size_t>(b)];
      edges_.push_back({a, b, d.norm()});
    }
}

double PressureBody::volume() const {
  return enclosedVolume(mesh_);
}

void PressureBody::addPressure() {
  const double p = law_.pressure(volume());
  for (const auto& [a, b, c] : mesh_.triangles) {
    const Vec3& pa = mesh_.positions[static_cast<std::size_t>(a)];
    const Vec3 n = (mesh_.positions[static_cast<std::size_t>(b)] - pa)
                       .cross(mesh_.positions[static_cast<std::size_t>(c)] - pa) /
                   6;
    for (const std::int32_t i : {a, b, c}) force_[static_cast<std::size_t>(i)] += p * n;  // Eq. 5
  }
}

void PressureBody::addSprings(std::span<const Vec3> targets) {
  for (const Edge& e : edges_) {
    const auto a = static_cast<std::size_t>(e.a), b = static_cast<std::size_t>(e.b);
    const Vec3 d = mesh_.positions[b] - mesh_.positions[a];
    const double length = std::max(d.norm(), 1e-9);
    const double rate = (velocity_[b] - velocity_[a]).dot(d) / length;
    const double tension =
        config_.edgeStiffness * (length - e.restLength) + config_.edgeDamping * rate;
    const Vec3 f = d * (tension / length);
    force_[a] += f;
    force_[b] -= f;
  }
  for (std::size_t k = 0; k < anchors_.size(); ++k) {
    const auto i = static_cast<std::size_t>(anchors_[k]);
    force_[i] += config_.anchorStiffness * (targets[k] - mesh_.positions[i]) +
                 config_.anchorDamping * (targetVelocity_[k] - velocity_[i]);
  }
}

/// Inertia of each vertex: mass, half of h^2 k and all of h b of its springs, and the pressure's
/// stiffness c g g^T, bounded by the diagonal c |g_i| sum |g_j|.
void PressureBody::weigh(double dt) {
  std::fill(inertia_.begin(), inertia_.end(), 0.0);
  double area = 0;
  for (const auto& [a, b, c] : mesh_.triangles) {
    const double share = triangleArea(mesh_.positions[static_cast<std::size_t>(a)],
                                      mesh_.positions[static_cast<std::size_t>(b)],
                                      mesh_.positions[static_cast<std::size_t>(c)]) /
                         3;
    area += 3 * share;
    for (const std::int32_t i : {a, b, c}) inertia_[static_cast<std::size_t>(i)] += share;
  }
  const double pressureTerm = 0.25 * dt * dt * law_.stiffness(volume()) * area;
  for (std::size_t i = 0; i < mass_.size(); ++i)
    inertia_[i] = mass_[i] + pressureTerm * inertia_[i];
  const double edgeTerm = 0.5 * dt * dt * config_.edgeStiffness + dt * config_.edgeDamping;
  for (const Edge& e : edges_) {
    inertia_[static_cast<std::size_t>(e.a)] += edgeTerm;
    inertia_[static_cast<std::size_t>(e.b)] += edgeTerm;
  }
  const double anchorTerm = 0.5 * dt * dt * config_.anchorStiffness + dt * config_.anchorDamping;
  for (const int i : anchors_) inertia_[static_cast<std::size_t>(i)] += anchorTerm;
}

const std::vector<Vec3>& PressureBody::computeForces(std::span<const Vec3> targets) {
  std::fill(force_.begin(), force_.end(), Vec3::Zero());
  std::fill(targetVelocity_.begin(), targetVelocity_.end(), Vec3::Zero());
  addPressure();
  addSprings(targets);
  return force_;
}

double PressureBody::energy(std::span<const Vec3> targets) const {
  const double v = std::max(volume(), 1e-3 * law_.restVolume);
  double sum = law_.bulkModulus * (v - law_.restVolume * std::log(v));
  for (const Edge& e : edges_) {
    const double stretch = (mesh_.positions[static_cast<std::size_t>(e.b)] -
                            mesh_.positions[static_cast<std::size_t>(e.a)])
                               .norm() -
                           e.restLength;
    sum += 0.5 * config_.edgeStiffness * stretch * stretch;
  }
  for (std::size_t k = 0; k < anchors_.size(); ++k)
    sum += 0.5 * config_.anchorStiffness *
           (targets[k] - mesh_.positions[static_cast<std::size_t>(anchors_[k])]).squaredNorm();
  return sum;
}

void PressureBody::setState(std::vector<Vec3> positions, std::vector<Vec3> velocities,
                            std::span<const Vec3> targets) {
  if (positions.size() != mass_.size() || velocities.size() != mass_.size() ||
      targets.size() != anchors_.size())
    throw InputError("the state belongs to another pressure body");
  mesh_.positions = std::move(positions);
  velocity_ = std::move(velocities);
  targets_.assign(targets.begin(), targets.end());
}

void PressureBody::step(std::span<const Vec3> targets, double dt) {
  std::fill(force_.begin(), force_.end(), Vec3::Zero());
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    targetVelocity_[k] = (targets[k] - targets_[k]) / dt;
    targets_[k] = targets[k];
  }
  addPressure();
  addSprings(targets);
  weigh(dt);
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    velocity_[i] += dt / inertia_[i] * force_[i];
    mesh_.positions[i] += dt * velocity_[i];
  }
}

}  // namespace pneuma::flesh
