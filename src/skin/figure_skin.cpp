#include "pneuma/skin/figure_skin.h"

#include <chrono>

#include "skin/control_net.h"

namespace pneuma::skin {

using namespace internal;

struct FigureSkin::Impl {
  Layout layout;
  ControlNet net;
  SplineSurface spline;
  Carriers carriers;
  PackedShares pointShares;
  std::vector<Vec3> control, surface;
  std::vector<Triangle> triangles;

  Impl(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
       const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
       const FigureSkinConfig& config)
      : layout(makeLayout(body, compiled, model)),
        net(makeControlNet(layout, RestSkin(personSkin), body.person.height)),
        spline(net.net, config.levels),
        carriers(compiled, model) {
    for (const Shares& s : net.shares) pointShares.add(s);
    triangles = spline.triangles();
    control.resize(net.rest.size());
  }

  void follow(const skeleton::Kinematics& k) {
    carriers.follow(k);
    for (std::size_t i = 0; i < control.size(); ++i)
      control[i] = pointShares.motion(i, carriers) * net.rest[i];
    spline.evaluate(control, surface);
  }
};

FigureSkin::FigureSkin(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                       const skeleton::Model& model, const anatomy::SkinSurface& personSkin,
                       const flesh::FigureBellies*, const anatomy::GeometryCache&,
                       const FigureSkinConfig& config)
    : impl_(std::make_unique<Impl>(body, compiled, model, personSkin, config)) {}
FigureSkin::~FigureSkin() = default;
FigureSkin::FigureSkin(FigureSkin&&) noexcept = default;

SkinPoseReport FigureSkin::follow(const VecX&, const skeleton::Kinematics& kinematics) {
  impl_->follow(kinematics);
  return {};
}
const std::vector<Vec3>& FigureSkin::positions() const {
  return impl_->surface;
}
const std::vector<Triangle>& FigureSkin::triangles() const {
  return impl_->triangles;
}

}  // namespace pneuma::skin
