#include "pneuma/fit/body_frame.h"

namespace pneuma::fit {

std::vector<Vec3> BodyFrame::toBody(std::span<const Vec3> file) const {
  std::vector<Vec3> result;
  result.reserve(file.size());
  for (const Vec3& p : file) result.push_back(toBody(p));
  return result;
}

std::vector<Vec3> BodyFrame::toFile(std::span<const Vec3> body) const {
  std::vector<Vec3> result;
  result.reserve(body.size());
  for (const Vec3& p : body) result.push_back(toFile(p));
  return result;
}

}  // namespace pneuma::fit
