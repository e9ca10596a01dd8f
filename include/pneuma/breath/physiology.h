#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Figures of breathing people that the model is measured against (data/breath/physiology.toml).
namespace pneuma::breath {

/// One figure with the range of people.
struct HumanFigure {
  std::string id, text, unit;
  double low = 0, high = 0;
  std::string source;
  std::string known;      ///< seen, recalled or derived
  bool tuned = false;     ///< the model was calibrated on it; else it is predicted
  bool relative = false;  ///< to the person's own prediction or strength: holds for every adult

  bool holds(double value) const { return value >= low && value <= high; }
};

/// All figures of a file, in its order. Throws InputError with line and field.
std::vector<HumanFigure> readHumanFigures(const std::filesystem::path& file);

}  // namespace pneuma::breath
