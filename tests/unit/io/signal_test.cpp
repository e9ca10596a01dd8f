#include "pneuma/io/signal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/types.h"
#include "tests/support/bytes.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace pneuma::io {
namespace {

using test::sharedData;

std::string csvError(const std::string& text, const CsvConfig& config = {}) {
  const auto result = parseCsvSignals(text, "a.csv", config);
  return result ? "" : toString(result.diagnostics());
}

TEST(CsvSignal, ReadsNamesAndUnitsInEveryCommonSpelling) {
  const char* texts[] = {
      "# recorded today\n\ntime [s],volume [L]\n0,1\n0.5,2.5\n",
      "time_s,volume [L]\r\n0,1\r\n.5,2.5\r\n",
      "\"time (ms)\";volume (L)\n0;1\n500;2,5 # decimal comma\n",
      "\xEF\xBB\xBFt\tvolume [L]\n0\t1\n5e-1\t+2.5",
  };
  for (const char* text : texts) {
    const Signals s = parseCsvSignals(text, "a.csv").valueOrThrow();
    ASSERT_EQ(s.channels.size(), 1u) << text;
    EXPECT_EQ(s.channels[0].name, "volume") << text;
    EXPECT_EQ(s.channels[0].unit, "L") << text;
    EXPECT_EQ(s.times, (std::vector<double>{0, 0.5})) << text;
    EXPECT_EQ(s.channels[0].values, (std::vector<double>{1, 2.5})) << text;
  }
}

TEST(CsvSignal, DoesWithoutHeaderAndWithoutTime) {
  const Signals timed = parseCsvSignals("0,5,7\n1,6,8\n", "a.csv").valueOrThrow();
  EXPECT_EQ(timed.channels[1].name, "column_3");
  EXPECT_EQ(timed.times, (std::vector<double>{0, 1}));
  const Signals bare = parseCsvSignals("5\n6\n7\n", "a.csv", {.sampleRate = 10}).valueOrThrow();
  EXPECT_EQ(bare.times, (std::vector<double>{0, 0.1, 0.2}));
  const Signals chosen =
      parseCsvSignals("flow,clock\n5,0\n6,2\n", "a.csv", {.timeColumn = "clock"}).valueOrThrow();
  EXPECT_EQ(chosen.channel("flow").values, (std::vector<double>{5, 6}));
}

TEST(CsvSignal, ReportsSeveralErrorsWithTheirLines) {
  EXPECT_EQ(csvError("time [s],flow\n0,1\n1,x\n2\n3,nan\n4,\n"),
            "a.csv:3: column 'flow' holds 'x'; expected a finite number\n"
            "a.csv:4: 1 fields; expected 2 as in the first line\n"
            "a.csv:5: column 'flow' holds 'nan'; expected a finite number\n"
            "a.csv:6: column 'flow' holds ''; expected a finite number");
  EXPECT_EQ(csvError("time,flow\n0,1\n2,1\n2,1\n"), "a.csv:4: time does not rise: 2 s after 2 s");
  EXPECT_EQ(csvError("time,flow\n"), "a.csv: has no rows of numbers");
  EXPECT_EQ(csvError("time,flow\n0,1\n", {.timeColumn = "tim"}),
            "a.csv: has no column 'tim' (did you mean 'time'?)");
}

TEST(CsvSignal, KnowsUniformFromUnevenTimes) {
  Signals s{.times = {0, 1, 2, 3}};
  EXPECT_TRUE(s.uniform());
  EXPECT_EQ(s.rate(), 1);
  s.times[2] = 2.1;
  EXPECT_FALSE(s.uniform());
}

TEST(CsvSignal, ReadsTheBreathRecordings) {
  const auto breath = sharedData("breath");
  if (breath.empty()) GTEST_SKIP() << "no recordings at hand";
  const Signals belt = readSignals(breath / "belt_01.csv").valueOrThrow();
  EXPECT_TRUE(belt.uniform());
  EXPECT_NEAR(belt.rate(), 50, 1e-6);
  EXPECT_NEAR(belt.duration(), 300, 0.1);
  EXPECT_EQ(belt.channel("belt_au").values[1], 45.20);
}

std::string wav(int coding, int bits, int channels, const std::string& data) {
  const auto u16 = [](int v) { return test::bytesOf(static_cast<std::uint16_t>(v)); };
  const auto u32 = [](std::size_t v) { return test::bytesOf(static_cast<std::uint32_t>(v)); };
  const int frame = channels * bits / 8;
  return "RIFF" + u32(36 + data.size()) + "WAVEfmt " + u32(16) + u16(coding) + u16(channels) +
         u32(8000) + u32(static_cast<std::size_t>(8000 * frame)) + u16(frame) + u16(bits) + "data" +
         u32(data.size()) + data;
}

TEST(WavSignal, EveryCodingGivesTheSameValues) {
  // -1, 0 and one half, mono.
  const std::string pcm24("\x00\x00\x80\x00\x00\x00\x00\x00\x40", 9);
  const std::string files[] = {
      wav(1, 8, 1, std::string("\x00\x80\xC0", 3)),
      wav(1, 16, 1, test::bytesOf(std::array<std::int16_t, 3>{-32768, 0, 16384})),
      wav(1, 24, 1, pcm24),
      wav(1, 32, 1, test::bytesOf(std::array<std::int32_t, 3>{INT32_MIN, 0, 1 << 30})),
      wav(3, 32, 1, test::bytesOf(std::array<float, 3>{-1, 0, 0.5})),
      wav(3, 64, 1, test::bytesOf(std::array<double, 3>{-1, 0, 0.5})),
  };
  for (const std::string& file : files) {
    const Signals s = parseWav(file, "a.wav").valueOrThrow();
    EXPECT_EQ(s.channels[0].values, (std::vector<double>{-1, 0, 0.5}));
    EXPECT_EQ(s.rate(), 8000);
  }
}

TEST(WavSignal, StereoIsTakenApart) {
  const Signals s =
      parseWav(wav(1, 16, 2, test::bytesOf(std::array<std::int16_t, 4>{16384, 0, 0, -16384})),
               "a.wav")
          .valueOrThrow();
  EXPECT_EQ(s.channel("left").values, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(s.channel("right").values, (std::vector<double>{0, -0.5}));
}

TEST(WavSignal, RefusesCompressedAndTruncatedFiles) {
  const std::string good = wav(1, 16, 1, "abcd");
  EXPECT_EQ(toString(parseWav(wav(85, 16, 1, "abcd"), "a.wav").diagnostics()),
            "a.wav: has coding 85 with 16 bits; expected PCM of 8, 16, 24 or 32 bits, or floats of "
            "32 or 64");
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(parseWav(good.substr(0, n), "a.wav").ok()) << n;
}

Signals sine(double frequency, double rate, double seconds) {
  Signals s;
  s.channels.push_back({.name = "x"});
  for (int i = 0; i <= static_cast<int>(seconds * rate); ++i) {
    s.times.push_back(i / rate);
    s.channels[0].values.push_back(std::sin(2 * kPi * frequency * i / rate));
  }
  return s;
}

TEST(Resample, KeepsASlowWaveAndRemovesAFastOne) {
  const Signals slow = resampled(sine(0.3, 1000, 10), 50);
  EXPECT_EQ(slow.sampleCount(), 501u);
  for (std::size_t i = 0; i < slow.sampleCount(); ++i)
    // The mean over 1/50 s lowers a 0.3 Hz sine by (pi f / rate)^2 / 6 = 6e-5; the ends see half.
    EXPECT_NEAR(slow.channels[0].values[i], std::sin(2 * kPi * 0.3 * slow.times[i]),
                i == 0 || i == 500 ? 2e-2 : 1e-4);
  const Signals fast = resampled(sine(101, 1000, 10), 50);  // would alias to a 1 Hz wave
  double largest = 0;
  for (std::size_t i = 1; i + 1 < fast.sampleCount(); ++i)
    largest = std::max(largest, std::abs(fast.channels[0].values[i]));
  EXPECT_LT(largest, 0.02);
}

TEST(Resample, UnevenTimesFollowTheStraightLine) {
  Signals s{.times = {0, 0.3, 1.1, 2}};
  s.channels.push_back({.name = "x", .values = {0, 0.6, 2.2, 4}});
  const Signals even = resampled(s, 10);
  EXPECT_TRUE(even.uniform());
  for (std::size_t i = 0; i < even.sampleCount(); ++i)
    EXPECT_NEAR(even.channels[0].values[i], 2 * even.times[i], 1e-12);
  EXPECT_THROW(resampled(s, 0), InputError);
}

}  // namespace
}  // namespace pneuma::io
