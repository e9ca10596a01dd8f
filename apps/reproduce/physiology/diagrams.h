#pragma once

#include <vector>

#include "pneuma/render/plot.h"
#include "reproduce/physiology/measured.h"

/// The diagrams a respiratory physiologist asks for, people's bands behind ours.
namespace pneuma::reproduce::physiology {

/// A plot with its caption and file name.
struct Diagram {
  render::Plot plot;
  std::string caption, name;
};

/// Rahn, Konno-Mead, Campbell, flow-volume, greatest pressures, shares by posture, ventilation and
/// work, in this order.
std::vector<Diagram> makeDiagrams(const Measured& measured);

}  // namespace pneuma::reproduce::physiology
