#pragma once

#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::control {

/// A contiguous piece of a column: rows [row, row + count), values from `value` on.
struct ColumnRun {
  int row = 0;
  int count = 0;
  int value = 0;
};

/// What each muscle does per unit of activation, a sparse column each [N m]: C of `tau = C a`.
/// The pattern is fixed, the values change from step to step. A muscle crosses few joints, and
/// those between two links of a tree are numbered in few contiguous ranges, so a column is a few
/// runs.
struct MuscleColumns {
  int rows = 0;
  std::vector<int> begin = {0};  ///< runs of column i: [begin[i], begin[i + 1])
  std::vector<ColumnRun> runs;   ///< ascending in row within a column
  std::vector<double> values;

  explicit MuscleColumns(int rowCount = 0) : rows(rowCount) {}

  int count() const { return static_cast<int>(begin.size()) - 1; }
  /// Appends a column that may be nonzero in these rows (ascending); values are 0.
  void addColumn(const std::vector<int>& rowList);

  /// out = C^T x
  void multiplyTransposed(const VecX& x, VecX& out) const;
  /// out += C a
  void addProduct(const VecX& a, VecX& out) const;
  /// Entry of a column, 0 outside its runs; for tests and reports.
  double at(int row, int i) const;
  MatX dense() const;
};

/// A full matrix as columns.
MuscleColumns denseColumns(const MatX& C);

}  // namespace pneuma::control
