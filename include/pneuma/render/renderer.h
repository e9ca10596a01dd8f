#pragma once

#include <memory>
#include <optional>
#include <span>

#include "pneuma/render/camera.h"
#include "pneuma/render/image.h"
#include "pneuma/render/scene.h"

namespace pneuma::render {

/// A plane that takes away what lies on the side of its normal.
struct CutPlane {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< towards the removed half
};

/// Size, quality and surroundings of a picture.
struct RenderOptions {
  int width = 1280, height = 720;  ///< [pixels], 1..16384
  int samples = 16;                ///< per pixel where something is seen, 1..4096; a power of two
                                   ///< spreads best
  bool denoise = true;             ///< removes the grain of sampling, keeps edges
  bool ground = true;              ///< a soft shadow on an unseen floor
  std::optional<double> groundHeight;  ///< [m]; default: lowest point of the scene
  Color background = palette::kBackdrop;
  bool vignette = true;  ///< background fades gently to its corners
  std::optional<CutPlane> cut;
  bool legend = true;  ///< draws the scales of scalar surfaces
  bool labels = true;
  double exposure = 1;  ///< brightness of the light, > 0
  double keyLight = 1;  ///< of the lamp, against the rest, >= 0
  double skyLight = 1;  ///< of the surroundings, >= 0: less of it gives deeper shadows

  /// The same picture in a studio: a strong lamp, dim surroundings, a grey backdrop.
  RenderOptions inStudio() const;
};

/// Ray-traces one scene again and again: an Embree hierarchy that follows moving positions.
///
/// Light: a soft key lamp up and to the left of the camera, a bright sky with fill and rim, and
/// ambient occlusion by sky visibility. Translucent surfaces are composited exactly, front to back
/// along each ray, whatever their order in the scene. Every pixel draws its own samples, so the
/// picture has the same bits for any number of threads.
class Renderer {
 public:
  /// Throws InputError when the scene is inconsistent (index out of range, non-finite point,
  /// scalars without scale...).
  explicit Renderer(Scene scene);
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  const Scene& scene() const;
  /// New positions of a surface with the same triangles (deforming skin).
  void setPositions(std::size_t surface, std::span<const Vec3> positions);
  /// Moves a surface rigidly from the positions it was added with (bones).
  void setPose(std::size_t surface, const Pose& pose);
  void setScalars(std::size_t surface, std::span<const double> scalars);
  void setMaterial(std::size_t surface, const Material& material);
  void setLine(std::size_t line, std::span<const Vec3> points);
  void setLineMaterial(std::size_t line, const Material& material);

  Image render(const Camera& camera, const RenderOptions& options = {});

  /// Works out once how much of lamp and surroundings reaches each vertex, with the lights where
  /// they stand for this camera. From then on pictures send no shadow rays: the lights stay,
  /// shadows stay on the surfaces, and there is no grain. For films of something that hardly moves
  /// under a camera that sways at most; lines, cut faces and what this camera does not see are lit
  /// as ever.
  void keepLight(const Camera& camera, const RenderOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Draws the silhouette of a surface over a picture taken with that camera; `thickness` in pixels.
void drawOutline(Image& image, const TriangleMesh& mesh, const Camera& camera, double thickness,
                 const Color& color);

/// One picture of a scene.
Image render(const Scene& scene, const Camera& camera, const RenderOptions& options = {});
/// One picture from a standard view, framed on the whole scene.
Image render(const Scene& scene, View view, const RenderOptions& options = {});

}  // namespace pneuma::render
