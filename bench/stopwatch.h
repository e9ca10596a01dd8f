#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "pneuma/core/cpu_time.h"

namespace pneuma::bench {

/// Candidates timed in turn, round after round, so that all see the same state of the machine.
/// Each call of a candidate does one unit of work on a fresh state.
class Contest {
 public:
  struct Entry {
    std::string name;
    std::function<void(int)> work;       ///< argument: running number, to vary the state
    std::vector<double> microseconds{};  ///< per round

    double best() const { return *std::min_element(microseconds.begin(), microseconds.end()); }
    double median() const {
      std::vector<double> sorted = microseconds;
      std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
      return sorted[sorted.size() / 2];
    }
  };

  void add(std::string name, std::function<void(int)> work) {
    entries_.push_back({std::move(name), std::move(work)});
  }

  /// Rounds of about `secondsPerTurn` for each candidate.
  void run(int rounds, double secondsPerTurn = 0.01) {
    for (Entry& e : entries_) e.work(0);
    std::vector<int> repeats;
    for (Entry& e : entries_) {
      const double start = threadCpuSeconds();
      for (int i = 0; i < 4; ++i) e.work(i);
      const double each = (threadCpuSeconds() - start) / 4;
      repeats.push_back(std::clamp(int(secondsPerTurn / each), 1, 2000));
    }
    for (int r = 0; r < rounds; ++r) {
      for (std::size_t c = 0; c < entries_.size(); ++c) {
        const double start = threadCpuSeconds();
        for (int i = 0; i < repeats[c]; ++i) entries_[c].work(i);
        entries_[c].microseconds.push_back(1e6 * (threadCpuSeconds() - start) / repeats[c]);
      }
    }
  }

  const Entry* find(const std::string& name) const {
    for (const Entry& e : entries_)
      if (e.name == name) return &e;
    return nullptr;
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace pneuma::bench
