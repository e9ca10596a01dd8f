#include "pneuma/fit/breath_transfer.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "fit/transfer_bind.h"
#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "skin/surface_laplacian.h"

namespace pneuma::fit {
namespace internal {

/// Least bending of the free vertices between the others. Not in an unnamed namespace: a unity
/// build takes the file for a header, and a class with such a member for two.
class PlateFilling {
 public:
  using Sparse = Eigen::SparseMatrix<double>;

  PlateFilling(const TriangleMesh& mesh, const std::vector<Binding>& kinds) {
    column_.assign(kinds.size(), -1);
    for (std::size_t v = 0; v < kinds.size(); ++v)
      (kinds[v] == Binding::Free ? free_ : known_).push_back(static_cast<std::int32_t>(v));
    for (std::size_t i = 0; i < free_.size(); ++i)
      column_[at(free_[i])] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < known_.size(); ++i)
      column_[at(known_[i])] = static_cast<std::int32_t>(i);
    if (free_.empty()) return;

    const Sparse L = skin::internal::surfaceLaplacian(mesh);
    const std::vector<double> areas = skin::internal::vertexAreas(mesh);
    Eigen::VectorXd inverse(static_cast<Eigen::Index>(areas.size()));
    double mean = 0;
    for (const double a : areas) mean += a / static_cast<double>(areas.size());
    for (std::size_t v = 0; v < areas.size(); ++v)
      inverse[static_cast<Eigen::Index>(v)] = 1 / std::max(areas[v], 1e-3 * mean);
    const Sparse bending = L.transpose() * inverse.asDiagonal() * L;
    split(bending, kinds, mean);
    solver_.compute(within_);
    PNEUMA_CHECK(solver_.info() == Eigen::Success, "the filling of {} vertices", free_.size());
  }

  void fill(std::vector<Vec3>& u) const {
    if (free_.empty()) return;
    Eigen::MatrixXd given(static_cast<Eigen::Index>(known_.size()), 3);
    for (std::size_t i = 0; i < known_.size(); ++i)
      given.row(static_cast<Eigen::Index>(i)) = u[at(known_[i])].transpose();
    const Eigen::MatrixXd found = solver_.solve(-(across_ * given));
    for (std::size_t i = 0; i < free_.size(); ++i)
      u[at(free_[i])] = found.row(static_cast<Eigen::Index>(i)).transpose();
  }

  std::size_t count() const { return free_.size(); }

 private:
  /// Blocks free x free and free x known.
  void split(const Sparse& bending, const std::vector<Binding>& kinds, double area) {
    // Keeps a free patch that touches nothing known (a stray shell) where it is.
    constexpr double kStay = 1e-10;
    std::vector<Eigen::Triplet<double>> inner, outer;
    for (Eigen::Index col = 0; col < bending.outerSize(); ++col)
      for (Sparse::InnerIterator it(bending, col); it; ++it) {
        const auto row = static_cast<std::size_t>(it.row()), c = static_cast<std::size_t>(col);
        if (kinds[row] != Binding::Free) continue;
        auto& block = kinds[c] == Binding::Free ? inner : outer;
        block.emplace_back(column_[row], column_[c], it.value());
      }
    for (std::size_t i = 0; i < free_.size(); ++i)
      inner.emplace_back(static_cast<int>(i), static_cast<int>(i), kStay / area);
    const auto n = static_cast<Eigen::Index>(free_.size());
    within_.resize(n, n);
    within_.setFromTriplets(inner.begin(), inner.end());
    across_.resize(n, static_cast<Eigen::Index>(known_.size()));
    across_.setFromTriplets(outer.begin(), outer.end());
  }

  std::vector<std::int32_t> free_, known_, column_;
  Sparse within_, across_;
  Eigen::SimplicialLDLT<Sparse> solver_;
};

}  // namespace internal

namespace {

using internal::Binding;

constexpr double kLeastTrunkShare = 0.5;  // of the trunk that must be bound
constexpr int kClothTurns = 12;           // of smoothing where clothes hang loose

/// Small rigid motion u = a + b x (x - c) nearest to what some vertices do.
struct SmallMotion {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero(), c = Vec3::Zero();
  Vec3 at(const Vec3& x) const { return a + b.cross(x - c); }
};

SmallMotion nearestMotion(const std::vector<Vec3>& x, const std::vector<Vec3>& u,
                          const std::vector<std::int32_t>& vertices) {
  SmallMotion m;
  if (vertices.empty()) return m;
  const double count = static_cast<double>(vertices.size());
  for (const std::int32_t v : vertices) {
    m.c += x[at(v)] / count;
    m.a += u[at(v)] / count;
  }
  // About the centre, translation and turn part: (sum r^2 I - r r^T) b = sum r x u.
  Mat3 inertia = Mat3::Zero();
  Vec3 moment = Vec3::Zero();
  for (const std::int32_t v : vertices) {
    const Vec3 r = x[at(v)] - m.c;
    inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
    moment += r.cross(u[at(v)] - m.a);
  }
  if (inertia.determinant() > 1e-12 * std::pow(inertia.trace(), 3))
    m.b = inertia.ldlt().solve(moment);
  return m;
}

}  // namespace

struct BreathTransfer::Impl {
  BodyFrame frame;
  TriangleMesh body;  // body frame
  std::vector<std::int32_t> bodyVertex;
  internal::BodyBinding binding;
  std::unique_ptr<const internal::PlateFilling> filling;
  std::size_t skinVertices = 0;
  std::vector<double> skinShares;  // empty: the skin's whole motion counts

  std::vector<std::int32_t> clothVertex;  // of each vertex of the file, -1: no cloth
  std::vector<internal::ClothBinding> cloth;
  std::vector<std::vector<std::int32_t>> clothNeighbours;
  TransferReport report;

  void bindClothes(const Character& c, double height, const TransferConfig& config);
  std::vector<Vec3> moveBody(std::span<const Vec3> displacement) const;
  std::vector<Vec3> moveCloth(const std::vector<Vec3>& u) const;
};

void BreathTransfer::Impl::bindClothes(const Character& c, double height,
                                       const TransferConfig& config) {
  const std::vector<std::int32_t>& joined = c.joined;
  std::vector<std::int32_t> place(joined.size(), -1);
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  clothVertex.assign(joined.size(), -1);
  for (const CharacterPiece& piece : c.pieces) {
    if (piece.kind != PieceKind::Cloth) continue;
    for (const std::int32_t t : piece.triangles) {
      Triangle corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t v = c.surface.triangles[at(t)][k], first = joined[at(v)];
        if (place[at(first)] < 0) {
          place[at(first)] = static_cast<std::int32_t>(points.size());
          points.push_back(frame.toBody(c.surface.positions[at(first)]));
        }
        corners[k] = clothVertex[at(v)] = place[at(first)];
      }
      triangles.push_back(corners);
    }
  }
  cloth = internal::bindCloth(points, body, height, config);
  clothNeighbours = internal::edgeNeighbours(points.size(), triangles);
}

std::vector<Vec3> BreathTransfer::Impl::moveBody(std::span<const Vec3> displacement) const {
  std::vector<Vec3> u(body.vertexCount(), Vec3::Zero());
  for (std::size_t v = 0; v < u.size(); ++v)
    if (binding.kinds[v] == Binding::Skin) u[v] = binding.places[v].of(displacement);
  const SmallMotion left = nearestMotion(body.positions, u, binding.forearm[0]);
  const SmallMotion right = nearestMotion(body.positions, u, binding.forearm[1]);
  for (std::size_t v = 0; v < u.size(); ++v) {
    if (binding.kinds[v] == Binding::HandLeft) u[v] = left.at(body.positions[v]);
    if (binding.kinds[v] == Binding::HandRight) u[v] = right.at(body.positions[v]);
  }
  filling->fill(u);
  return u;
}

std::vector<Vec3> BreathTransfer::Impl::moveCloth(const std::vector<Vec3>& u) const {
  std::vector<Vec3> moved(cloth.size());
  for (std::size_t v = 0; v < cloth.size(); ++v) moved[v] = cloth[v].follow * cloth[v].place.of(u);
  std::vector<Vec3> before;
  for (int turn = 0; turn < kClothTurns; ++turn) {
    before = moved;
    for (std::size_t v = 0; v < cloth.size(); ++v) {
      if (clothNeighbours[v].empty() || cloth[v].loose == 0) continue;
      Vec3 mean = Vec3::Zero();
      for (const std::int32_t n : clothNeighbours[v])
        mean += before[at(n)] / static_cast<double>(clothNeighbours[v].size());
      moved[v] += cloth[v].loose * (mean - before[v]);
    }
  }
  for (std::size_t v = 0; v < cloth.size(); ++v) {
    const double nearer = (moved[v] - cloth[v].place.of(u)).dot(cloth[v].normal);
    if (nearer < 0) moved[v] -= nearer * cloth[v].normal;
  }
  return moved;
}

BreathTransfer::BreathTransfer(const Character& character, const BodyFrame& frame,
                               const anatomy::SkinSurface& skin, const TransferConfig& config) {
  auto impl = std::make_unique<Impl>();
  impl->frame = frame;
  impl->body = {frame.toBody(character.body.positions), character.body.triangles};
  impl->bodyVertex = character.bodyVertex;
  impl->skinVertices = skin.mesh.vertexCount();
  const double height = boundingBox(skin.mesh.positions).size().y();
  impl->binding = internal::bindBody(impl->body, skin, height, config);
  if (impl->binding.trunkShare < kLeastTrunkShare)
    throw InputError(Diagnostic{
        .where = {.file = character.file.string()},
        .message = fmt::format("only {:.0f} % of its trunk lie within {:.1f} mm of the fitted skin",
                               100 * impl->binding.trunkShare, 1e3 * config.reach * height),
        .expected = "at least half: give landmarks, or name the body's piece"});
  impl->filling = std::make_unique<const internal::PlateFilling>(impl->body, impl->binding.kinds);
  impl->bindClothes(character, height, config);
  const bool still = std::ranges::any_of(
      character.pieces, [](const CharacterPiece& p) { return p.kind == PieceKind::Still; });
  if (still) impl->skinShares = internal::stillHeadShares(skin);

  TransferReport& r = impl->report;
  for (const Binding kind : impl->binding.kinds) {
    r.bound += kind == Binding::Skin ? 1 : 0;
    r.hands += kind == Binding::HandLeft || kind == Binding::HandRight ? 1 : 0;
  }
  r.filled = impl->filling->count();
  for (std::size_t v = 0; v < impl->bodyVertex.size(); ++v) {
    r.cloth += impl->clothVertex[v] >= 0 ? 1 : 0;
    r.still += impl->clothVertex[v] < 0 && impl->bodyVertex[v] < 0 ? 1 : 0;
  }
  impl_ = std::move(impl);
}

BreathTransfer::~BreathTransfer() = default;
BreathTransfer::BreathTransfer(BreathTransfer&&) noexcept = default;

const TransferReport& BreathTransfer::report() const {
  return impl_->report;
}

std::vector<Vec3> BreathTransfer::apply(std::span<const Vec3> displacement) const {
  const Impl& in = *impl_;
  PNEUMA_CHECK(displacement.size() == in.skinVertices, "{} displacements for a skin of {}",
               displacement.size(), in.skinVertices);
  std::vector<Vec3> given(displacement.begin(), displacement.end());
  for (std::size_t v = 0; v < in.skinShares.size(); ++v) given[v] *= in.skinShares[v];
  const std::vector<Vec3> body = in.moveBody(given), cloth = in.moveCloth(body);
  std::vector<Vec3> offsets(in.bodyVertex.size(), Vec3::Zero());
  for (std::size_t v = 0; v < offsets.size(); ++v) {
    if (in.bodyVertex[v] >= 0)
      offsets[v] = in.frame.directionToFile(body[at(in.bodyVertex[v])]);
    else if (in.clothVertex[v] >= 0)
      offsets[v] = in.frame.directionToFile(cloth[at(in.clothVertex[v])]);
  }
  return offsets;
}

}  // namespace pneuma::fit
