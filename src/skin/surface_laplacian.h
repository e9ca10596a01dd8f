#pragma once

#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin::internal {

/// Laplacian of a triangle surface by the cotangent formula, as a symmetric positive matrix:
///
///   (L f)_i = sum over neighbours j of (cot a_ij + cot b_ij) / 2 (f_i - f_j)     [-]
///
/// a_ij, b_ij are the angles opposite to the edge. Pairs below zero count as zero, so that a
/// solution of (L + D) f = D g with D >= 0 stays between the least and the largest g.
Eigen::SparseMatrix<double> surfaceLaplacian(const TriangleMesh& mesh);

/// A third of the area of the triangles around each vertex [m^2].
std::vector<double> vertexAreas(const TriangleMesh& mesh);

}  // namespace pneuma::skin::internal
