#include "pneuma/io/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/io/state_blob.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using test::contentOf;
using test::ScratchFolder;

TEST(Table, WritesUnitsInTheHeader) {
  Table table;
  table.addColumn("time", "s");
  table.addColumn("volume", "mL");
  table.addColumn("ratio");
  table.appendRow({0.25, 500, 1e-20});
  EXPECT_EQ(table.toCsv(), "time [s],volume [mL],ratio\n0.25,500,1e-20\n");
}

TEST(Table, NumbersReadBackWithTheSameBits) {
  Random random(7);
  Table table;
  table.addColumn("x");
  for (int i = 0; i < 1000; ++i)
    table.append(0, std::ldexp(random.uniform(-1, 1), static_cast<int>(random.next() % 600) - 300));
  const std::string csv = table.toCsv();
  const char* at = csv.c_str() + csv.find('\n');
  for (const double value : table.column("x").values) {
    char* end = nullptr;
    EXPECT_EQ(std::strtod(at, &end), value);
    at = end;
  }
}

TEST(Table, QuotesWordsThatHoldSeparators) {
  Table table;
  table.addTextColumn("bone", {"rib_01_l", "a,b", "say \"x\""});
  EXPECT_EQ(table.toCsv(), "bone\nrib_01_l\n\"a,b\"\n\"say \"\"x\"\"\"\n");
}

TEST(Table, JsonKeepsColumnOrderAndTurnsNonFiniteIntoNull) {
  Table table;
  table.addColumn("z", "m", {1, std::numeric_limits<double>::quiet_NaN()});
  table.addColumn("a", "", {0.1, 2});
  EXPECT_EQ(table.toJson().dump(),
            R"({"z":{"unit":"m","values":[1.0,null]},"a":{"unit":"","values":[0.1,2.0]}})");
}

TEST(Table, RefusesColumnsOfUnequalLengthAndUnknownNames) {
  Table table;
  table.addColumn("time", "s", {1, 2});
  table.addColumn("volume", "L", {1});
  EXPECT_THROW(table.toCsv(), InternalError);
  try {
    table.column("volum");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "unknown column 'volum' (did you mean 'volume'?)");
  }
}

TEST(Table, SurvivesACheckpoint) {
  Table table, other;
  table.addColumn("time", "s", {0.1, 0.2});
  table.addTextColumn("phase", {"in", "out"});
  StateWriter out;
  table.save(out);
  StateReader in(out.bytes());
  other.load(in);
  EXPECT_EQ(other.toCsv(), table.toCsv());
  EXPECT_TRUE(in.atEnd());
}

TEST(StateBlob, DetectsEveryFlippedByteAndEveryTruncation) {
  const ScratchFolder folder;
  const auto path = folder / "a.blob";
  StateWriter state;
  state.put(std::vector<double>{1, 2, 3});
  writeBlob(path, "toy", 5, state.bytes());
  const std::string good = contentOf(path);
  ASSERT_TRUE(readBlob(path, "toy", 5).ok());
  EXPECT_FALSE(readBlob(path, "other", 5).ok());
  EXPECT_FALSE(readBlob(path, "toy", 6).ok());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    folder.put("a.blob", bad);
    EXPECT_FALSE(readBlob(path, "toy", 5).ok()) << "byte " << i;
    folder.put("a.blob", good.substr(0, i));
    EXPECT_FALSE(readBlob(path, "toy", 5).ok()) << "cut at " << i;
  }
}

TEST(StateBlob, AReaderNeverRunsPastTheEnd) {
  StateWriter out;
  out.put(std::uint64_t{1} << 60);  // claims 2^60 elements
  StateReader in(out.bytes());
  std::vector<double> values;
  EXPECT_THROW(in.get(values), InputError);
}

}  // namespace
}  // namespace pneuma::io
