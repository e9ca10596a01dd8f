#include "skin/control_net.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/check.h"
#include "skin/plate_solver.h"

namespace pneuma::skin::internal {
namespace {

using anatomy::SkinPart;
using Index = std::int32_t;

constexpr double kReach = 0.4;             // of a ray, any body [m]
constexpr double kArmRadius = 0.063;       // widest arm over the body's height
constexpr double kTrunkHalfWidth = 0.097;  // at the armpits, over the body's height
constexpr int kTouchingRows = 4;           // of the trunk, below the armpit
constexpr double kLeastFacing = 0.3;       // cosine
constexpr int kFoldWidth = 2;              // edges beside what is not seen that count as its fold
constexpr int kSeamDepth = 3;              // edges from a seam that are evened out
constexpr int kLooseDepth = 6;             // edges from a seam that are evened out in a pose
constexpr int kShareDepth = 7;             // edges from a seam over which shares pass
constexpr int kShareDepthBelow = 3;        // the same below the armpits
constexpr int kShareRounds = 24;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

class NetBuilder {
 public:
  NetBuilder(const Layout& layout, const RestSkin& skin, double height)
      : layout_(layout), skin_(skin), height_(height) {}

  ControlNet build() {
    buildTrunk();
    for (const LimbLayout& limb : layout_.limbs) buildLimb(limb);
    findNeighbours();
    findAlong();
    for (int k = 0; k < kFoldWidth; ++k) widenUnseen();
    fillUnseen();
    evenSeams();
    turnRoots();
    evenShares();
    net_.seen = seen_;
    return std::move(net_);
  }

 private:
  // ---- points ----

  Index add(const Vec3& p, int contour, bool seen = true) {
    net_.rest.push_back(p);
    net_.contour.push_back(contour);
    net_.shares.push_back(net_.contours[static_cast<std::size_t>(contour)].shares);
    seen_.push_back(seen);
    return net_.net.vertexCount++;
  }
  int addContour(const Contour& c) {
    net_.contours.push_back(c);
    return static_cast<int>(net_.contours.size()) - 1;
  }
  void quad(Index a, Index b, Index c, Index d) { net_.net.quads.push_back({a, b, c, d}); }

  /// Where a ray leaves the person's skin, if `accept` agrees.
  template <class Accept>
  Index cast(int contour, const Vec3& direction, double fallback, Accept&& accept) {
    const Vec3& o = net_.contours[static_cast<std::size_t>(contour)].center;
    const auto hit = skin_.surface.firstHit(o, direction, kReach);
    const bool good = hit && accept(*hit);
    return add(good ? hit->point : Vec3(o + fallback * direction), contour, good);
  }

  /// Whether the skin there faces along the ray, as it does all around a limb or a trunk; where two
  /// parts touch, a ray runs into the fold between them.
  bool faces(const SurfaceQuery::Hit& hit, const Vec3& direction) const {
    const TriangleMesh& mesh = skin_.surface.mesh();
    const Triangle& t = mesh.triangles[at(hit.triangle)];
    const auto x = [&](std::size_t k) { return mesh.positions[at(t[k])]; };
    return (x(1) - x(0)).cross(x(2) - x(0)).normalized().dot(direction) > kLeastFacing;
  }

  // ---- trunk ----

  int row(int trunkContour) const { return 1 + layout_.hipRows + trunkContour; }
  Index& trunk(int r, int c) {
    const int n = layout_.columns;
    return grid_[static_cast<std::size_t>(r * n + (c % n + n) % n)];
  }

  struct Opening {
    int low, high, first, last;  // rows and columns of its rim
  };
  Opening openingOf(const LimbLayout& limb) const {
    const int middle = limb.side > 0 ? layout_.columns / 4 : 3 * layout_.columns / 4;
    return {row(limb.openingLow), row(limb.openingHigh), middle - limb.openingWidth / 2,
            middle + limb.openingWidth / 2};
  }
  bool insideOpening(int r, int c) const {
    for (const LimbLayout& limb : layout_.limbs) {
      if (!limb.arm) continue;
      const Opening o = openingOf(limb);
      if (r > o.low && r < o.high && c > o.first && c < o.last) return true;
    }
    return false;
  }

  void buildTrunk() {
    const int n = layout_.columns, rows = row(static_cast<int>(layout_.trunk.size()));
    grid_.assign(static_cast<std::size_t>(rows * n), -1);
    int axilla = 1 << 20;
    for (const LimbLayout& limb : layout_.limbs)
      if (limb.arm) axilla = std::min(axilla, limb.openingLow);
    for (int t = 0; t < static_cast<int>(layout_.trunk.size()); ++t) {
      const int contour = addContour(layout_.trunk[static_cast<std::size_t>(t)]);
      for (int c = 0; c < n; ++c) {
        if (insideOpening(row(t), c)) continue;
        const Vec3 d = net_.contours.back().direction(2 * kPi * c / n);
        trunk(row(t), c) = cast(contour, d, 0.085 * height_, [&](const SurfaceQuery::Hit& hit) {
          const SkinPart part = skin_.partOf(hit);
          if (part == SkinPart::UpperArm || part == SkinPart::Forearm || part == SkinPart::Hand)
            return false;
          if (t >= axilla - kTouchingRows && std::abs(hit.point.x()) > kTrunkHalfWidth * height_)
            return false;
          return (t > axilla || part != SkinPart::Shoulder) && faces(hit, d);
        });
      }
    }
    buildLegRoots();
    buildHipRows();
    for (int r = 0; r + 1 < rows; ++r)
      for (int c = 0; c < n; ++c) {
        bool whole = true;
        for (const LimbLayout& limb : layout_.limbs) {
          if (!limb.arm) continue;
          const Opening o = openingOf(limb);
          if (r >= o.low && r < o.high && c >= o.first && c < o.last) whole = false;
        }
        if (whole) quad(trunk(r, c), trunk(r, c + 1), trunk(r + 1, c + 1), trunk(r + 1, c));
      }
    NetEnd neck{"torso_front", {}, static_cast<int>(layout_.trunk.size()) - 1};
    for (int c = 0; c < n; ++c) neck.ring.push_back(trunk(rows - 1, c));
    net_.ends.push_back(std::move(neck));
  }

  /// The lowest row: the line across the crotch, and the roots of both legs.
  void buildLegRoots() {
    const int n = layout_.columns, k = layout_.crotchColumns;
    const int contour = addContour(layout_.crotch);
    const auto always = [](const SurfaceQuery::Hit&) { return true; };
    for (int i = 0; i <= k; ++i) {
      const double phi = kPi * i / k;
      const Vec3 d(0, -std::sin(phi), std::cos(phi));
      crotch_.push_back(cast(contour, d, 0.03 * height_, always));
    }
    trunk(0, 0) = crotch_.front();
    trunk(0, n / 2) = crotch_.back();
    const double span = 2 * kPi * (n / 2) / (n / 2 + k);  // the leg's outside
    for (const LimbLayout& limb : layout_.limbs) {
      if (limb.arm) continue;
      const int root = addContour(limb.contours.front());
      for (int j = 1; j < n / 2; ++j) {
        // Columns from front to back; the leg's u points to the body's right.
        const double front = kPi / 2 - kPi * k / (n / 2 + k);
        const double angle = limb.side * (front - span * j / (n / 2));
        const Vec3 d = net_.contours.back().direction(angle);
        trunk(0, limb.side > 0 ? j : n - j) =
            cast(root, d, 0.06 * height_, [&](const SurfaceQuery::Hit& hit) {
              const SkinPart part = skin_.partOf(hit);
              return limb.side * hit.point.x() > 0 && part != SkinPart::Hand &&
                     part != SkinPart::Forearm;
            });
      }
    }
  }

  void buildHipRows() {
    const Contour& top = layout_.trunk.front();
    for (int r = 1; r <= layout_.hipRows; ++r) {
      const double t = static_cast<double>(r) / (layout_.hipRows + 1);
      Contour c = top;
      c.center = (1 - t) * layout_.crotch.center + t * top.center;
      c.shares = layout_.crotch.shares;
      c.follow = (1 - t) * layout_.crotch.follow + t * top.follow;
      const int contour = addContour(c);
      for (int j = 0; j < layout_.columns; ++j) {
        const Vec3 p = (1 - t) * net_.rest[at(trunk(0, j))] + t * net_.rest[at(trunk(row(0), j))];
        const Vec3 to = p - c.center;
        trunk(r, j) = cast(contour, to.normalized(), to.norm(), [&](const SurfaceQuery::Hit& hit) {
          const SkinPart part = skin_.partOf(hit);
          return part != SkinPart::Hand && part != SkinPart::Forearm &&
                 hit.distance < 1.6 * to.norm();
        });
      }
    }
  }

  // ---- limbs ----

  /// The rim that a limb starts from, its first point in front (arm) or where front and crotch
  /// meet.
  std::vector<Index> rimOf(const LimbLayout& limb) {
    std::vector<Index> rim;
    const int n = layout_.columns;
    if (limb.arm) {
      const Opening o = openingOf(limb);
      for (int c = o.first; c < o.last; ++c) rim.push_back(trunk(o.low, c));
      for (int r = o.low; r < o.high; ++r) rim.push_back(trunk(r, o.last));
      for (int c = o.last; c > o.first; --c) rim.push_back(trunk(o.high, c));
      for (int r = o.high; r > o.low; --r) rim.push_back(trunk(r, o.first));
      // Left: the front is the first column; right: the last one.
      const int half = (o.high - o.low) / 2;
      const int start =
          limb.side > 0 ? static_cast<int>(rim.size()) - half : o.last - o.first + half;
      std::rotate(rim.begin(), rim.begin() + start, rim.end());
      return rim;
    }
    if (limb.side > 0) {
      for (std::size_t i = 0; i + 1 < crotch_.size(); ++i) rim.push_back(crotch_[i]);
      for (int c = n / 2; c > 0; --c) rim.push_back(trunk(0, c));
    } else {
      for (int c = n; c > n / 2; --c) rim.push_back(trunk(0, c));
      for (std::size_t i = crotch_.size() - 1; i > 0; --i) rim.push_back(crotch_[i]);
    }
    return rim;
  }
  void buildLimb(const LimbLayout& limb) {
    std::vector<Index> ring = rimOf(limb);
    seams_.insert(seams_.end(), ring.begin(), ring.end());
    NetTube tube{limb.name, {ring}};
    const std::size_t m = ring.size();
    // The left leg's rim runs from the front over the crotch; the right one's from the front over
    // the outside: both start at the front.
    const double start =
        limb.arm ? 0.0 : limb.side * (kPi / 2 - kPi * layout_.crotchColumns / double(m));
    const double armpit =
        layout_.trunk[static_cast<std::size_t>(limb.openingLow)].center.y() + 0.005 * height_;
    int contour = 0;
    for (std::size_t k = limb.arm ? 0 : 1; k < limb.contours.size(); ++k) {
      contour = addContour(limb.contours[k]);
      std::vector<Index> next;
      for (std::size_t j = 0; j < m; ++j) {
        const Vec3 d = limb.contours[k].direction(start + 2 * kPi * double(j) / double(m));
        next.push_back(cast(contour, d, 0.03 * height_, [&](const SurfaceQuery::Hit& hit) {
          return limb.side * hit.point.x() > 0.004 &&
                 (!limb.arm || (hit.distance < kArmRadius * height_ && faces(hit, d) &&
                                (hit.point.y() > armpit ||
                                 limb.side * hit.point.x() > kTrunkHalfWidth * height_)));
        }));
      }
      for (std::size_t j = 0; j < m; ++j)
        quad(ring[j], ring[(j + 1) % m], next[(j + 1) % m], next[j]);
      tube.rings.push_back(next);
      ring = next;
    }
    net_.tubes.push_back(std::move(tube));
    net_.ends.push_back({limb.name, ring, contour});
  }

  // ---- evening out ----

  void findNeighbours() {
    std::vector<std::set<Index>> around(net_.rest.size());
    for (const Quad& q : net_.net.quads)
      for (std::size_t k = 0; k < 4; ++k) {
        around[at(q[k])].insert(q[(k + 1) % 4]);
        around[at(q[(k + 1) % 4])].insert(q[k]);
      }
    for (const auto& set : around) net_.neighbours.emplace_back(set.begin(), set.end());
  }
  void findAlong() {
    net_.along.assign(net_.rest.size(), {-1, -1});
    const int n = layout_.columns, rows = static_cast<int>(grid_.size()) / n;
    for (int r = 1; r + 1 < rows; ++r)
      for (int c = 0; c < n; ++c)
        if (trunk(r, c) >= 0) net_.along[at(trunk(r, c))] = {trunk(r - 1, c), trunk(r + 1, c)};
    for (const NetTube& tube : net_.tubes)
      for (std::size_t k = 1; k + 1 < tube.rings.size(); ++k)
        for (std::size_t j = 0; j < tube.rings[k].size(); ++j)
          net_.along[at(tube.rings[k][j])] = {tube.rings[k - 1][j], tube.rings[k + 1][j]};
  }
  Vec3 mean(Index i) const {
    Vec3 sum = Vec3::Zero();
    for (const Index j : net_.neighbours[at(i)]) sum += net_.rest[at(j)];
    return sum / static_cast<double>(net_.neighbours[at(i)].size());
  }

  /// The sharp folds beside the touching parts are not seen either.
  void widenUnseen() {
    std::vector<bool> wider = seen_;
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (!seen_[at(i)])
        for (const Index j : net_.neighbours[at(i)]) wider[at(j)] = false;
    seen_ = std::move(wider);
  }

  /// Points whose ray met no skin of their own (arm and trunk touch) lie on a thin plate between
  /// the others.
  void fillUnseen() {
    std::vector<bool> unseen(seen_.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) unseen[i] = !seen_[i];
    PlateSolver plate(net_.neighbours, unseen);
    plate.solve(std::vector<Vec3>(plate.rows().size(), Vec3::Zero()), net_.rest);
  }

  std::vector<int> depthFromSeams(int depth) const {
    std::vector<int> level(net_.rest.size(), -1);
    std::vector<Index> front(seams_);
    for (const Index i : front) level[at(i)] = 0;
    for (int d = 1; d <= depth; ++d) {
      std::vector<Index> next;
      for (const Index i : front)
        for (const Index j : net_.neighbours[at(i)])
          if (level[at(j)] < 0) level[at(j)] = d, next.push_back(j);
      front = std::move(next);
    }
    return level;
  }

  /// Evens the spacing near seams, keeping the points on the skin.
  void evenSeams() {
    const std::vector<int> level = depthFromSeams(kSeamDepth);
    for (int round = 0; round < 12; ++round) {
      std::vector<Vec3> next = net_.rest;
      for (Index i = 0; i < net_.net.vertexCount; ++i) {
        if (level[at(i)] < 0 || !seen_[at(i)]) continue;
        next[at(i)] = skin_.surface.closest(0.5 * net_.rest[at(i)] + 0.5 * mean(i)).point;
      }
      net_.rest = std::move(next);
      fillUnseen();
    }
  }

  /// The limbs' own passages from link to link.
  void turnRoots() {
    for (std::size_t l = 0; l < layout_.limbs.size(); ++l)
      for (const Turn& turn : layout_.limbs[l].turns)
        for (std::size_t k = 1; k < net_.tubes[l].rings.size(); ++k) {
          const std::vector<Index>& ring = net_.tubes[l].rings[k];
          const Contour& c = net_.contours[static_cast<std::size_t>(net_.contour[at(ring[0])])];
          bool before = false;
          for (const auto& entry : c.shares)
            before |= entry.first / 2 != turn.link && entry.second > 0;
          if (!before) break;  // from here on the contours' own shares hold
          for (const Index i : ring)
            passShares(net_.shares[at(i)], turn.link, turn.passed(net_.rest[at(i)]), c.twist);
        }
  }

  /// The side of the chest does not swing out with the arm.
  void keepBelowArmpits(std::vector<int>& level, int depth) const {
    int low = 1 << 20;
    for (const LimbLayout& limb : layout_.limbs)
      if (limb.arm) low = std::min(low, row(limb.openingLow));
    for (int r = row(0); r < low; ++r)
      for (int c = 0; c < layout_.columns; ++c)
        if (int& l = level[at(grid_[static_cast<std::size_t>(r * layout_.columns + c)])]; l > depth)
          l = -1;
  }

  /// Near the seams the shares of one piece pass into those of the other.
  void evenShares() {
    std::vector<int> level = depthFromSeams(kShareDepth);
    keepBelowArmpits(level, kShareDepthBelow);
    // The waist bends over its whole height, else its front would fold like a hinge.
    int low = 1 << 20;
    for (const LimbLayout& limb : layout_.limbs)
      if (limb.arm) low = std::min(low, row(limb.openingLow));
    for (int r = row(0) - 2; r < low; ++r)
      for (int c = 0; c < layout_.columns; ++c) level[at(trunk(r, c))] = 0;
    for (const NetEnd& end : net_.ends)  // must move with the extremities' own rims
      for (const Index i : end.ring) level[at(i)] = -1;
    for (int round = 0; round < kShareRounds; ++round) {
      std::vector<Shares> next = net_.shares;
      for (Index i = 0; i < net_.net.vertexCount; ++i) {
        if (level[at(i)] < 0) continue;
        Shares& s = next[at(i)];
        for (auto& entry : s) entry.second *= 0.5;
        const double part = 0.5 / static_cast<double>(net_.neighbours[at(i)].size());
        for (const Index j : net_.neighbours[at(i)])
          for (const auto& [carrier, share] : net_.shares[at(j)]) s[carrier] += part * share;
      }
      net_.shares = std::move(next);
    }
    findLoose();
  }

  /// Near seams, and at a limb's root as far as several links carry it.
  void findLoose() {
    std::vector<bool> loose(net_.rest.size(), false);
    std::vector<int> level = depthFromSeams(kLooseDepth);
    keepBelowArmpits(level, kShareDepthBelow + 1);
    for (const NetEnd& end : net_.ends)
      for (const Index i : end.ring) level[at(i)] = -1;
    for (std::size_t i = 0; i < loose.size(); ++i) loose[i] = level[i] >= 0;
    for (const NetTube& tube : net_.tubes)
      for (const std::vector<Index>& ring : tube.rings) {
        bool mixed = false;
        for (const Index i : ring) {
          std::map<int, double> links;
          for (const auto& [carrier, share] : net_.shares[at(i)]) links[carrier / 2] += share;
          for (const auto& entry : links) mixed |= entry.second > 0.02 && entry.second < 0.98;
        }
        if (!mixed) break;
        for (const Index i : ring) loose[at(i)] = true;
      }
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (loose[at(i)]) net_.loose.push_back(i);
  }

  const Layout& layout_;
  const RestSkin& skin_;
  double height_;
  ControlNet net_;
  std::vector<Index> grid_, crotch_, seams_;
  std::vector<bool> seen_;
};

}  // namespace

ControlNet makeControlNet(const Layout& layout, const RestSkin& skin, double height) {
  return NetBuilder(layout, skin, height).build();
}

}  // namespace pneuma::skin::internal
