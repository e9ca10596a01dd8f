#pragma once

#include <filesystem>
#include <functional>

#include "pneuma/breath/cage_model.h"
#include "pneuma/fit/bone_check.h"
#include "pneuma/fit/fitted_figure.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "pneuma/fit/soft_tissue.h"
#include "pneuma/render/camera.h"
#include "pneuma/render/report.h"
#include "pneuma/render/scene.h"

namespace pneuma::stage::internal {

/// Names beside the places that were found, as a view shows them: away from the body's middle; from
/// a side only those of that side.
std::vector<render::Label> markNames(const fit::FittedFigure& figure, render::View view);

/// The character (`surface`, in the body frame) from four sides with the places that were found,
/// and with bones and lungs inside: four files landmarks_<side>.png and inside_<side>.png, and both
/// in the report. `cage` is that of the fitted body in our rest pose, and lies `shift` from the
/// character's own.
void addFitPictures(render::Report& report, const std::filesystem::path& folder,
                    const TriangleMesh& surface, const fit::FittedFigure& figure,
                    const fit::CarriedAnatomy& inside, const breath::CageModel& cage,
                    const Vec3& shift, const std::function<void(double)>& progress);

/// tissue.png: what lies between skin and bone, in colour, from the front and from behind; and the
/// same by part in a table.
void addSoftTissue(render::Report& report, const std::filesystem::path& folder,
                   const fit::FittedFigure& figure, const fit::SoftTissue& tissue, bool pictures);

/// Size, bending and slimming of the bones, those that changed most first.
render::Table boneTable(const fit::CarriedAnatomy& inside,
                        std::span<const fit::BoneOutside> outside,
                        std::span<const fit::SlimmedBone> slimmed);

}  // namespace pneuma::stage::internal
