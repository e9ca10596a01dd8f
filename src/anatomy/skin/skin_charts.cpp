#include "anatomy/skin/skin_charts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

#include "pneuma/core/check.h"

namespace pneuma::anatomy::internal {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

constexpr double kSide = 0.085;       ///< depth of the seam along the flank [m]
constexpr double kWrist = 0.825;      ///< height of the seam around the wrist, arms hanging [m]
constexpr double kCrown = 0.06;       ///< the head is open behind this depth [m]
constexpr double kSoleNormal = -0.6;  ///< upward part of the normal of a sole
constexpr int kNormalSmoothing = 3, kTeethPasses = 4;
constexpr double kVisiblePrice = 6;  ///< of a seam in full view, against one that is hidden

Edge edgeOf(const Triangle& t, std::size_t k) {
  return std::minmax(t[k], t[(k + 1) % 3]);
}

/// The way a seam in that chart would be seen from.
Vec3 shownSide(SkinChart chart) {
  switch (chart) {
    case SkinChart::Foot:
      return Vec3(0.3, 0.2, 1).normalized();  // the seam goes down the heel
    default:
      return Vec3(1, 0, 0.4).normalized();  // inner side, somewhat to the back
  }
}

class ChartCutter {
 public:
  ChartCutter(const SymmetricMesh& subject, const std::vector<SkinPart>& parts)
      : mesh_(subject), count_(subject.halfTriangles()), chart_(count_), normals_(smoothNormals()) {
    for (std::size_t t = 0; t < count_; ++t) {
      chart_[t] = chartOf(t, parts);
      for (std::size_t k = 0; k < 3; ++k) sides_[edgeOf(mesh_.mesh.triangles[t], k)].push_back(t);
    }
  }

  ChartSet run() {
    for (int pass = 0; pass < kTeethPasses; ++pass) pullTeeth();
    while (joinIslands()) {
    }
    for (int c = 0; c < kSkinCharts; ++c) openUp(static_cast<SkinChart>(c));
    return collect();
  }

 private:
  std::vector<Vec3> smoothNormals() const {
    std::vector<Vec3> normals = vertexNormals(mesh_.mesh);
    const VertexRings rings(mesh_.mesh);
    for (int pass = 0; pass < kNormalSmoothing; ++pass) {
      const std::vector<Vec3> before = normals;
      for (std::size_t v = 0; v < normals.size(); ++v) {
        for (const std::int32_t r : rings[static_cast<std::int32_t>(v)])
          normals[v] += before[at(r)];
        normals[v].normalize();
      }
    }
    return normals;
  }

  SkinChart chartOf(std::size_t t, const std::vector<SkinPart>& parts) const {
    const Triangle& c = mesh_.mesh.triangles[t];
    const SkinPart a = parts[at(c[0])], b = parts[at(c[1])], d = parts[at(c[2])];
    const SkinPart part = b == d ? b : a;  // the one of two corners at least
    Vec3 place = Vec3::Zero(), normal = Vec3::Zero();
    for (const std::int32_t v : c)
      place += mesh_.mesh.positions[at(v)] / 3, normal += normals_[at(v)] / 3;
    switch (part) {
      case SkinPart::Head:
      case SkinPart::Neck:
        return SkinChart::Head;
      case SkinPart::Shoulder:
      case SkinPart::UpperArm:
      case SkinPart::Forearm:
      case SkinPart::Hand:
        if (place.y() > kWrist) return SkinChart::Arm;
        // The measured hand shows its palm to the front.
        return normal.z() > 0 ? SkinChart::Palm : SkinChart::HandBack;
      case SkinPart::Thigh:
      case SkinPart::Shank:
        return SkinChart::Leg;
      case SkinPart::Foot:
        return normal.y() < kSoleNormal ? SkinChart::Sole : SkinChart::Foot;
      default:
        return place.z() > kSide ? SkinChart::TrunkFront : SkinChart::TrunkBack;
    }
  }

  /// The triangle on the other side of an edge, or none (the mid-plane).
  std::optional<std::size_t> across(std::size_t t, std::size_t k) const {
    const std::vector<std::size_t>& both = sides_.at(edgeOf(mesh_.mesh.triangles[t], k));
    if (both.size() < 2) return std::nullopt;
    return both[0] == t ? both[1] : both[0];
  }

  /// A triangle with two neighbours in another chart joins it: borders become smooth.
  void pullTeeth() {
    for (std::size_t t = 0; t < count_; ++t) {
      std::array<int, kSkinCharts> votes{};
      for (std::size_t k = 0; k < 3; ++k)
        if (const auto u = across(t, k)) ++votes[static_cast<std::size_t>(chart_[*u])];
      for (std::size_t c = 0; c < votes.size(); ++c)
        if (votes[c] >= 2) chart_[t] = static_cast<SkinChart>(c);
    }
  }

  /// Pieces of a chart beside its largest join the neighbour with the most edges to them.
  bool joinIslands() {
    std::vector<int> piece(count_, -1);
    std::vector<std::vector<std::size_t>> pieces;
    for (std::size_t seed = 0; seed < count_; ++seed) {
      if (piece[seed] >= 0) continue;
      const int id = static_cast<int>(pieces.size());
      std::vector<std::size_t> list{seed};
      piece[seed] = id;
      for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
          if (const auto u = across(list[i], k); u && piece[*u] < 0 && chart_[*u] == chart_[seed]) {
            piece[*u] = id;
            list.push_back(*u);
          }
      pieces.push_back(std::move(list));
    }
    std::array<std::size_t, kSkinCharts> largest{};
    for (const auto& list : pieces) {
      std::size_t& most = largest[static_cast<std::size_t>(chart_[list[0]])];
      most = std::max(most, list.size());
    }
    bool joined = false;
    for (const auto& list : pieces) {
      const SkinChart own = chart_[list[0]];
      if (list.size() == largest[static_cast<std::size_t>(own)]) continue;
      std::array<int, kSkinCharts> votes{};
      for (const std::size_t t : list)
        for (std::size_t k = 0; k < 3; ++k)
          if (const auto u = across(t, k); u && chart_[*u] != own)
            ++votes[static_cast<std::size_t>(chart_[*u])];
      const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
      for (const std::size_t t : list) chart_[t] = static_cast<SkinChart>(best);
      joined = true;
    }
    return joined;
  }

  bool isBorder(const Edge& e, SkinChart chart) const {
    const std::vector<std::size_t>& both = sides_.at(e);
    if (both.size() < 2 || cuts_.contains(e)) return true;
    return (chart_[both[0]] == chart) != (chart_[both[1]] == chart);
  }

  /// Cuts a chart with several borders along the cheapest way between two of them.
  void openUp(SkinChart chart) {
    std::map<std::int32_t, std::vector<std::int32_t>> next;  // along edges of the chart
    std::set<Edge> borders;
    for (std::size_t t = 0; t < count_; ++t)
      for (std::size_t k = 0; k < 3 && chart_[t] == chart; ++k) {
        const Edge e = edgeOf(mesh_.mesh.triangles[t], k);
        next[e.first].push_back(e.second);
        next[e.second].push_back(e.first);
        if (isBorder(e, chart)) borders.insert(e);
      }
    // Borders as sets of vertices that hang together.
    std::map<std::int32_t, std::int32_t> root;
    const auto find = [&](std::int32_t v) {
      while (root[v] != v) v = root[v] = root[root[v]];
      return v;
    };
    for (const auto& [a, b] : borders) root.try_emplace(a, a), root.try_emplace(b, b);
    for (const auto& [a, b] : borders)
      root[std::max(find(a), find(b))] = std::min(find(a), find(b));
    std::set<std::int32_t> loops;
    for (const auto& [v, r] : root) loops.insert(find(v));
    while (loops.size() > 1) {
      const std::vector<std::int32_t> path = cheapestPath(*loops.begin(), next, root, find, chart);
      for (std::size_t i = 0; i + 1 < path.size(); ++i)
        cuts_.insert(std::minmax(path[i], path[i + 1]));
      const std::int32_t reached = find(path.front());
      loops.erase(reached);
      root[reached] = *loops.begin();
      for (const std::int32_t v : path) root[v] = *loops.begin();
    }
  }

  template <class Find>
  std::vector<std::int32_t> cheapestPath(
      std::int32_t from, const std::map<std::int32_t, std::vector<std::int32_t>>& next,
      std::map<std::int32_t, std::int32_t>& root, const Find& find, SkinChart chart) const {
    std::map<std::int32_t, double> best;
    std::map<std::int32_t, std::int32_t> before;
    std::priority_queue<std::pair<double, std::int32_t>,
                        std::vector<std::pair<double, std::int32_t>>, std::greater<>>
        queue;
    for (const auto& [v, list] : next)
      if (root.contains(v) && find(v) == from) best[v] = 0, queue.emplace(0, v);
    const Vec3 shown = shownSide(chart);
    while (!queue.empty()) {
      const auto [cost, v] = queue.top();
      queue.pop();
      if (cost > best.at(v)) continue;
      if (root.contains(v) && find(v) != from) return wayBack(v, before);
      for (const std::int32_t w : next.at(v)) {
        const double seen = 0.5 + 0.5 * normals_[at(w)].dot(shown);
        const double length = (mesh_.mesh.positions[at(v)] - mesh_.mesh.positions[at(w)]).norm();
        const double price = cost + length * (1 + kVisiblePrice * seen * seen);
        if (best.contains(w) && best.at(w) <= price) continue;
        best[w] = price;
        before[w] = v;
        queue.emplace(price, w);
      }
    }
    PNEUMA_CHECK(false, "skin: chart {} has borders that no path joins", name(chart));
    return {};
  }

  static std::vector<std::int32_t> wayBack(std::int32_t v,
                                           const std::map<std::int32_t, std::int32_t>& before) {
    std::vector<std::int32_t> path{v};
    for (auto it = before.find(v); it != before.end(); it = before.find(path.back()))
      path.push_back(it->second);
    return path;
  }

  /// Corners of a vertex are one chart vertex when the triangles between them share edges that are
  /// neither border nor cut.
  ChartSet collect() const {
    std::vector<std::size_t> root(3 * count_);
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t c) {
      while (root[c] != c) c = root[c] = root[root[c]];
      return c;
    };
    const auto cornerOf = [&](std::size_t t, std::int32_t v) {
      const Triangle& c = mesh_.mesh.triangles[t];
      return 3 * t + (c[0] == v ? 0u : c[1] == v ? 1u : 2u);
    };
    for (const auto& [e, both] : sides_) {
      if (both.size() < 2 || chart_[both[0]] != chart_[both[1]] || cuts_.contains(e)) continue;
      for (const std::int32_t v : {e.first, e.second}) {
        const std::size_t a = find(cornerOf(both[0], v)), b = find(cornerOf(both[1], v));
        root[std::max(a, b)] = std::min(a, b);
      }
    }
    ChartSet set;
    set.chart = chart_;
    set.triangles.resize(count_);
    std::vector<std::int32_t> number(3 * count_, -1);
    for (std::size_t t = 0; t < count_; ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        std::int32_t& n = number[find(3 * t + k)];
        if (n < 0) {
          n = static_cast<std::int32_t>(set.vertex.size());
          const std::int32_t v = mesh_.mesh.triangles[t][k];
          set.vertex.push_back(v);
          const bool open =
              chart_[t] == SkinChart::Head && mesh_.mesh.positions[at(v)].z() < kCrown;
          set.onMirror.push_back(static_cast<int>(chart_[t]) < kMiddleCharts && mesh_.inPlane(v) &&
                                 !open);
        }
        set.triangles[t][k] = n;
      }
    return set;
  }

  const SymmetricMesh& mesh_;
  std::size_t count_;
  std::vector<SkinChart> chart_;
  std::vector<Vec3> normals_;
  std::map<Edge, std::vector<std::size_t>> sides_;
  std::set<Edge> cuts_;
};

}  // namespace

std::string_view name(SkinChart chart) {
  static constexpr std::array<std::string_view, kSkinCharts> names = {
      "head", "trunk_front", "trunk_back", "arm", "palm", "hand_back", "leg", "foot", "sole"};
  return names[static_cast<std::size_t>(chart)];
}

ChartSet cutIntoCharts(const SymmetricMesh& subject, const std::vector<SkinPart>& parts) {
  return ChartCutter(subject, parts).run();
}

}  // namespace pneuma::anatomy::internal
