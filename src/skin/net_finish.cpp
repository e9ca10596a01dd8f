#include <algorithm>
#include <map>
#include <set>

#include "skin/net_draft.h"
#include "skin/plate_solver.h"

namespace pneuma::skin::internal {
namespace {

using Index = std::int32_t;

constexpr int kFoldWidth = 2;        // edges beside what is not seen that count as its fold
constexpr int kSeamDepth = 3;        // edges from a seam that are evened out
constexpr int kLooseDepth = 6;       // edges from a seam that are evened out in a pose
constexpr int kShareDepth = 7;       // edges from a seam over which shares pass
constexpr int kShareDepthBelow = 3;  // the same below the armpits
constexpr int kShareRounds = 24;

class NetFinisher {
 public:
  NetFinisher(const Layout& layout, const RestSkin& skin, NetDraft& draft)
      : layout_(layout), skin_(skin), net_(draft.net), trunk_(draft.trunk), seams_(draft.seams) {}

  void run() {
    findNeighbours();
    findAlong();
    for (int k = 0; k < kFoldWidth; ++k) widenUnseen();
    fillUnseen();
    evenSeams();
    turnRoots();
    evenShares();
    findLoose();
  }

 private:
  Index trunk(int r, int c) const {
    return trunk_[static_cast<std::size_t>(layout_.trunkPlace(r, c))];
  }
  /// Row of the lowest armpit.
  int armpitRow() const {
    int low = 1 << 20;
    for (const LimbLayout& limb : layout_.limbs)
      if (limb.arm) low = std::min(low, layout_.row(limb.openingLow));
    return low;
  }

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
    const int n = layout_.columns, rows = static_cast<int>(trunk_.size()) / n;
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
    std::vector<bool> wider = net_.seen;
    for (Index i = 0; i < net_.net.vertexCount; ++i)
      if (!net_.seen[at(i)])
        for (const Index j : net_.neighbours[at(i)]) wider[at(j)] = false;
    net_.seen = std::move(wider);
  }

  /// Points whose ray met no skin of their own (arm and trunk touch) lie on a thin plate between
  /// the others.
  void fillUnseen() {
    std::vector<bool> unseen(net_.seen.size());
    for (std::size_t i = 0; i < net_.seen.size(); ++i) unseen[i] = !net_.seen[i];
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
        if (level[at(i)] < 0 || !net_.seen[at(i)]) continue;
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
    for (int r = layout_.row(0); r < armpitRow(); ++r)
      for (int c = 0; c < layout_.columns; ++c)
        if (int& l = level[at(trunk(r, c))]; l > depth) l = -1;
  }

  /// Near the seams the shares of one piece pass into those of the other.
  void evenShares() {
    std::vector<int> level = depthFromSeams(kShareDepth);
    keepBelowArmpits(level, kShareDepthBelow);
    // The waist bends over its whole height, else its front would fold like a hinge.
    for (int r = layout_.row(0) - 2; r < armpitRow(); ++r)
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
  ControlNet& net_;
  const std::vector<Index>&trunk_, &seams_;
};

}  // namespace

void finishNet(const Layout& layout, const RestSkin& skin, NetDraft& draft) {
  NetFinisher(layout, skin, draft).run();
}

}  // namespace pneuma::skin::internal
