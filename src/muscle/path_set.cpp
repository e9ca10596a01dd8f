#include "pneuma/muscle/path_set.h"

#include <algorithm>
#include <map>

#include "pneuma/core/check.h"

namespace pneuma::muscle {
namespace {

using skeleton::DofRange;
using skeleton::Model;

struct SignedRange {
  DofRange dofs;
  double sign;
};

/// Degrees of freedom between a link and one of its ancestors (or the world, -1), ascending.
void collect(const Model& model, int link, int ancestor, double sign,
             std::vector<SignedRange>& out) {
  for (; link != ancestor; link = model.links[link].parent) {
    const int begin = model.links[link].firstDof, end = begin + model.links[link].dofCount;
    if (begin == end) continue;
    if (!out.empty() && out.back().sign == sign && out.back().dofs.begin == end)
      out.back().dofs.begin = begin;
    else
      out.push_back({{begin, end}, sign});
  }
}

/// Degrees of freedom that change the distance of two links, with the sign of d(length)/dq.
std::vector<SignedRange> crossed(const Model& model, int linkA, int linkB) {
  const int common = model.commonAncestor(linkA, linkB);
  std::vector<SignedRange> out;
  collect(model, linkB, common, +1, out);
  collect(model, linkA, common, -1, out);
  std::sort(out.begin(), out.end(),
            [](const auto& x, const auto& y) { return x.dofs.begin < y.dofs.begin; });
  return out;
}

/// Compiles one muscle after the other.
class Compiler {
 public:
  explicit Compiler(const Model& model) : model_(model) {
    set_.pointBegin = {0};
    set_.rangeBegin = {0};
  }

  void add(const PathDescription& path) {
    PNEUMA_CHECK(path.points.size() >= 2, "a path of {} points", path.points.size());
    muscle_ = set_.muscleCount();
    const int first = static_cast<int>(set_.points.size());
    set_.points.insert(set_.points.end(), path.points.begin(), path.points.end());
    set_.pointBegin.push_back(static_cast<int>(set_.points.size()));
    layOutRow(path);
    touched_.assign(model_.dofCount(), !path.wraps.empty());
    for (int i = 0; i + 1 < std::ssize(path.points); ++i) addElement(path, first, i);
  }

  PathSet take() { return std::move(set_); }

 private:
  static const PathDescription::Wrap* wrapAfter(const PathDescription& path, int i) {
    for (const PathDescription::Wrap& w : path.wraps)
      if (w.afterPoint == i) return &w;
    return nullptr;
  }

  void mark(int linkA, int linkB) {
    for (const SignedRange& r : crossed(model_, linkA, linkB))
      std::fill(rowOf_.begin() + r.dofs.begin, rowOf_.begin() + r.dofs.end, 0);
  }

  /// Which degrees of freedom the row holds, and where each is stored.
  void layOutRow(const PathDescription& path) {
    rowOf_.assign(model_.dofCount(), -1);
    for (int i = 0; i + 1 < std::ssize(path.points); ++i) {
      const int a = path.points[i].link, b = path.points[i + 1].link;
      mark(a, b);
      if (const auto* wrap = wrapAfter(path, i)) {
        mark(a, wrap->surface.link);
        mark(wrap->surface.link, b);
      }
    }
    const int begin = set_.armCount;
    for (int j = 0; j < model_.dofCount(); ++j) {
      if (rowOf_[j] < 0) continue;
      rowOf_[j] = set_.armCount++;
      if (j > 0 && rowOf_[j - 1] >= 0)
        ++set_.ranges.back().count;
      else
        set_.ranges.push_back({j, 1, rowOf_[j]});
    }
    set_.rangeBegin.push_back(static_cast<int>(set_.ranges.size()));
    if (!path.wraps.empty()) set_.wrappedRows.push_back({0, set_.armCount - begin, begin});
  }

  /// Terms of a line; a range is cut where "already stored" changes.
  TermSpan addTerms(int linkA, int linkB) {
    TermSpan span{static_cast<int>(set_.terms.size()), 0};
    int dofs = 0;
    for (const SignedRange& r : crossed(model_, linkA, linkB)) {
      dofs += r.dofs.size();
      for (int j = r.dofs.begin; j < r.dofs.end;) {
        int end = j + 1;
        while (end < r.dofs.end && touched_[end] == touched_[j]) ++end;
        set_.terms.push_back({{j, end - j, rowOf_[j]}, r.sign, touched_[j] != 0});
        j = end;
      }
      std::fill(touched_.begin() + r.dofs.begin, touched_.begin() + r.dofs.end, 1);
    }
    set_.largestTermSpan = std::max(set_.largestTermSpan, dofs);
    span.end = static_cast<int>(set_.terms.size());
    return span;
  }

  std::vector<WrapMove> collectMoves(int linkA, int surface, int linkB) const {
    std::map<int, WrapMove> moves;
    const auto each = [&](int from, int to, auto&& act) {
      for (const SignedRange& r : crossed(model_, from, to))
        for (int j = r.dofs.begin; j < r.dofs.end; ++j) {
          moves[j].dof = j;
          act(moves[j], r.sign);
        }
    };
    each(linkA, surface, [](WrapMove& m, double sign) {
      m.a = -sign;
      if (sign > 0) m.surface = 1;
    });
    each(surface, linkB, [](WrapMove& m, double sign) {
      m.b = sign;
      if (sign < 0) m.surface = 1;
    });
    std::vector<WrapMove> out;
    for (const auto& [dof, move] : moves) out.push_back(move);
    return out;
  }

  void addElement(const PathDescription& path, int first, int i) {
    const int a = path.points[i].link, b = path.points[i + 1].link;
    const auto* wrap = wrapAfter(path, i);
    if (wrap == nullptr) {
      set_.segments.push_back({muscle_, first + i, first + i + 1, addTerms(a, b)});
      return;
    }
    WrapElement element{muscle_, first + i, first + i + 1, wrap->surface, {}, {}, {}, {}};
    element.direct = addTerms(a, b);
    element.first = addTerms(a, wrap->surface.link);
    element.second = addTerms(wrap->surface.link, b);
    element.moves = collectMoves(a, wrap->surface.link, b);
    set_.wraps.push_back(std::move(element));
  }

  const Model& model_;
  PathSet set_;
  int muscle_ = 0;
  std::vector<int> rowOf_;
  std::vector<char> touched_;
};

}  // namespace

PathSet compilePaths(const Model& model, const std::vector<PathDescription>& paths) {
  Compiler compiler(model);
  for (const PathDescription& path : paths) compiler.add(path);
  return compiler.take();
}

}  // namespace pneuma::muscle
