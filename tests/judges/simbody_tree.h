#pragma once

#include <memory>
#include <vector>

namespace pneuma::judges {

/// A link in plain numbers (row-major matrices): Simbody's headers need C++17, ours C++20, so this
/// header must be readable by both.
struct PlainLink {
  int parent, dofCount, firstDof;
  double rotation[9], position[3];     // joint frame in the parent's frame
  double mass, center[3], inertia[9];  // in the link's frame, about the centre of mass
  double firstAxis[3], secondAxis[3];  // of hinge and universal
};

class SimbodyTree {
 public:
  SimbodyTree(const std::vector<PlainLink>& links, const double gravity[3]);
  ~SimbodyTree();
  void setState(const double* q, const double* v, int n);
  void forward(const double* tau, double* vDot, int n);
  void inverse(const double* vDot, double* tau, int n);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::judges
