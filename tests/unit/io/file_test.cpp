#include "pneuma/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "pneuma/io/atomic_file.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using test::ScratchFolder;
using ::testing::HasSubstr;

std::string readError(const std::filesystem::path& path, std::size_t largest = kLargestInput) {
  const Result<std::string> content = readFile(path, largest);
  return content ? "(read)" : toString(content.diagnostics());
}

TEST(ReadFile, RefusesADeviceAtOnce) {
  // Files of the kernel have no size and may keep a reader waiting for ever.
  EXPECT_EQ(readError("/proc/kmsg"), "/proc/kmsg: is empty");
  EXPECT_EQ(readError("/dev/zero"), "/dev/zero: is a device; expected a file");
}

TEST(ReadFile, ANulInANameIsNotItsEnd) {
  const ScratchFolder folder;
  folder.put("a", "what stands before the NUL");
  using namespace std::string_literals;
  EXPECT_THAT(readError((folder / "a").string() + "\0b"s), HasSubstr("holds a NUL"));
}

TEST(ReadFile, DoesNotWaitForAPipeThatNobodyWritesTo) {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(readError(pipe), HasSubstr("is a pipe that nobody writes to; expected a file"));
}

TEST(ReadFile, ReadsAPipeWhoseWriterComesLaterAndPauses) {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream out(pipe);
    out << "one " << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    out << "two";
  });
  const Result<std::string> content = readFile(pipe);
  writer.join();
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, "one two");
}

TEST(ReadFile, TellsALoopOfLinksAndALinkToNothingFromAMissingFile) {
  const ScratchFolder folder;
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  std::filesystem::create_symlink("gone.obj", folder / "link.obj");
  EXPECT_THAT(readError(folder / "loop"), HasSubstr("loop: cannot be read: Too many levels"));
  EXPECT_THAT(readError(folder / "link.obj"),
              HasSubstr("link.obj: is a link to 'gone.obj', which does not exist"));
  EXPECT_THAT(readError(folder / "lnk.obj"), HasSubstr("no such file (did you mean 'link.obj'?)"));
}

TEST(RequireWritable, RefusesFoldersAndPlacesBelowFilesAndCreatesNothing) {
  const ScratchFolder folder;
  writeFile(folder / "file", "x");
  EXPECT_NO_THROW(requireWritable(folder / "a/b/new.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_NO_THROW(requireWritable(folder / "file"));
  EXPECT_NO_THROW(requireWritable("new.png"));
  EXPECT_THROW(requireWritable(folder.path()), InputError);
  EXPECT_THROW(requireWritable(folder / "file/new.png"), InputError);
}

}  // namespace
}  // namespace pneuma::io
