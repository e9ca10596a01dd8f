#include "broken_bodies.h"

namespace pneuma::anatomy {
namespace {

using Cases = std::vector<BrokenBody>;

/// A field given a value of the wrong kind or far out of range.
void addWrongValues(Cases& all, const std::string& key, const std::string& value,
                    const std::vector<std::string>& wrong, const std::string& message) {
  for (const std::string& w : wrong)
    all.push_back({key + " = " + value, key + " = " + w, key + " = " + w, key, message});
}

void addNumbers(Cases& all) {
  const std::vector<std::string> wrong = {"\"abc\"", "true", "nan", "-1e99", "[1]", "{ a = 1 }"};
  const std::pair<const char*, const char*> numbers[] = {
      {"height", "1700"},
      {"mass", "60"},
      {"height", "1750"},
      {"mass", "70"},
      {"age", "30"},
      {"mass", "30"},
      {"pcsa", "40"},
      {"slack", "0.9"},
      {"pennation", "10"},
      {"tendon_origin", "0.1"},
      {"volume", "900"},
      {"slices", "12"},
      {"tendon_insertion", "0.2"},
      {"volume", "7000"},
      {"tissue_volume", "6"},
      {"stiffness", "1000"},
  };
  for (const auto& [key, value] : numbers) addWrongValues(all, key, value, wrong, "expected a");
}

void addTexts(Cases& all) {
  const std::vector<std::string> wrong = {"7", "true", "[\"x\"]"};
  const std::pair<const char*, const char*> texts[] = {
      {"set", "\"test\""},     {"muscle", "\"quadriceps\""}, {"name", "\"tiny\""},
      {"name", "\"abdomen\""}, {"based_on", "\"legs\""},     {"parent", "\"pelvis\""}};
  for (const auto& [key, value] : texts) addWrongValues(all, key, value, wrong, "expected a text");
  for (const char* w : {"7", "\"mail\"", "[]"})
    all.push_back({"sex = \"male\"", std::string("sex = ") + w, std::string("sex = ") + w, "sex",
                   "expected one of male, female"});
  addWrongValues(all, "mirror", "true", {"1", "\"yes\"", "[]"}, "expected true or false");
}

/// Numbers that are fine by themselves and absurd together.
void addAbsurd(Cases& all) {
  all.push_back({"tissue_volume = 6", "tissue_volume = 72000", "tissue_volume = 72000",
                 "tissue_volume", "do not fit into a cavity"});
  all.push_back({"volume = 7000", "volume = 50", "volume = 50", "volume", "expected"});
}

/// Things that must be there.
void addMissing(Cases& all) {
  all.push_back({"set = \"test\"\n", "", "[[muscle]]", "set", "is missing"});
  all.push_back({"name = \"quadriceps_l\"\nmirror = true\nset", "mirror = true\nset", "[[muscle]]",
                 "name", "is missing"});
  all.push_back({"points = [\"femur_l:shaft@0.2\"", "via = [\"femur_l:shaft@0.2\"", "[[muscle]]",
                 "points", "is missing"});
  all.push_back({"mass = 30\n", "", "[[segment]]", "mass", "is missing"});
  all.push_back({"center = [0, 1100, 50]\n", "", "[[segment]]", "center", "is missing"});
  all.push_back({"inertia = [1, 0.5, 1, 0, 0, 0]\n", "", "[[segment]]", "inertia", "is missing"});
  all.push_back({"volume = 7000\n", "", "[[cavity]]", "volume", "is missing"});
  all.push_back({"stiffness = 1000\n", "", "[[articulation.spring]]", "stiffness", "is missing"});
  all.push_back({"b = \"tibia_l:knee\"\n", "", "[[articulation.spring]]", "b", "is missing"});
  all.push_back({"name = \"pelvis\"\n", "", "[[bone]]", "name", "is missing", "bones.toml"});
  all.push_back({"axis = \"x\", ", "", "dof = [", "axis", "is missing"});
  all.push_back({"center = \"femur_l:head\"\n", "", "[articulation.link.joint]\ntype",
                 "joint.center", "is missing"});
  all.push_back({"dof = [{ name = \"flexion\", axis = \"x\", range = [-5, 140] }]\n", "",
                 "[articulation.link.joint]\ncenter", "joint.dof", "is missing"});
}

/// Format, units, includes, syntax.
void addHeads(Cases& all) {
  all.push_back({"format = \"pneuma-body 1\"", "format = \"pneuma-body 9\"", "format", "format",
                 "expected format = \"pneuma-body 1\""});
  all.push_back(
      {"format = \"pneuma-body 1\"\n", "", "", "format", "is missing", "bones.toml", false, 1});
  all.push_back({"length = \"mm\"", "length = \"furlong\"", "units", "units", "m, cm, mm"});
  all.push_back({"length = \"mm\"", "lenght = \"mm\"", "units", "units", "did you mean 'length'"});
  all.push_back({"length = \"mm\", ", "", "height = 1700", "height", "declares no length unit"});
  all.push_back({"area = \"cm2\", ", "", "pcsa = 40", "pcsa", "declares no area unit"});
  all.push_back({"angle = \"deg\", ", "", "pennation = 10", "pennation", "declares no angle unit"});
  all.push_back({"units = {", "units = 3 #", "units", "units", "is not a table"});
  all.push_back({"include = [\"bones.toml\"]", "include = \"bones.toml\"", "include", "include",
                 "is not a list"});
  all.push_back({"include = [\"bones.toml\"]", "include = [\"bnoes.toml\"]", "include", "include",
                 "cannot be found"});
  all.push_back({"include = [\"bones.toml\"]", "include = [5]", "include", "include",
                 "expected the path of a file"});
  all.push_back({"slack = 0.9", "slack = ", "slack", "", "not valid TOML"});
  all.push_back({"slack = 0.9", "slack = 0.9.1", "slack", "", "not valid TOML"});
  all.push_back({"slack = 0.9", "slack = 0.9\nslack = 0.8", "slack = 0.8", "", "not valid TOML"});
  all.push_back({"[[cavity]]", "[[cavity]", "[[cavity]", "", "not valid TOML"});
  all.push_back({"name = \"abdomen\"", "name = \"abdomen", "\"abdomen", "", "not valid TOML"});
  all.push_back({"region = \"pelvis\"", "region = pelvis", "region = pelvis", "", "not valid TOML",
                 "bones.toml"});
}

/// Names that lead nowhere, with the nearest one.
void addReferences(Cases& all) {
  all.push_back({"bone = \"pelvis\"\nmirror", "bone = \"pelvsi\"\nmirror", "pelvsi", "bone",
                 "did you mean 'pelvis'"});
  all.push_back(
      {"bone = \"tibia_l\"", "bone = \"tibbia_l\"", "tibbia_l", "bone", "did you mean 'tibia_l'"});
  all.push_back({"bone = \"femur_l\"\nmirror = true\n[[shape",
                 "bone = \"femr_l\"\nmirror = true\n[[shape", "femr_l", "bone",
                 "did you mean 'femur_l'"});
  all.push_back({"[\"femur_l:shaft@0.2\"", "[\"femur_l:shaft@1.2\"", "shaft@1.2", "points",
                 "no place on a curve"});
  all.push_back({"[\"femur_l:shaft@0.2\"", "[\"femur_l:shft@0.2\"", "shft@0.2", "points",
                 "no place on a curve"});
  all.push_back({"[\"femur_l:shaft@0.2\"", "[\"femur_l:hed\"", "hed", "points",
                 "did you mean 'femur_l:head'"});
  all.push_back({"[\"femur_l:shaft@0.2\"", "[\"femur_l\"", "points = [\"femur_l\"", "points",
                 "names no point"});
  all.push_back({"\"tibia_l:knee\"]", "\"tibia_k:knee\"]", "tibia_k", "points", "unknown bone"});
  all.push_back({"{ at = \"femur_l:knee\", offset", "{ at = \"femur_l:kneee\", offset", "kneee",
                 "points", "did you mean 'femur_l:knee'"});
  all.push_back({"towards = \"femur_l:knee\"", "towards = \"femur_l:toe\"", "femur_l:toe",
                 "points.middle", "unknown point"});
  all.push_back({"{ at = \"femur_l:head\", towards", "{ at = \"femur_l:middle\", towards",
                 "at = \"femur_l:middle\"", "points.middle", "circle"});
  all.push_back({"belly = \"quadriceps_l\"", "belly = \"quadricep_l\"", "quadricep_l\"", "belly",
                 "did you mean 'quadriceps_l'"});
  all.push_back({"bones = [\"femur_l\", \"femur_r\"]", "bones = [\"femur_l\", \"fermur_r\"]",
                 "fermur_r", "bones", "did you mean 'femur_r'"});
  all.push_back(
      {"bones = [\"femur_l\"]", "bones = [\"femur_x\"]", "femur_x", "bones", "unknown bone"});
  all.push_back({"parent = \"thigh_l\"", "parent = \"tigh_l\"", "tigh_l", "parent",
                 "did you mean 'thigh_l'"});
  all.push_back({"parent = \"pelvis\"\n", "", "[[articulation.link]]\nname = \"thigh_l\"", "parent",
                 "one root only", "body.toml"});
  all.push_back({"parent = \"pelvis\"", "parent = \"shank_l\"", "parent = \"shank_l\"", "parent",
                 "a link listed before"});
  all.push_back({"center = \"femur_l:head\"", "center = \"femur_l:haed\"", "haed", "joint.center",
                 "did you mean 'femur_l:head'"});
  all.push_back({"axis = \"x\"", "axis = { from = \"femur_l:knee\", to = \"femur_l:nee\" }",
                 "femur_l:nee", "joint.dof.axis", "did you mean 'femur_l:knee'"});
  all.push_back({"axis = \"x\"", "axis = { from = \"femur_l:knee\", to = \"femur_l:knee\" }",
                 "dof = [", "joint.dof.axis", "two different points"});
  all.push_back({"a = \"femur_l:knee\"\nb", "a = \"femur_l:kne\"\nb", "femur_l:kne\"\nb", "a",
                 "did you mean 'femur_l:knee'"});
  all.push_back(
      {"b = \"tibia_l:knee\"", "b = \"femur_l:head\"", "b = \"femur_l:head\"", "b", "same link"});
  all.push_back(
      {"based_on = \"legs\"", "based_on = \"leggs\"", "leggs", "based_on", "did you mean 'legs'"});
  all.push_back({"based_on = \"legs\"", "with = [\"leggs:leg\"]", "[\"leggs:leg\"]", "with",
                 "did you mean 'legs'"});
  all.push_back({"based_on = \"legs\"", "based_on = \"legs\"\nwith = [\"legs:lge\"]",
                 "[\"legs:lge\"]", "with", "did you mean 'leg'"});
  all.push_back({"muscles = [\"test\"]", "muscles = [\"tset\"]", "[[articulation]]", "muscles",
                 "no muscle of the set", "body.toml", true});
}

/// Names that are taken, empty or spelled badly.
void addNames(Cases& all) {
  all.push_back({"name = \"pelvis\"\nregion", "name = \"femur_l\"\nregion", "name = \"{bone}_l\"",
                 "name", "already defined", "bones.toml"});
  all.push_back({"name = \"pelvis\"\nregion", "name = \"Pelvis\"\nregion", "Pelvis", "name",
                 "lower-case", "bones.toml"});
  all.push_back({"name = \"pelvis\"\nregion", "name = \"\"\nregion", "name = \"\"", "name",
                 "a name", "bones.toml"});
  all.push_back({"name = \"shank_l\"", "name = \"thigh_l\"",
                 "name = \"thigh_l\"\nmirror = true\nbones = [\"tibia", "name", "already defined"});
  all.push_back({"name = \"quadriceps_l\"\nmirror = true\nset",
                 "name = \"quadriceps\"\nmirror = true\nset", "mirror = true\nset", "mirror",
                 "no side to mirror"});
  all.push_back({"bones = [\"tibia_l\"]", "bones = [\"tibia_l\", \"femur_l\"]",
                 "\"tibia_l\", \"femur_l\"", "bones", "already moves with link"});
  all.push_back({"bone = \"pelvis\"\nmass", "bone = \"femur_l\"\nmass", "bone = \"{bone}_l\"",
                 "bone", "already has one"});
  all.push_back({"name = \"stiff\"", "name = \"legs\"", "name = \"legs\"\nbased_on", "name",
                 "already defined"});
  all.push_back({"socket_l = [80, 850, 60]",
                 "socket_l = [80, 850, 60]\n[[landmarks]]\nbone = \"pelvis\"\npoints = { center = "
                 "[1, 2, 3] }",
                 "points = { center", "points.center", "already defined"});
}

/// The mirror and series rules used wrongly.
void addSeries(Cases& all) {
  all.push_back({"series = { bone = [\"femur\", \"tibia\"], mass",
                 "series = { bone = [\"femur\"], mass", "series", "series", "has 2"});
  all.push_back(
      {"mass = [10, 5] }", "weight = [10, 5] }", "weight", "series", "not a number field"});
  all.push_back({"series = { bone = [\"femur\", \"tibia\"] }", "series = {}", "series", "series",
                 "a table { variable", "bones.toml"});
  all.push_back({"series = { bone = [\"femur\", \"tibia\"] }", "series = { bone = \"femur\" }",
                 "series", "series", "a range of levels", "bones.toml"});
  all.push_back({"series = { bone = [\"femur\", \"tibia\"] }", "series = { bone = [] }", "series",
                 "series", "a list of values", "bones.toml"});
  all.push_back({"series = { bone = [\"femur\", \"tibia\"] }", "series = 3", "series", "series",
                 "a table { variable", "bones.toml"});
  all.push_back({"name = \"{bone}_l\"", "name = \"{bane}_l\"", "{bane}", "name",
                 "cannot fill in '{bane}'", "bones.toml"});
  all.push_back({"name = \"{bone}_l\"", "name = \"{bone+1}_l\"", "{bone+1}", "name",
                 "cannot fill in '{bone+1}'", "bones.toml"});
  all.push_back(
      {"mass = [10, 5]", "mass = [10, -5]", "mass = [10, -5]", "series", "expected a number"});
}

/// Values of the right kind that make no sense.
void addSense(Cases& all) {
  all.push_back({"inertia = [1, 0.5, 1, 0, 0, 0]", "inertia = [1, 0.5]", "inertia = [1, 0.5]",
                 "inertia", "6 entries"});
  all.push_back({"inertia = [1, 0.5, 1, 0, 0, 0]", "inertia = [1, 0.5, -1, 0, 0, 0]",
                 "inertia = [1,", "inertia", "principal moments"});
  all.push_back({"inertia = [1, 0.5, 1, 0, 0, 0]", "inertia = [1, 0.1, 5, 0, 0, 0]",
                 "inertia = [1,", "inertia", "principal moments"});
  all.push_back({"inertia = [1, 0.5, 1, 0, 0, 0]", "inertia = [1, 0.5, \"a\", 0, 0, 0]",
                 "inertia = [1,", "inertia", "expected a number"});
  all.push_back({"center = [0, 1100, 50]", "center = [0, 1100]", "center = [0, 1100]", "center",
                 "[x, y, z]"});
  all.push_back({"center = [0, 1100, 50]", "center = [0, 1100000, 50]", "1100000", "center",
                 "-5000 to 5000 mm"});
  all.push_back({"range = [-5, 140]", "range = [140, -5]", "range", "range", "lower < upper"});
  all.push_back({"range = [-5, 140]", "range = [-5]", "range", "range", "[lower, upper]"});
  all.push_back({"range = [-5, 140]", "range = [-5, 1400]", "range", "range", "expected a number"});
  all.push_back({"range = [-5, 140]", "range = [\"-5 deg\", \"2 kg\"]", "range", "range",
                 "text with its unit (rad, deg)"});
  all.push_back({"axis = \"x\"", "axis = \"w\"", "axis", "axis", "\"x\", \"-y\""});
  all.push_back({"axis = \"x\"", "axis = [0, 0, 0]", "axis", "axis", "not zero"});
  all.push_back({"axis = \"x\"", "axis = 1", "axis", "axis", "\"x\", \"-y\""});
  all.push_back(
      {"axis = \"x\"", "axis = { from = \"femur_l:knee\" }", "axis", "axis", "`from` and `to`"});
  all.push_back({"type = \"ball\"", "type = \"bal\"", "bal", "type", "did you mean 'ball'"});
  all.push_back({"type = \"fixed\"", "type = \"fixed\", dof = [{ name = \"a\", axis = \"x\" }]",
                 "joint = {", "joint.dof", "none for this type"});
  all.push_back({"type = \"ball\"", "type = \"ball\"\ndof = [{ name = \"a\", axis = \"x\" }]",
                 "dof = [{ name = \"a\"", "joint.dof", "none or three"});
  all.push_back({"kind = \"sweep\"", "kind = \"swep\"", "swep", "kind", "did you mean 'sweep'"});
  all.push_back({"sections = [[80, 850, 60, 20, 20], [75, 450, 60, 30, 25]]",
                 "sections = [[80, 850, 60, 20, 20]]", "[[shape.part]]", "part",
                 "does not have what its kind needs"});
  all.push_back(
      {"[75, 450, 60, 30, 25]]", "[75, 450, 60, 30]]", "sections", "sections", "radius A"});
  all.push_back({"radii = [23, 23, 23]", "radii = [23, 0, 23]", "[[shape.part]]", "part",
                 "does not have what its kind needs"});
  all.push_back(
      {"radii = [23, 23, 23]", "radii = [23, -1, 23]", "radii", "radii", "expected a number"});
  all.push_back({"tendon_origin = 0.1", "tendon_origin = 0.9", "tendon_insertion",
                 "tendon_insertion", "leaves no muscle"});
  all.push_back({"\"tibia_l:knee\"]", "[1, 2, 3]]", "points = [\"femur_l:shaft", "points",
                 "which bone carries"});
  all.push_back({"{ at = \"femur_l:knee\", offset = [0, 0, 40] }", "{ offset = [0, 0, 40] }",
                 "offset", "points", "either `at` or `position`"});
  all.push_back(
      {"offset = [0, 0, 40]", "offset = [0, 0, 4000]", "4000", "offset", "-1000 to 1000 mm"});
  all.push_back(
      {"points = [\"femur_l:shaft@0.2\", { at = \"femur_l:knee\", offset = [0, 0, 40] }, "
       "\"tibia_l:knee\"]",
       "points = [\"tibia_l:knee\"]", "points = [\"tibia", "points", "at least 2"});
  all.push_back({"fraction = 0.5", "fraction = 50", "fraction", "fraction", "-2 to 3"});
  all.push_back({"shaft = [[80, 800, 60], [78, 600, 60], [75, 480, 60]]", "shaft = [[80, 800, 60]]",
                 "shaft =", "curves.shaft", "at least 2"});
  all.push_back(
      {"profile = [5, 30, 5]", "profile = [5, -30, 5]", "profile", "profile", "0 to 500 mm"});
  all.push_back({"bones = [\"pelvis\"]", "bones = []", "bones = []", "bones", "at least 1"});
  all.push_back(
      {"head = [80, 850, 60]", "head = 80", "head = 80", "points.head", "\"bone:point\""});
  all.push_back({"head = [80, 850, 60]", "head = [80, 850, inf]", "head =", "points.head",
                 "expected a number"});
  all.push_back(
      {"points = { knee", "points = [1] #", "points = [1]", "points", "a table of named values"});
  all.push_back({"[[cavity]]", "[cavity]", "[cavity]", "cavity", "a list"});
}

/// Unknown fields: warnings with the nearest name.
void addUnknown(Cases& all) {
  all.push_back(
      {"slack = 0.9", "slakc = 0.9", "slakc", "slakc", "did you mean 'slack'", "body.toml", true});
  all.push_back({"slices = 12", "slice = 12", "slice = 12", "slice", "did you mean 'slices'",
                 "body.toml", true});
  all.push_back({"tissue_volume = 6", "tissue_volum = 6", "tissue_volum", "tissue_volum",
                 "did you mean 'tissue_volume'", "body.toml", true});
  all.push_back({"name = \"tiny\"", "nmae = \"tiny\"", "nmae", "nmae", "not a known field",
                 "body.toml", true});
  all.push_back({"region = \"pelvis\"", "regoin = \"pelvis\"", "regoin", "regoin",
                 "did you mean 'region'", "bones.toml", true});
  all.push_back({"kind = \"ellipsoid\"", "kind = \"ellipsoid\"\nbled = 3", "bled", "bled",
                 "did you mean 'blend'", "body.toml", true});
}

}  // namespace

const std::vector<BrokenBody>& brokenBodies() {
  static const Cases cases = [] {
    Cases all;
    addNumbers(all);
    addTexts(all);
    addMissing(all);
    addAbsurd(all);
    addHeads(all);
    addReferences(all);
    addNames(all);
    addSeries(all);
    addSense(all);
    addUnknown(all);
    return all;
  }();
  return cases;
}

}  // namespace pneuma::anatomy
