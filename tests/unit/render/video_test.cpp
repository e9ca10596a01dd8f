#include "pneuma/render/video.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "pneuma/core/error.h"
#include "render/process.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::render {
namespace {

namespace fs = std::filesystem;

class Video : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ffprobe -version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "ffmpeg is not installed (Debian package ffmpeg)";
  }
  const test::ScratchFolder folder;
};

TEST_F(Video, HoldsEveryFrameAsH264WithEvenSize) {
  const fs::path path = folder / "film.mp4";
  VideoWriter video(path, 65, 48, {.framesPerSecond = 25});
  for (int i = 0; i < 13; ++i) video.add(Image(65, 48, sample(ColorMap::Heat, i / 12.0)));
  EXPECT_FALSE(fs::exists(path));  // not before it is complete
  video.finish();
  internal::Process probe(
      {"ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
       "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames", "-of",
       "default=noprint_wrappers=1", path.string()},
      "ffmpeg");
  const std::string facts = probe.finish();
  for (const char* fact : {"codec_name=h264", "width=66", "height=48", "pix_fmt=yuv420p",
                           "r_frame_rate=25/1", "nb_read_frames=13"})
    EXPECT_NE(facts.find(fact), std::string::npos) << fact << " in " << facts;
}

TEST_F(Video, AnAbandonedFilmLeavesNothing) {
  {
    VideoWriter video(folder / "film.mp4", 64, 48);
    video.add(Image(64, 48));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(Video, APlaceThatLooksLikeAUrlIsAFile) {
  const fs::path path = folder / "tcp:a" / "b:c.mp4";
  VideoWriter video(path, 64, 48);
  video.add(Image(64, 48));
  video.finish();
  EXPECT_GT(fs::file_size(path), 500u);
}

TEST_F(Video, MistakesAreNamed) {
  VideoWriter video(folder / "film.mp4", 64, 48);
  EXPECT_THROW(video.finish(), InputError);  // no frames
  EXPECT_THROW(video.add(Image(10, 10)), InputError);
  EXPECT_THROW(VideoWriter("/proc/film.mp4", 64, 48), InputError);
  EXPECT_THROW(VideoWriter(folder / "film.mp4", 64, 48, {.framesPerSecond = 0}), InputError);
}

}  // namespace
}  // namespace pneuma::render
