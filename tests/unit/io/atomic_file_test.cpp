#include "pneuma/io/atomic_file.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using test::contentOf;
using test::ScratchFolder;

std::size_t filesIn(const ScratchFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()),
                                                std::filesystem::directory_iterator()));
}

TEST(AtomicFile, IsInvisibleUntilCommitted) {
  const ScratchFolder folder;
  AtomicFile file(folder / "a.txt");
  file.write("hello");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(contentOf(folder / "a.txt"), "hello");
  EXPECT_EQ(filesIn(folder), 1u);
}

TEST(AtomicFile, LeavesTheOldFileWhenAnExceptionCutsTheWritingShort) {
  const ScratchFolder folder;
  writeFile(folder / "a.txt", "old");
  try {
    AtomicFile file(folder / "a.txt");
    file.write("new, but incompl");
    throw std::runtime_error("simulation failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(contentOf(folder / "a.txt"), "old");
  EXPECT_EQ(filesIn(folder), 1u);
}

TEST(AtomicFile, PatchesBytesAlreadyWritten) {
  const ScratchFolder folder;
  AtomicFile file(folder / "a.bin");
  file.write("count=??;");
  file.writeAt(6, "42", 2);
  file.write("end");
  file.commit();
  EXPECT_EQ(contentOf(folder / "a.bin"), "count=42;end");
}

TEST(AtomicFile, CreatesMissingFoldersAndRefusesAFolderAsTarget) {
  const ScratchFolder folder;
  writeFile(folder / "deep/er/a.txt", "x");
  EXPECT_EQ(contentOf(folder / "deep/er/a.txt"), "x");
  EXPECT_THROW(writeFile(folder / "deep", "x"), InputError);
  EXPECT_THROW(writeFile((folder / "none").string() + "/", "x"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  EXPECT_THROW(writeFile("/proc/no/such/place.txt", "x"), InputError);
}

TEST(AtomicFile, RemovesOnlyTemporariesOfDeadProcesses) {
  const ScratchFolder folder;
  folder.put(".a.txt.4194999.0.tmp", "left by a killed process");  // above the largest process id
  folder.put(".a.txt.1.0.tmp", "its process lives");
  folder.put("mine.tmp", "not ours");
  removeStaleTemporaries(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / ".a.txt.4194999.0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".a.txt.1.0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "mine.tmp"));
}

TEST(ReadFile, NamesTheNearestFileWhenMissing) {
  const ScratchFolder folder;
  folder.put("torso.toml", "x");
  const auto result = readFile(folder / "torsoo.toml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.diagnostics()[0].toString(),
            (folder / "torsoo.toml").string() + ": no such file (did you mean 'torso.toml'?)");
}

TEST(ReadFile, RefusesFoldersEmptyAndOversizedFiles) {
  const ScratchFolder folder;
  folder.put("empty", "");
  folder.put("large", "123456");
  EXPECT_EQ(readFile(folder.path()).diagnostics()[0].message, "is a folder");
  EXPECT_EQ(readFile(folder / "empty").diagnostics()[0].message, "is empty");
  EXPECT_EQ(readFile(folder / "large", 5).diagnostics()[0].message, "is 6 bytes large");
  EXPECT_TRUE(readFile(folder / "large", 6).ok());
}

}  // namespace
}  // namespace pneuma::io
