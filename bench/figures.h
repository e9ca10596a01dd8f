#pragma once

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "pneuma/core/version.h"

namespace pneuma::bench {

/// Figures of one bench program, written at its end as a flat JSON object to the file that
/// PNEUMA_BENCH_JSON names (scripts/bench.py gathers them in build/bench.json). Each number gets
/// the flags of this build beside it, as `<key>.flags`.
class Figures {
 public:
  void set(const std::string& key, double value) {
    json_[key] = value;
    json_[key + ".flags"] = std::string(buildDescription());
  }

  ~Figures() {
    const char* path = std::getenv("PNEUMA_BENCH_JSON");
    if (path != nullptr) std::ofstream(path) << json_.dump(2) << '\n';
  }

 private:
  nlohmann::ordered_json json_;
};

}  // namespace pneuma::bench
