#pragma once

#include <map>
#include <string>

/// A small valid body in two files, from which the broken ones are made.
namespace pneuma::anatomy {

inline const std::map<std::string, std::string>& validFiles() {
  static const std::map<std::string, std::string> files = {
      {"body.toml", R"(format = "pneuma-body 1"
units = { length = "mm", angle = "deg", mass = "kg", area = "cm2", volume = "cm3", inertia = "kg m2" }
include = ["bones.toml"]
name = "tiny"

[subject]
sex = "male"
height = 1700
mass = 60

[person]
height = 1750
mass = 70
age = 30

[[landmarks]]
bone = "pelvis"
mirror = true
[landmarks.points]
center = [0, 900, 50]
socket_l = [80, 850, 60]

[[landmarks]]
bone = "femur_l"
mirror = true
[landmarks.points]
head = [80, 850, 60]
knee = [75, 450, 60]
middle = { at = "femur_l:head", towards = "femur_l:knee", fraction = 0.5 }
[landmarks.curves]
shaft = [[80, 800, 60], [78, 600, 60], [75, 480, 60]]

[[landmarks]]
bone = "tibia_l"
mirror = true
points = { knee = [75, 445, 60], ankle = [75, 60, 50] }

[[shape]]
bone = "femur_l"
mirror = true
[[shape.part]]
kind = "sweep"
sections = [[80, 850, 60, 20, 20], [75, 450, 60, 30, 25]]
[[shape.part]]
kind = "ellipsoid"
center = [80, 850, 60]
radii = [23, 23, 23]

[[segment]]
bone = "pelvis"
mass = 30
center = [0, 1100, 50]
inertia = [1, 0.5, 1, 0, 0, 0]

[[segment]]
bone = "{bone}_l"
mirror = true
series = { bone = ["femur", "tibia"], mass = [10, 5] }
mass = 1
center = [80, 600, 60]
inertia = [0.1, 0.02, 0.1, 0, 0, 0]

[[muscle]]
name = "quadriceps_l"
mirror = true
set = "test"
muscle = "quadriceps"
region = "leg"
points = ["femur_l:shaft@0.2", { at = "femur_l:knee", offset = [0, 0, 40] }, "tibia_l:knee"]
pcsa = 40
slack = 0.9
pennation = 10
tendon_origin = 0.1
tendon_insertion = 0.2
volume = 900
profile = [5, 30, 5]
belly = "quadriceps_l"

[[belly]]
name = "quadriceps_l"
mirror = true
slices = 12

[[cavity]]
name = "abdomen"
volume = 7000
tissue_volume = 6

[[skin_group]]
name = "thigh"
bones = ["femur_l", "femur_r"]

[[articulation]]
name = "legs"
muscles = ["test"]

[[articulation.link]]
name = "pelvis"
bones = ["pelvis"]
joint = { type = "fixed" }

[[articulation.link]]
name = "thigh_l"
mirror = true
bones = ["femur_l"]
parent = "pelvis"
region = "leg"
[articulation.link.joint]
type = "ball"
center = "femur_l:head"

[[articulation.link]]
name = "shank_l"
mirror = true
bones = ["tibia_l"]
parent = "thigh_l"
region = "leg"
[articulation.link.joint]
center = "femur_l:knee"
dof = [{ name = "flexion", axis = "x", range = [-5, 140] }]

[[articulation.spring]]
name = "ligament_l"
mirror = true
a = "femur_l:knee"
b = "tibia_l:knee"
stiffness = 1000

[[articulation]]
name = "stiff"
based_on = "legs"
omit = ["shank_l", "shank_r", "ligament_l", "ligament_r"]
)"},
      {"bones.toml", R"(format = "pneuma-body 1"

[[bone]]
name = "pelvis"
region = "pelvis"

[[bone]]
name = "{bone}_l"
mirror = true
series = { bone = ["femur", "tibia"] }
region = "leg"
)"}};
  return files;
}

}  // namespace pneuma::anatomy
