#pragma once

#include "reproduce/reproduce.h"

namespace pneuma::reproduce::physiology {

/// Measures the breathing body against the figures of people in data/breath/physiology.toml: which
/// lie inside their range and which outside, and the diagrams behind them.
Outcome run(const Context& context);

}  // namespace pneuma::reproduce::physiology
