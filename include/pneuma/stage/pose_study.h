#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/shape/learn.h"
#include "pneuma/stage/skin_rig.h"

/// People in many poses, who teach a model what skin does beyond being turned: Q of [Tsoli14].
namespace pneuma::stage {

struct PoseRequest {
  int poses = 60;  ///< of each person who is learned from; 0: Q is not learned
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<PoseRequest> r) {
  v.field({.name = "poses",
           .meaning = "Poses of a man, a woman and a heavy man to learn the skin of any pose from; "
                      "0: none",
           .min = 0,
           .max = 10000},
          r.poses);
}

/// Poses of everyday movement within the joints' ranges, arms, legs, trunk and neck at once: of N
/// each N-th part of every range holds one (Latin hypercube).
std::vector<VecX> samplePoses(const SkinRig& rig, int count, std::uint64_t seed);

/// Distances of a posed skin's vertices from where `live` has them, hands and head left out [m].
struct PoseErrorLine {
  std::string name;
  shape::ShapeError poses;   ///< of people who were learned from, in poses that were not
  shape::ShapeError people;  ///< of a person who was not learned from
};
std::string poseTable(const std::vector<PoseErrorLine>& lines);
nlohmann::ordered_json poseJson(const std::vector<PoseErrorLine>& lines);

/// Learns Q on the model's topology into the model and says how well, also in its card: beside
/// plain skinning, with one turn for each part, without Q. Nothing for a request of no poses.
/// Throws InputError for a model of another topology than the body's.
std::vector<PoseErrorLine> learnPoses(const anatomy::Body& measured, const PoseRequest& request,
                                      shape::Learned& learned, Progress& progress);

}  // namespace pneuma::stage
