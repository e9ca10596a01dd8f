#include "pneuma/control/muscle_columns.h"

#include <numeric>

#include "pneuma/core/check.h"
#include "pneuma/core/lanes.h"

namespace pneuma::control {

using pneuma::internal::inRegisters;

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

void MuscleColumns::multiplyTransposed(const VecX& x, VecX& out) const {
  inRegisters([&]() PNEUMA_INLINED {
    for (int i = 0; i < count(); ++i) {
      pneuma::internal::LaneSum sum;
      for (int r = begin[i]; r < begin[i + 1]; ++r)
        sum.add(values.data() + runs[r].value, x.data() + runs[r].row, runs[r].count);
      out[i] = sum.value();
    }
  });
}

void MuscleColumns::addProduct(const VecX& a, VecX& out) const {
  inRegisters([&]() PNEUMA_INLINED {
    for (int i = 0; i < count(); ++i) {
      if (a[i] == 0) continue;
      for (int r = begin[i]; r < begin[i + 1]; ++r)
        pneuma::internal::addScaled(a[i], values.data() + runs[r].value, runs[r].count,
                                    out.data() + runs[r].row);
    }
  });
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
