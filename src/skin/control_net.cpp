#include "skin/control_net.h"

#include <algorithm>
#include <cmath>

#include "skin/net_draft.h"

namespace pneuma::skin::internal {
namespace {

using anatomy::SkinPart;
using Index = std::int32_t;

constexpr double kReach = 0.4;             // of a ray, any body [m]
constexpr double kArmRadius = 0.063;       // widest arm over the body's height
constexpr double kTrunkHalfWidth = 0.097;  // at the armpits, over the body's height
constexpr int kTouchingRows = 4;           // of the trunk, below the armpit
constexpr double kLeastFacing = 0.3;       // cosine
class NetBuilder {
 public:
  NetBuilder(const Layout& layout, const RestSkin& skin, double height)
      : layout_(layout), skin_(skin), height_(height) {}

  ControlNet build() {
    buildTrunk();
    for (const LimbLayout& limb : layout_.limbs) buildLimb(limb);
    finishNet(layout_, skin_, draft_);
    return std::move(net_);
  }

 private:
  // ---- points ----

  Index add(const Vec3& p, int contour, bool seen = true) {
    net_.rest.push_back(p);
    net_.contour.push_back(contour);
    net_.shares.push_back(net_.contours[static_cast<std::size_t>(contour)].shares);
    net_.seen.push_back(seen);
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

  int row(int trunkContour) const { return layout_.row(trunkContour); }
  Index& trunk(int r, int c) {
    return draft_.trunk[static_cast<std::size_t>(layout_.trunkPlace(r, c))];
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

  // Rays of the trunk leave arms and legs out: limbs have pieces of their own, which are sewn to
  // the openings kept free here.
  void buildTrunk() {
    const int n = layout_.columns, rows = row(static_cast<int>(layout_.trunk.size()));
    draft_.trunk.assign(static_cast<std::size_t>(rows * n), -1);
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
    draft_.seams.insert(draft_.seams.end(), ring.begin(), ring.end());
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

  const Layout& layout_;
  const RestSkin& skin_;
  double height_;
  NetDraft draft_;
  ControlNet& net_ = draft_.net;
  std::vector<Index> crotch_;
};

}  // namespace

ControlNet makeControlNet(const Layout& layout, const RestSkin& skin, double height) {
  return NetBuilder(layout, skin, height).build();
}

}  // namespace pneuma::skin::internal
