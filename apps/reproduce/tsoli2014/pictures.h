#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/render/report.h"
#include "pneuma/shape/breath_model.h"

namespace pneuma::reproduce::tsoli2014 {

/// A man, a woman and a heavy man at three deviations of each of the first components (Fig. 8), and
/// a litre breathed in by the belly and by the chest (Fig. 13), into the report.
void addPictures(const shape::BreathModel& model, const anatomy::Body& measured,
                 render::Report& report);

/// Weights over volume for several types (Figs 11 and 12).
render::Plot weightPlot(const shape::BreathModel& model, const anatomy::Body& measured);

}  // namespace pneuma::reproduce::tsoli2014
