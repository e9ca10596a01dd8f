#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "pneuma/io/bvh.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/point_cache.h"
#include "pneuma/io/signal.h"

/// Every file of files/ is broken in its own way and must give exactly the message that
/// messages.txt states for it. PNEUMA_PRINT_MESSAGES=1 prints the table as it is now, to look
/// through after a deliberate change.
namespace pneuma::io {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(PNEUMA_SOURCE_DIR) / "tests/regress/broken_files";

template <class T>
std::string messageOf(const Result<T>& result) {
  return result ? "(accepted)" : toString(result.diagnostics());
}

std::string messageFor(const fs::path& path) {
  const std::string ending = path.extension().string();
  std::string message;
  if (ending == ".csv" || ending == ".wav") {
    message = messageOf(readSignals(path));
  } else if (ending == ".bvh") {
    message = messageOf(readBvh(path));
  } else if (ending == ".pc2") {
    message = messageOf(readPointCache(path));
  } else {
    message = messageOf(readMeshes(path));
  }
  // Messages name the path as it was given; the table names the file alone.
  const std::string folder = path.parent_path().string() + "/";
  for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

/// Messages by file: a line of the table begins with the file's name; further messages of the same
/// file follow on lines of their own.
std::map<std::string, std::string> readTable() {
  std::map<std::string, std::string> table;
  std::ifstream in(kFolder / "messages.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string file = line.substr(0, line.find(':'));
    std::string& message = table[file];
    message += (message.empty() ? "" : "\n") + line;
  }
  return table;
}

TEST(BrokenFiles, EachGivesItsExactMessage) {
  const auto table = readTable();
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder / "files")) {
    const std::string file = entry.path().filename().string();
    names.insert(file);
    const std::string message = messageFor(entry.path());
    if (std::getenv("PNEUMA_PRINT_MESSAGES")) std::printf("%s\n", message.c_str());
    const auto expected = std::find_if(table.begin(), table.end(), [&](const auto& row) {
      return row.first == file || row.first.starts_with(file + ":");
    });
    EXPECT_EQ(message, expected == table.end() ? "(not in messages.txt)" : expected->second)
        << file;
  }
  for (const auto& [file, message] : table) EXPECT_TRUE(names.contains(file)) << file << " is gone";
  EXPECT_GT(names.size(), 60u);
}

TEST(BrokenFiles, EveryTruncationOfAGoodFileIsRefusedOrHarmless) {
  // Cut anywhere, a reader gives an error or a smaller whole; it never crashes.
  const fs::path seeds = fs::path(PNEUMA_SOURCE_DIR) / "tests/fuzz/corpus";
  std::size_t cuts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(seeds)) {
    const std::string ending = entry.path().extension().string();
    if (!entry.is_regular_file() || ending == ".bin") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream whole;
    whole << in.rdbuf();
    const std::string content = whole.str();
    for (std::size_t n = 0; n < content.size(); ++n, ++cuts) {
      const std::string part = content.substr(0, n);
      if (ending == ".csv" || ending == ".tsv")
        parseCsvSignals(part, "cut");
      else if (ending == ".wav")
        EXPECT_FALSE(parseWav(part, "cut").ok());
      else if (ending == ".bvh")
        parseBvh(part, "cut");
      else if (ending == ".pc2")
        EXPECT_FALSE(parsePointCache(part, "cut").ok());
      else
        parseMeshes(part, "cut", ending);
    }
  }
  EXPECT_GT(cuts, 3000u);
}

}  // namespace
}  // namespace pneuma::io
