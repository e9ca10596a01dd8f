#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "pneuma/core/progress.h"

/// What the reproductions of papers share: each is a small library with one function, which runs
/// the paper's experiments into a folder and gives what is to be told.
namespace pneuma::reproduce {

/// Who runs a reproduction, and where its results go.
struct Context {
  std::filesystem::path out;
  bool resume = false;  ///< go on with a run that was stopped
  std::string command;  ///< as typed, for run.toml
  std::function<std::unique_ptr<Progress>(const std::string& unit)> makeProgress;
};

/// Results for programs and for people.
struct Outcome {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
  std::string text;
};

}  // namespace pneuma::reproduce
