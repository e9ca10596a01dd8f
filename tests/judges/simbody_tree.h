#pragma once

#include <memory>
#include <vector>

namespace pneuma::judges {

/// One elementary motion in plain numbers.
struct PlainMotion {
  enum Kind { Hinge, Slide, Ball } kind;
  int dof, position;  // first index in v and in q
  double axis[3];     // in the joint frame
};

/// A link in plain numbers (row-major matrices): Simbody's headers need C++17, ours C++20, so this
/// header must be readable by both.
struct PlainLink {
  int parent;
  double rotation[9], position[3];     // joint frame in the parent's frame
  double mass, center[3], inertia[9];  // in the link's frame, about the centre of mass
  std::vector<PlainMotion> motions;
};

class SimbodyTree {
 public:
  SimbodyTree(const std::vector<PlainLink>& links, const double gravity[3]);
  ~SimbodyTree();
  void setState(const double* q, const double* v);
  void forward(const double* tau, double* vDot);
  void inverse(const double* vDot, double* tau);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::judges
