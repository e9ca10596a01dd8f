#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/breath/lung.h"

/// Breath styles: how the muscles are driven over time, as text (data/breath/styles.toml).
namespace pneuma::breath {

/// Command 1 - r per muscle group [-]: an activation, or the shortening of Eq. 2 (makeDrive).
struct Contractions {
  double diaphragm = 0, external = 0, internal = 0, scalene = 0, levator = 0;
  double rectus = 0, transverse = 0;

  Contractions operator*(double s) const;
  Contractions operator+(const Contractions& other) const;
};

/// One breath. Fractions are parts of the period.
struct Breath {
  double period = 4;    ///< [s], > 0
  double rise = 0.4;    ///< spent inhaling
  double hold = 0;      ///< at the top
  double fall = 0.35;   ///< drive fades
  double depth = 1;     ///< of the inspiration
  double expire = 0;    ///< depth of active expiration
  int steps = 1;        ///< sniffs
  double swell = 0.35;  ///< part of the expiration in which its effort rises, 0.01 .. 1
  int bursts = 0;       ///< pulses on the active expiration; 0: none
  /// Between these parts of the period the glottis is shut; equal: never.
  double shutFrom = 0, shutTo = 0;
  /// Resistance of a narrow airway while inhaling and exhaling, beyond an open one's [cmH2O s/l].
  double narrowIn = 0, narrowOut = 0;
};

/// Inputs of Table 3 of [Zordan05].
struct PaperControl {
  double rate = 15;                  ///< [1/min]
  double diaphragm = 0.85;           ///< r while it contracts
  double mean = 0.92, swing = 0.08;  ///< r(t) of the intercostals
  std::optional<double> rectus;      ///< r, active while exhaling
};

/// A way of breathing: which muscles work, and the breaths that repeat.
struct BreathStyle {
  std::string name, text;
  Contractions inspire, expire;
  std::vector<Breath> breaths;
  double variability = 0;  ///< relative deviation of period and depth
  std::optional<PaperControl> paper;

  double ratePerMinute() const;  ///< mean over the list
};

/// What a user turns on top of a style.
struct BreathKnobs {
  std::optional<double> rate;  ///< breaths per minute, 0 .. 300; 0: no breath at all
  double effort = 1;           ///< scales every contraction, 0 .. 20
  /// Shifts the commands, 0 belly only .. 0.5 as is .. 1 chest only, whatever volumes come of it; a
  /// wanted share of the volume is BreathSettings::chestShare.
  std::optional<double> chestShare;
  std::optional<double> variability;  ///< replaces the style's, 0 .. 1
};
/// Throws InputError naming what is out of range.
void validate(const BreathKnobs& knobs);

/// Levels at a moment of a breath, `phase` in [0, 1).
struct BreathLevels {
  double inspire = 0, expire = 0;
  Airway airway;
};
BreathLevels levels(const Breath& breath, double phase);

/// All styles of a file; errors name line and field.
std::vector<BreathStyle> readBreathStyles(const std::filesystem::path& file);
/// The style of that name. Throws InputError with the nearest one.
const BreathStyle& findBreathStyle(const std::vector<BreathStyle>& styles, std::string_view name);

}  // namespace pneuma::breath
