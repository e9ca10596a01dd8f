#include "pneuma/skeleton/glide.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/from_body.h"

namespace pneuma::skeleton {

Glide::Glide(const anatomy::CompiledBody& body, const Model& model,
             const anatomy::CompiledGlide& glide)
    : model_(model), direction_(glide.direction), after_(glide.after), surface_(glide.surface) {
  const std::vector<int> links = linkIndices(body, model);
  limb_ = links[at(glide.limb)];
  on_ = links[at(glide.on)];
  for (const anatomy::RhythmPart& part : glide.parts)
    for (std::size_t l = 0; l < body.links.size(); ++l) {
      const auto& dofs = body.links[l].dofs;
      const auto found = std::ranges::find(dofs, part.freedom, &anatomy::CompiledDof::name);
      if (found == dofs.end()) continue;
      const Link& link = model.links[at(links[l])];
      if (link.joint == JointKind::Ball)
        throw InputError(Diagnostic{.subject = "glide '" + glide.name + "'",
                                    .field = "follow",
                                    .message = "'" + part.freedom + "' is a turn of a ball",
                                    .expected = "hinges or slides"});
      const auto d = static_cast<int>(found - dofs.begin());
      const DofResistance& range = model.dofResistance[at(link.firstDof + d)];
      followers_.push_back({link.firstDof + d, link.firstPosition + d, part.part, part.forward,
                            range.lowerLimit, range.upperLimit});
    }
  for (const anatomy::CompiledPoint& p : glide.points) {
    const int link = links[at(p.link)];
    contacts_.push_back({link, model.links[at(link)].X_WL_rest.inverse() * p.position,
                         surface_.distance(p.position)});
  }
}

/// Direction of the limb in the body frame, as if `link` stood where it does at rest.
Vec3 Glide::directionFrom(int link, const Kinematics& k) const {
  const auto turn = [&](int l) {
    return Mat3(k.X_WL[at(l)].rotation * model_.links[at(l)].X_WL_rest.rotation.transpose());
  };
  return turn(link).transpose() * (turn(limb_) * direction_);
}

double Glide::elevation(const Kinematics& k) const {
  return std::acos(std::clamp(directionFrom(on_, k).dot(direction_), -1.0, 1.0));
}

double Glide::elevationInSocket(const Kinematics& k) const {
  const int parent = model_.links[at(limb_)].parent;
  return std::acos(std::clamp(directionFrom(parent, k).dot(direction_), -1.0, 1.0));
}

Glide::Departure Glide::departure(const Contact& contact, const Kinematics& k) const {
  const Pose& X_WL = k.X_WL[at(on_)];
  const Pose& X_rest = model_.links[at(on_)].X_WL_rest;
  Departure d{.point = k.X_WL[at(contact.link)] * contact.local};
  Vec3 gradient;
  d.distance = surface_.distance(X_rest * (X_WL.inverse() * d.point), gradient) - contact.distance;
  d.normal = X_WL.rotation * (X_rest.rotation.transpose() * gradient);
  return d;
}

void Glide::prefer(const Kinematics& k, VecX& configuration) const {
  const double beyond = std::max(0.0, elevation(k) - after_);
  const double forwards = std::max(0.0, directionFrom(on_, k).z());
  for (const Follower& f : followers_)
    configuration[f.position] =
        model_.neutral[f.position] +
        std::clamp((f.part + f.forward * forwards) * beyond, f.lower, f.upper);
}

std::vector<Glide> makeGlides(const anatomy::CompiledBody& body, const Model& model) {
  std::vector<Glide> glides;
  for (const anatomy::CompiledGlide& g : body.glides) glides.emplace_back(body, model, g);
  return glides;
}

}  // namespace pneuma::skeleton
