#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "pneuma/anatomy/mjcf.h"

namespace pneuma::anatomy {

struct MujocoModel {
  std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};
};

/// The exported body in MuJoCo, in its rest pose.
inline MujocoModel loadMjcf(const CompiledBody& body) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pneuma_" + body.articulation + "_" + std::to_string(::getpid()) + ".xml");
  std::ofstream(path) << toMjcf(body);
  char message[1000] = "";
  MujocoModel m;
  m.model.reset(mj_loadXML(path.c_str(), nullptr, message, sizeof message));
  std::filesystem::remove(path);
  EXPECT_TRUE(m.model) << message;
  if (!m.model) return m;
  m.data.reset(mj_makeData(m.model.get()));
  mj_forward(m.model.get(), m.data.get());
  return m;
}

}  // namespace pneuma::anatomy
