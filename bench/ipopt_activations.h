#pragma once

#include <coin/IpStdCInterface.h>

#include <memory>
#include <vector>

#include "pneuma/control/activation_qp.h"

namespace pneuma::bench {

/// An activation problem as Ipopt's C interface takes it: unknowns a and r, C a + r = tau as
/// equalities, bounds on a. All of it is constant but the demand and the columns, and Ipopt is told
/// so.
class IpoptActivations {
 public:
  /// Solves; returns Ipopt's iterations, -1 when it gave up. `a` starts it and gets its solution.
  int solve(const control::MuscleColumns& columns, const control::ActivationProblem& problem,
            double slackCost, VecX& a) {
    columns_ = &columns, problem_ = &problem, slackCost_ = slackCost;
    const int muscles = columns.count(), rows = columns.rows, n = muscles + rows;
    std::vector<double> lower(n, -1e20), upper(n, 1e20);
    std::copy(problem.lower.begin(), problem.lower.end(), lower.begin());
    std::copy(problem.upper.begin(), problem.upper.end(), upper.begin());
    std::vector<double> demand(problem.demand.begin(), problem.demand.end());
    const std::unique_ptr<IpoptProblemInfo, decltype(&FreeIpoptProblem)> ipopt(
        CreateIpoptProblem(n, lower.data(), upper.data(), rows, demand.data(), demand.data(),
                           static_cast<int>(columns.values.size()) + rows, n, 0, cost, constraints,
                           gradient, jacobian, hessian),
        FreeIpoptProblem);
    const auto text = [&](const char* key, const char* value) {
      AddIpoptStrOption(ipopt.get(), const_cast<char*>(key), const_cast<char*>(value));
    };
    text("sb", "yes");
    text("hessian_constant", "yes");
    text("jac_c_constant", "yes");
    text("mehrotra_algorithm", "yes");  // as its manual advises for quadratic problems
    AddIpoptIntOption(ipopt.get(), const_cast<char*>("print_level"), 0);
    AddIpoptNumOption(ipopt.get(), const_cast<char*>("tol"), 1e-8);
    SetIntermediateCallback(ipopt.get(), count);
    std::vector<double> x(a.begin(), a.end());
    x.resize(n, 0.0);
    const ApplicationReturnStatus status =
        IpoptSolve(ipopt.get(), x.data(), nullptr, nullptr, nullptr, nullptr, nullptr, this);
    std::copy_n(x.begin(), muscles, a.begin());
    return status == Solve_Succeeded || status == Solved_To_Acceptable_Level ? iterations_ : -1;
  }

 private:
  static IpoptActivations& self(UserDataPtr data) { return *static_cast<IpoptActivations*>(data); }
  int muscles() const { return columns_->count(); }
  double slackStiffness(int row) const {
    const double s = problem_->slackScale[row];
    return 1 / (slackCost_ * s * s);
  }

  static Bool cost(Index, Number* x, Bool, Number* value, UserDataPtr data) {
    const IpoptActivations& p = self(data);
    *value = 0;
    for (int i = 0; i < p.muscles(); ++i) {
      const double d = p.problem_->weight[i] * (x[i] - p.problem_->reference[i]);
      *value += 0.5 * d * d;
    }
    for (int r = 0; r < p.columns_->rows; ++r)
      *value += 0.5 * p.slackStiffness(r) * x[p.muscles() + r] * x[p.muscles() + r];
    return TRUE;
  }
  static Bool gradient(Index, Number* x, Bool, Number* out, UserDataPtr data) {
    const IpoptActivations& p = self(data);
    for (int i = 0; i < p.muscles(); ++i) {
      const double w = p.problem_->weight[i];
      out[i] = w * w * (x[i] - p.problem_->reference[i]);
    }
    for (int r = 0; r < p.columns_->rows; ++r)
      out[p.muscles() + r] = p.slackStiffness(r) * x[p.muscles() + r];
    return TRUE;
  }
  static Bool constraints(Index n, Number* x, Bool, Index rows, Number* out, UserDataPtr data) {
    const IpoptActivations& p = self(data);
    VecX torque = VecX::Zero(rows);
    p.columns_->addProduct(Eigen::Map<const VecX>(x, p.muscles()), torque);
    for (int r = 0; r < rows; ++r) out[r] = torque[r] + x[n - rows + r];
    return TRUE;
  }
  static Bool jacobian(Index, Number*, Bool, Index rows, Index, Index* row, Index* column,
                       Number* values, UserDataPtr data) {
    const IpoptActivations& p = self(data);
    const control::MuscleColumns& c = *p.columns_;
    int k = 0;
    for (int i = 0; i < p.muscles(); ++i)
      for (int run = c.begin[i]; run < c.begin[i + 1]; ++run)
        for (int j = 0; j < c.runs[run].count; ++j, ++k) {
          if (values != nullptr)
            values[k] = c.values[c.runs[run].value + j];
          else
            row[k] = c.runs[run].row + j, column[k] = i;
        }
    for (int r = 0; r < rows; ++r, ++k) {
      if (values != nullptr)
        values[k] = 1;
      else
        row[k] = r, column[k] = p.muscles() + r;
    }
    return TRUE;
  }
  static Bool hessian(Index n, Number*, Bool, Number factor, Index, Number*, Bool, Index,
                      Index* row, Index* column, Number* values, UserDataPtr data) {
    const IpoptActivations& p = self(data);
    for (int i = 0; i < n; ++i) {
      if (values == nullptr) {
        row[i] = column[i] = i;
        continue;
      }
      const double w = i < p.muscles() ? p.problem_->weight[i] : 0;
      values[i] = factor * (i < p.muscles() ? w * w : p.slackStiffness(i - p.muscles()));
    }
    return TRUE;
  }
  static Bool count(Index, Index iteration, Number, Number, Number, Number, Number, Number, Number,
                    Number, Index, UserDataPtr data) {
    self(data).iterations_ = iteration;
    return TRUE;
  }

  const control::MuscleColumns* columns_ = nullptr;
  const control::ActivationProblem* problem_ = nullptr;
  double slackCost_ = 0;
  int iterations_ = 0;
};

}  // namespace pneuma::bench
