#pragma once

#include "pneuma/render/plot.h"
#include "pneuma/stage/torso_cast.h"
#include "reproduce/zordan2005/runs.h"

/// Pictures and plots of the reproduction of Zordan et al. 2005.
namespace pneuma::reproduce::zordan2005 {

/// A torso with arms that has breathed, and its frames at four moments of the last breath: rest,
/// half in, full, half out.
struct ShownBreath {
  explicit ShownBreath(std::string_view style);
  breath::BreathSimulation run;
  std::vector<body::Frame> moments;
};

render::Image inhaleExhale(const ShownBreath& breath, const stage::TorsoCast& torso);  ///< Fig. 2
render::Image ballPicture(const BallRun& run);                                         ///< Fig. 4
render::Image overlay(const ShownBreath& breath, const stage::TorsoCast& torso);       ///< Fig. 8
/// The same as lines in the middle plane, with their travel magnified.
render::Plot sectionPlot(const ShownBreath& breath, const stage::TorsoCast& torso,
                         double magnified);

render::Plot volumesPlot(const std::vector<StyleRun>& runs, std::string_view preset);  ///< Fig. 6
render::Plot breathSpacePlot(const BreathSpace& space);                                ///< Fig. 7
render::Plot ribsPlot(const StyleRun& run);                                            ///< Fig. 9

}  // namespace pneuma::reproduce::zordan2005
