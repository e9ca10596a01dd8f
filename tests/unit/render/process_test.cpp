#include "render/process.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"

namespace pneuma::render::internal {
namespace {

std::string failure(std::vector<std::string> command) {
  try {
    Process p(std::move(command), "some-package");
    p.write(std::string(1 << 20, 'x'));
    p.finish();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Process, ReturnsWhatTheProgramWrites) {
  Process cat({"cat"}, "coreutils");
  const std::string text(300000, 'a');
  EXPECT_TRUE(cat.write(text));
  EXPECT_EQ(cat.finish(), text);
}

TEST(Process, ArgumentsAreNeverInterpreted) {
  Process echo({"printf", "%s", "$(id) `id`; rm -rf *"}, "coreutils");
  EXPECT_EQ(echo.finish(), "$(id) `id`; rm -rf *");
}

TEST(Process, MissingProgramNamesItsPackage) {
  const std::string message = failure({"no-such-program-here"});
  EXPECT_NE(message.find("not installed"), std::string::npos);
  EXPECT_NE(message.find("some-package"), std::string::npos);
}

TEST(Process, FailureCarriesTheReasonAndAReaderThatStopsIsNoSignal) {
  EXPECT_NE(failure({"sh", "-c", "echo 'bad thing' >&2; exit 3"}).find("bad thing"),
            std::string::npos);
}

}  // namespace
}  // namespace pneuma::render::internal
