#include "pneuma/stage/population.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

TEST(Population, EverySliceOfEveryRangeHoldsOnePerson) {
  PopulationRequest request;
  request.people = 40;
  const std::vector<Subject> people = samplePeople(request);
  const auto slices = [&](auto&& share) {
    std::set<int> found;
    for (const Subject& s : people) found.insert(static_cast<int>(std::floor(40 * share(s))));
    return found.size();
  };
  EXPECT_EQ(slices([](const Subject& s) { return (s.person.age - 18) / 57; }), 40u);
  EXPECT_EQ(slices([](const Subject& s) { return (*s.person.frontalScale - 0.95) / 0.1; }), 40u);
  EXPECT_EQ(slices([](const Subject& s) { return (s.mechanics.wallStiffness - 0.8) / 0.4; }), 40u);
  EXPECT_EQ(slices([](const Subject& s) {
              const double bmi = s.person.mass / (s.person.height * s.person.height);
              return std::log(bmi / 18) / std::log(38.0 / 18);
            }),
            40u);
}

TEST(Population, HeldOutPeopleAreHalfMenAndHalfWomen) {
  for (const int count : {10, 60}) {
    PopulationRequest request;
    request.people = count;
    int men = 0, women = 0;
    for (const Subject& s : samplePeople(request))
      if (s.heldOut) ++(s.person.sex == anatomy::Sex::Male ? men : women);
    EXPECT_EQ(men, women);
    EXPECT_EQ(men + women, count / 5);
  }
}

TEST(Population, TheSeedDecidesWhoAndOnlyTheSeed) {
  PopulationRequest a, b;
  b.trials = "short";
  b.frames = 5;
  const auto first = samplePeople(a), second = samplePeople(b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].person.mass, second[i].person.mass);
    EXPECT_EQ(first[i].heldOut, second[i].heldOut);
  }
  b.seed = 8;
  EXPECT_NE(samplePeople(b)[3].person.mass, first[3].person.mass);
}

TEST(Population, OnePersonAndOddNumbersAreFine) {
  for (const int count : {1, 2, 7}) {
    PopulationRequest request;
    request.people = count;
    EXPECT_EQ(samplePeople(request).size(), static_cast<std::size_t>(count));
  }
  PopulationRequest nobody;
  nobody.people = 0;
  EXPECT_THROW(samplePeople(nobody), InputError);
}

TEST(Population, MechanicsOfOneLeaveTheTorsoAlone) {
  const breath::TorsoConfig plain = breath::makeTorsoConfig("default");
  breath::TorsoConfig same = plain;
  apply(BreathMechanics{}, same);
  EXPECT_EQ(same.externalTop, plain.externalTop);
  EXPECT_EQ(same.transverse.passive, plain.transverse.passive);
  breath::TorsoConfig stiff = plain;
  apply(BreathMechanics{.gradient = 1.2, .wallStiffness = 1.2, .ribStiffness = 0.8}, stiff);
  EXPECT_NEAR(stiff.transverse.passive / plain.transverse.passive, 1.2, 1e-12);
  EXPECT_LT(stiff.cartilageModulus, plain.cartilageModulus);
  EXPECT_GT(stiff.externalTop - stiff.externalBottom, plain.externalTop - plain.externalBottom);
  EXPECT_NO_THROW(breath::validate(stiff));
}

TEST(Population, TrialsOfTheSetsHaveNamesOfTheirOwn) {
  for (const std::string& set : trialSetNames()) {
    std::set<std::string> names;
    bool learned = false, unseen = false;
    for (const BreathTrial& t : trialSet(set)) {
      names.insert(t.name);
      (t.use == shape::TrialUse::Learn ? learned : unseen) = true;
    }
    EXPECT_EQ(names.size(), trialSet(set).size());
    EXPECT_TRUE(learned && unseen) << set;
  }
}

}  // namespace
}  // namespace pneuma::stage
