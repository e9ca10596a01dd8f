#include "pneuma/skeleton/coupled_solver.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/wide_registers.h"

namespace pneuma::skeleton {

namespace {

constexpr int kPanelWidth = 4;

/// Joints with degrees of freedom and their couplings, as an elimination graph.
struct Graph {
  std::vector<int> links;
  std::vector<std::vector<char>> adjacent;
  std::vector<char> done;

  explicit Graph(const Coupling& coupling) {
    const Model& model = coupling.model();
    for (int l = 0; l < model.linkCount(); ++l)
      if (model.links[l].dofCount > 0) links.push_back(l);
    adjacent.assign(links.size(), std::vector<char>(links.size()));
    done.assign(links.size(), 0);
    for (std::size_t a = 0; a < links.size(); ++a)
      for (std::size_t b = 0; b < links.size(); ++b)
        adjacent[a][b] = a != b && coupling.coupled(links[a], links[b]);
  }

  int degree(std::size_t a, const Model& model) const {
    int sum = 0;
    for (std::size_t b = 0; b < links.size(); ++b)
      if (adjacent[a][b] && !done[b]) sum += model.links[links[b]].dofCount;
    return sum;
  }

  /// The open joint with the fewest coupled degrees of freedom; the last one of equals.
  std::size_t next(const Model& model) const {
    std::size_t best = links.size();
    int bestDegree = 0;
    for (std::size_t a = links.size(); a-- > 0;) {
      if (done[a]) continue;
      const int d = degree(a, model);
      if (best == links.size() || d < bestDegree) best = a, bestDegree = d;
    }
    return best;
  }

  /// Eliminating a joint couples all its open neighbours.
  void eliminate(std::size_t a) {
    done[a] = 1;
    for (std::size_t b = 0; b < links.size(); ++b)
      for (std::size_t c = 0; c < links.size(); ++c)
        if (b != c && adjacent[a][b] && adjacent[a][c] && !done[b] && !done[c]) adjacent[b][c] = 1;
  }
};

}  // namespace

Coupling::Coupling(const Model& model)
    : model_(&model), count_(model.linkCount()), links_(static_cast<std::size_t>(count_) * count_) {
  for (int l = 0; l < count_; ++l)
    for (int a = l; a >= 0; a = model.links[a].parent) coupleLinks(l, a);
}

void Coupling::coupleLinks(int a, int b) {
  links_[a * count_ + b] = links_[b * count_ + a] = 1;
}

void Coupling::coupleAll() {
  std::fill(links_.begin(), links_.end(), char(1));
}

void Coupling::couple(std::span<const DofRange> ranges) {
  std::vector<int> touched;
  for (const DofRange r : ranges)
    for (int j = r.begin; j < r.end; ++j)
      if (touched.empty() || touched.back() != model_->dofLink[j])
        touched.push_back(model_->dofLink[j]);
  for (int a : touched)
    for (int b : touched) coupleLinks(a, b);
}

CoupledSolver::CoupledSolver(const Coupling& coupling)
    : n_(coupling.model().dofCount()), stride_((n_ + 7) / 8 * 8 + 8), work_(VecX::Zero(n_)) {
  order(coupling);
  lu_ = RowMatX::Zero(n_, stride_);
}

void CoupledSolver::order(const Coupling& coupling) {
  const Model& model = coupling.model();
  Graph graph(coupling);
  std::vector<std::size_t> sequence;
  std::vector<std::vector<std::size_t>> later;  // coupled joints still open at elimination
  std::vector<int> start(graph.links.size() + 1);
  while (sequence.size() < graph.links.size()) {
    const std::size_t a = graph.next(model);
    graph.eliminate(a);
    std::vector<std::size_t> open;
    for (std::size_t b = 0; b < graph.links.size(); ++b)
      if (graph.adjacent[a][b] && !graph.done[b]) open.push_back(b);
    start[a] = static_cast<int>(permutation_.size());
    const Link& link = model.links[graph.links[a]];
    // Within a joint the outermost degree of freedom goes first, as from leaf to root.
    for (int j = link.firstDof + link.dofCount - 1; j >= link.firstDof; --j)
      permutation_.push_back(j);
    sequence.push_back(a);
    later.push_back(open);
  }
  position_.resize(n_);
  for (int p = 0; p < n_; ++p) position_[permutation_[p]] = p;

  // Neighbouring joints of the sequence with the same couplings (apart from each other) go
  // together.
  std::vector<char> mask(n_);
  const auto maskOf = [&](const std::vector<std::size_t>& joints) {
    std::fill(mask.begin(), mask.end(), char(0));
    for (std::size_t b : joints)
      for (int d = 0; d < model.links[graph.links[b]].dofCount; ++d) mask[start[b] + d] = 1;
  };
  for (std::size_t s = 0; s < sequence.size();) {
    std::size_t last = s;
    while (last + 1 < sequence.size() && later[last].size() == later[last + 1].size() + 1 &&
           std::find(later[last].begin(), later[last].end(), sequence[last + 1]) !=
               later[last].end())
      ++last;
    const int begin = start[sequence[s]];
    const int end = start[sequence[last]] + model.links[graph.links[sequence[last]]].dofCount;
    maskOf(later[last]);
    addPanels(begin, end, mask);
    s = last + 1;
  }
}

void CoupledSolver::addPanels(int begin, int end, const std::vector<char>& later) {
  for (int b = begin; b < end; b += kPanelWidth) {
    const int e = std::min(b + kPanelWidth, end);
    Panel panel{b, e, static_cast<int>(runs_.size()), 0};
    if (e < end) runs_.push_back({e, end});
    for (int p = end; p < n_;) {
      if (!later[p]) {
        ++p;
        continue;
      }
      int q = p;
      while (q < n_ && later[q]) ++q;
      if (static_cast<int>(runs_.size()) > panel.firstRun && runs_.back().end == p)
        runs_.back().end = q;
      else
        runs_.push_back({p, q});
      p = q;
    }
    panel.lastRun = static_cast<int>(runs_.size());
    panels_.push_back(panel);
  }
}

/// Everything later loses lower * upper of the panel: two rows at a time, so that each upper entry
/// is loaded once for both.
template <int kWidth>
PNEUMA_INTO_BOTH void CoupledSolver::updatePanel(const Panel& panel) {
  double* base = lu_.data();
  const double* upper[kWidth];
  for (int p = 0; p < kWidth; ++p) upper[p] = base + (panel.begin + p) * stride_;
  const auto updateRows = [&]<int kRows>(int i) PNEUMA_INLINED {
    double factor[kRows][kWidth];
    double* row[kRows];
    for (int a = 0; a < kRows; ++a) {
      row[a] = base + (i + a) * stride_;
      for (int p = 0; p < kWidth; ++p) factor[a][p] = row[a][panel.begin + p];
    }
    for (int r = panel.firstRun; r < panel.lastRun; ++r) {
      const int end = runs_[r].end;
#pragma GCC ivdep
      for (int c = runs_[r].begin; c < end; ++c) {
        for (int a = 0; a < kRows; ++a) {
          double sum = row[a][c];
          for (int p = 0; p < kWidth; ++p) sum -= factor[a][p] * upper[p][c];
          row[a][c] = sum;
        }
      }
    }
  };
  for (int r = panel.firstRun; r < panel.lastRun; ++r) {
    int i = runs_[r].begin;
    for (; i + 1 < runs_[r].end; i += 2) updateRows.template operator()<2>(i);
    if (i < runs_[r].end) updateRows.template operator()<1>(i);
  }
}

PNEUMA_INTO_BOTH bool CoupledSolver::factorPanel(const Panel& panel) {
  double* base = lu_.data();
  // Own columns: unit lower factor below, upper factor above the diagonal.
  for (int k = panel.begin; k < panel.end; ++k) {
    double* pivotRow = base + k * stride_;
    const double pivot = pivotRow[k];
    largestPivot_ = std::max(largestPivot_, std::abs(pivot));
    if (!(std::abs(pivot) > kSmallPivot * largestPivot_)) return false;
    const double inverse = 1 / pivot;
    const auto eliminateRow = [&](int i) PNEUMA_INLINED {
      double* row = base + i * stride_;
      const double factor = row[k] *= inverse;
      for (int c = k + 1; c < panel.end; ++c) row[c] -= factor * pivotRow[c];
    };
    for (int i = k + 1; i < panel.end; ++i) {
      eliminateRow(i);
      const double factor = base[i * stride_ + k];
      for (int r = panel.firstRun; r < panel.lastRun; ++r)
        for (int c = runs_[r].begin; c < runs_[r].end; ++c)
          base[i * stride_ + c] -= factor * pivotRow[c];
    }
    for (int r = panel.firstRun; r < panel.lastRun; ++r)
      for (int i = runs_[r].begin; i < runs_[r].end; ++i) eliminateRow(i);
  }
  switch (panel.end - panel.begin) {
    case 1:
      updatePanel<1>(panel);
      break;
    case 2:
      updatePanel<2>(panel);
      break;
    case 3:
      updatePanel<3>(panel);
      break;
    default:
      updatePanel<4>(panel);
      break;
  }
  return true;
}

bool CoupledSolver::factor(const RowMatX& matrix, const RowMatX& symmetric) {
  largestPivot_ = 0;
  for (int p = 0; p < n_; ++p) {
    const int i = permutation_[p];
    double* row = lu_.data() + p * stride_;
    for (int c = 0; c < n_; ++c) {
      const int j = permutation_[c];
      row[c] = matrix(i, j) + (i >= j ? symmetric(i, j) : symmetric(j, i));
    }
  }
  bool regular = true;
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    for (const Panel& panel : panels_)
      if (regular) regular = factorPanel(panel);
  });
  return regular;
}

void CoupledSolver::solve(const VecX& b, VecX& x) {
  for (int p = 0; p < n_; ++p) work_[p] = b[permutation_[p]];
  const double* base = lu_.data();
  for (const Panel& panel : panels_) {
    for (int k = panel.begin; k < panel.end; ++k) {
      for (int i = k + 1; i < panel.end; ++i) work_[i] -= base[i * stride_ + k] * work_[k];
      for (int r = panel.firstRun; r < panel.lastRun; ++r)
        for (int i = runs_[r].begin; i < runs_[r].end; ++i)
          work_[i] -= base[i * stride_ + k] * work_[k];
    }
  }
  for (std::size_t q = panels_.size(); q-- > 0;) {
    const Panel& panel = panels_[q];
    for (int k = panel.end - 1; k >= panel.begin; --k) {
      const double* row = base + k * stride_;
      double sum = work_[k];
      for (int c = k + 1; c < panel.end; ++c) sum -= row[c] * work_[c];
      for (int r = panel.firstRun; r < panel.lastRun; ++r)
        for (int c = runs_[r].begin; c < runs_[r].end; ++c) sum -= row[c] * work_[c];
      work_[k] = sum / row[k];
    }
  }
  for (int p = 0; p < n_; ++p) x[permutation_[p]] = work_[p];
}

double CoupledSolver::fill() const {
  double entries = 0;
  for (const Panel& panel : panels_) {
    double later = 0;
    for (int r = panel.firstRun; r < panel.lastRun; ++r) later += runs_[r].size();
    const double own = panel.end - panel.begin;
    entries += own * own + 2 * own * later;
  }
  return entries / (double(n_) * n_);
}

}  // namespace pneuma::skeleton
