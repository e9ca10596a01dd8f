#include "pneuma/render/report.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "pneuma/core/error.h"
#include "render/report_text.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReportFiles : public ::testing::Test {
 protected:
  const test::ScratchFolder folder;
};

TEST(ReportText, MarkupIsEscapedAndOnlyOurMarksBecomeTags) {
  EXPECT_EQ(internal::inlineHtml("a < b & **c** `d<e`"),
            "a &lt; b &amp; <strong>c</strong> <code>d&lt;e</code>");
  EXPECT_EQ(internal::inlineHtml("2 ** 3 ` open"), "2 ** 3 ` open");
}

TEST(ReportText, NumbersAreRecognised) {
  for (const char* text : {"3", "-0.5", "1.2e-3", "0.48 ± 0.02", "5 %"})
    EXPECT_TRUE(internal::looksNumeric(text)) << text;
  for (const char* text : {"", "Table 2", "–", "rib_05"})
    EXPECT_FALSE(internal::looksNumeric(text)) << text;
}

TEST_F(ReportFiles, HtmlCarriesEverythingAndAsksForNothing) {
  Report report("Title <1>", "sub");
  report.heading("Results").paragraph("Text").list({"one", "two"}).code("a < b");
  report.comparison(
      {{"volume", "l", "0.50", "0.48", true, ""}, {"peak", "kPa", "1", "2", false, ""}});
  report.picture(Image(4, 4), "A picture", "front view");
  const std::string html = report.toHtml();
  EXPECT_THAT(html, HasSubstr("<h1>Title &lt;1&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("✓ meets"));
  EXPECT_THAT(html, HasSubstr("✗ differs"));
  EXPECT_THAT(html, HasSubstr("src=\"data:image/jpeg;base64,/9j/"));
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(html, Not(HasSubstr("PneumaViewer")));  // no 3-D view, no script
}

TEST_F(ReportFiles, MarkdownHasTheSameContentWithPicturesBeside) {
  Report report("Title");
  report.heading("Results").table({{"a|b", "n [s]"}, {{"x|y", "1.5"}}, "cap"});
  report.picture(Image(4, 4), "First", "front view").picture(Image(5, 5), "Second", "front view");
  report.writeMarkdown(folder / "run.md");
  const std::string text = test::contentOf(folder / "run.md");
  EXPECT_THAT(text, HasSubstr("# Title\n"));
  EXPECT_THAT(text, HasSubstr("| a\\|b | n [s] |\n| --- | ---: |\n| x\\|y | 1.5 |"));
  EXPECT_THAT(text, HasSubstr("](run_files/front_view.png)"));
  EXPECT_THAT(text, HasSubstr("](run_files/front_view_2.png)"));
  EXPECT_EQ(readPng(folder / "run_files/front_view.png").width, 4);
  EXPECT_EQ(readPng(folder / "run_files/front_view_2.png").width, 5);
}

TEST_F(ReportFiles, WhatCannotBeShownIsRefused) {
  Report report("Title");
  EXPECT_THROW(report.media(folder / "missing.png", ""), InputError);
  std::ofstream(folder / "text.glb") << "not a model";
  EXPECT_THROW(report.view3d(folder / "text.glb", ""), InputError);
  EXPECT_THROW(report.media(folder / "text.glb", ""), InputError);
  EXPECT_THROW(report.table({{"a", "b"}, {{"1"}}, ""}), InputError);
}

}  // namespace
}  // namespace pneuma::render
