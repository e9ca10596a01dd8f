#include "pneuma/control/muscle_columns.h"

#include <numeric>

#include "pneuma/core/check.h"

namespace pneuma::control {

void MuscleColumns::addColumn(const std::vector<int>& rowList) {
  for (std::size_t k = 0; k < rowList.size(); ++k) {
    const int row = rowList[k];
    PNEUMA_CHECK(row >= 0 && row < rows, "row {} of {}", row, rows);
    const bool goesOn = k > 0 && row == rowList[k - 1] + 1;
    if (goesOn)
      ++runs.back().count;
    else
      runs.push_back({row, 1, static_cast<int>(values.size())});
    values.push_back(0);
  }
  begin.push_back(static_cast<int>(runs.size()));
}

double MuscleColumns::dot(int i, const VecX& x) const {
  double sum = 0;
  for (int r = begin[i]; r < begin[i + 1]; ++r) {
    const double* v = values.data() + runs[r].value;
    const double* p = x.data() + runs[r].row;
    for (int k = 0; k < runs[r].count; ++k) sum += v[k] * p[k];
  }
  return sum;
}

void MuscleColumns::add(int i, double factor, VecX& out) const {
  for (int r = begin[i]; r < begin[i + 1]; ++r) {
    const double* v = values.data() + runs[r].value;
    double* p = out.data() + runs[r].row;
    for (int k = 0; k < runs[r].count; ++k) p[k] += factor * v[k];
  }
}

void MuscleColumns::addProduct(const VecX& a, VecX& out) const {
  for (int i = 0; i < count(); ++i)
    if (a[i] != 0) add(i, a[i], out);
}

double MuscleColumns::at(int row, int i) const {
  for (int r = begin[i]; r < begin[i + 1]; ++r)
    if (row >= runs[r].row && row < runs[r].row + runs[r].count)
      return values[runs[r].value + row - runs[r].row];
  return 0;
}

MatX MuscleColumns::dense() const {
  MatX C = MatX::Zero(rows, count());
  for (int i = 0; i < count(); ++i)
    for (int r = begin[i]; r < begin[i + 1]; ++r)
      for (int k = 0; k < runs[r].count; ++k) C(runs[r].row + k, i) = values[runs[r].value + k];
  return C;
}

MuscleColumns denseColumns(const MatX& C) {
  MuscleColumns columns(static_cast<int>(C.rows()));
  std::vector<int> all(static_cast<std::size_t>(C.rows()));
  std::iota(all.begin(), all.end(), 0);
  for (Eigen::Index i = 0; i < C.cols(); ++i) {
    columns.addColumn(all);
    for (Eigen::Index j = 0; j < C.rows(); ++j) *(columns.values.end() - C.rows() + j) = C(j, i);
  }
  return columns;
}

}  // namespace pneuma::control
