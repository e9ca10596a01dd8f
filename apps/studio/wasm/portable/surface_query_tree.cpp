#include <algorithm>
#include <limits>
#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"

/// Closest points without Embree: a tree of boxes, halved at the middle triangle of the longest
/// side. Rays are not asked for here.
namespace pneuma {
namespace {

constexpr std::size_t kLeafTriangles = 8;

double squaredDistance(const Box& box, const Vec3& p) {
  return (p - p.cwiseMax(box.min).cwiseMin(box.max)).squaredNorm();
}

}  // namespace

struct SurfaceQuery::Impl {
  struct Node {
    Box box;
    std::size_t begin = 0, end = 0;   // of `order`
    std::size_t left = 0, right = 0;  // 0: a leaf
  };
  TriangleMesh mesh;
  std::vector<std::size_t> order;
  std::vector<Node> nodes;

  Vec3 corner(std::size_t t, std::size_t k) const {
    return mesh.positions[static_cast<std::size_t>(mesh.triangles[t][k])];
  }

  std::size_t build(std::size_t begin, std::size_t end) {
    const std::size_t self = nodes.size();
    nodes.push_back({.begin = begin, .end = end});
    Box box;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < 3; ++k) box.add(corner(order[i], k));
    nodes[self].box = box;
    if (end - begin <= kLeafTriangles) return self;
    int axis = 0;
    box.size().maxCoeff(&axis);
    const std::size_t middle = begin + (end - begin) / 2;
    const auto key = [&](std::size_t t) {
      return corner(t, 0)[axis] + corner(t, 1)[axis] + corner(t, 2)[axis];
    };
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
      return std::pair(key(a), a) < std::pair(key(b), b);
    });
    const std::size_t left = build(begin, middle), right = build(middle, end);
    nodes[self].left = left, nodes[self].right = right;
    return self;
  }

  /// Equal distances go to the lower index, as with Embree.
  void search(std::size_t n, const Vec3& p, Hit& best) const {
    const Node& node = nodes[n];
    if (node.left == 0) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::size_t t = order[i];
        const Vec3 q = closestPointOnTriangle(p, corner(t, 0), corner(t, 1), corner(t, 2));
        const double d = (q - p).norm();
        const int index = static_cast<int>(t);
        if (d < best.distance || (d == best.distance && index < best.triangle))
          best = {index, q, d};
      }
      return;
    }
    std::size_t near = node.left, far = node.right;
    if (squaredDistance(nodes[far].box, p) < squaredDistance(nodes[near].box, p))
      std::swap(near, far);
    for (const std::size_t child : {near, far})
      if (squaredDistance(nodes[child].box, p) <= best.distance * best.distance)
        search(child, p, best);
  }
};

SurfaceQuery::SurfaceQuery(TriangleMesh mesh) : SurfaceQuery(std::move(mesh), false) {}
SurfaceQuery::SurfaceQuery(TriangleMesh mesh, bool) : impl_(std::make_unique<Impl>()) {
  if (mesh.empty()) throw InputError("a surface without triangles cannot be searched");
  impl_->mesh = std::move(mesh);
  impl_->order.resize(impl_->mesh.triangles.size());
  std::iota(impl_->order.begin(), impl_->order.end(), std::size_t{0});
  impl_->build(0, impl_->order.size());
}
SurfaceQuery::~SurfaceQuery() = default;

SurfaceQuery::Hit SurfaceQuery::closest(const Vec3& point) const {
  Hit best{-1, Vec3::Zero(), std::numeric_limits<double>::infinity()};
  impl_->search(0, point, best);
  return best;
}

}  // namespace pneuma
