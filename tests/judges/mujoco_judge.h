#pragma once

#include <string>

#include "tests/judges/judge.h"

struct mjModel_;
struct mjData_;

namespace pneuma::judges {

/// Our tree as MJCF text. `extra` is put before the closing tag (tendons, actuators), `sites` names
/// further elements of a link's body, by link.
std::string makeMjcf(const skeleton::Model& model, const std::string& option = {},
                     const std::vector<std::string>& sites = {}, const std::string& extra = {});

class MujocoJudge : public Judge {
 public:
  explicit MujocoJudge(const std::string& mjcf);
  ~MujocoJudge() override;
  MujocoJudge(const MujocoJudge&) = delete;
  MujocoJudge& operator=(const MujocoJudge&) = delete;

  void setState(std::span<const double> q, std::span<const double> v) override;
  void forward(std::span<const double> tau, std::span<double> vDot) override;
  void inverse(std::span<const double> vDot, std::span<double> tau) override;

  /// MuJoCo's compiler diagonalises inertia with a relative error near 1e-8. Gives its tensors to
  /// our model, so that both hold the same bodies.
  void copyInertias(skeleton::Model& model) const;

  mjModel_* model() { return model_; }
  mjData_* data() { return data_; }

 private:
  mjModel_* model_ = nullptr;
  mjData_* data_ = nullptr;
};

}  // namespace pneuma::judges
