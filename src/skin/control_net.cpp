#include "skin/control_net.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/check.h"

namespace pneuma::skin::internal {
namespace {

using anatomy::SkinPart;
using Index = std::int32_t;

constexpr double kReach = 0.4;        // of a ray, any body [m]
constexpr double kArmRadius = 0.063;  // widest arm over the body's height
constexpr int kSeamDepth = 3;         // edges from a seam that are evened out
constexpr int kLooseDepth = 4;        // edges from a seam that are evened out in a pose
constexpr int kShareDepth = 5;        // edges from a seam over which shares pass
constexpr int kShareRounds = 12;

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
    fillUnseen();
    evenSeams();
    passShares();
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
          return t > axilla || part != SkinPart::Shoulder;
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
    int contour = 0;
    for (std::size_t k = limb.arm ? 0 : 1; k < limb.contours.size(); ++k) {
      contour = addContour(limb.contours[k]);
      std::vector<Index> next;
      for (std::size_t j = 0; j < m; ++j) {
        const Vec3 d = limb.contours[k].direction(start + 2 * kPi * double(j) / double(m));
        next.push_back(cast(contour, d, 0.03 * height_, [&](const SurfaceQuery::Hit& hit) {
          return limb.side * hit.point.x() > 0.004 &&
                 (!limb.arm || hit.distance < kArmRadius * height_);
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

  /// Points whose ray met no skin of their own (arm and trunk touch) span like a membrane.
  void fillUnseen() {
    // The sharp fold beside the touching parts is theirs too.
    std::vector<bool> wider = seen_;
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (!seen_[at(i)])
        for (const Index j : net_.neighbours[at(i)]) wider[at(j)] = false;
    seen_ = std::move(wider);
    for (int round = 0; round < 200; ++round)
      for (Index i = 0; i < net_.net.vertexCount; ++i)
        if (!seen_[at(i)]) net_.rest[at(i)] = mean(i);
    // The side of the trunk keeps its curvature: a thin plate.
    std::vector<Index> side;
    const int trunkContours = static_cast<int>(layout_.trunk.size());
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (!seen_[at(i)] && net_.contour[at(i)] < trunkContours) side.push_back(i);
    const std::vector<int> level = depthFromSeams(kLooseDepth);
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (level[at(i)] >= 0 || (!seen_[at(i)] && net_.contour[at(i)] >= trunkContours))
        net_.loose.push_back(i);
    const auto bend = [&](Index i) { return Vec3(mean(i) - net_.rest[at(i)]); };
    for (int round = 0; round < 600; ++round) {
      std::vector<Vec3> next;
      for (const Index i : side) {
        Vec3 around = Vec3::Zero();
        for (const Index j : net_.neighbours[at(i)]) around += bend(j);
        around /= static_cast<double>(net_.neighbours[at(i)].size());
        next.push_back(net_.rest[at(i)] + 0.4 * (bend(i) - around));
      }
      for (std::size_t k = 0; k < side.size(); ++k) net_.rest[at(side[k])] = next[k];
    }
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
        if (level[at(i)] < 0) continue;
        next[at(i)] = 0.5 * net_.rest[at(i)] + 0.5 * mean(i);
        if (seen_[at(i)]) next[at(i)] = skin_.surface.closest(next[at(i)]).point;
      }
      net_.rest = std::move(next);
    }
    smoothFolds();
  }

  /// Around the parts that touch, the person's skin has sharp folds; the net rounds them off.
  void smoothFolds() {
    std::vector<bool> near(seen_.size());
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = !seen_[i];
    for (int step = 0; step < 2; ++step) {
      std::vector<bool> wider = near;
      for (Index i = 0; i < net_.net.vertexCount; ++i)
        for (const Index j : net_.neighbours[at(i)])
          if (near[at(j)]) wider[at(i)] = true;
      near = std::move(wider);
    }
    const std::vector<int> level = depthFromSeams(kSeamDepth + 2);
    for (int round = 0; round < 10; ++round) {
      std::vector<Vec3> next = net_.rest;
      for (Index i = 0; i < net_.net.vertexCount; ++i)
        if (near[at(i)] && level[at(i)] >= 0) next[at(i)] = 0.5 * net_.rest[at(i)] + 0.5 * mean(i);
      net_.rest = std::move(next);
    }
  }

  /// Near the seams the shares of one piece pass into those of the other.
  void passShares() {
    const std::vector<int> level = depthFromSeams(kShareDepth);
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
