#include "pneuma/io/xml.h"

#include <gtest/gtest.h>

namespace pneuma::io {
namespace {

std::string troubleOf(std::string_view text) {
  const auto result = parseXml(text, "a.xml");
  return result ? "" : result.diagnostics().front().toString();
}

TEST(Xml, ReadsElementsAttributesAndText) {
  const auto result = parseXml(R"(<?xml version="1.0"?>
<!-- a model -->
<model name="m &amp; n">
  <body a='1'
        b="2"/> 
  <text> one <![CDATA[<two>]]> &lt;&#65;&#x42;&gt; </text>
</model>
)",
                               "a.xml");
  ASSERT_TRUE(result.ok()) << result.diagnostics().front().toString();
  EXPECT_EQ(result->name, "model");
  EXPECT_EQ(*result->attribute("name"), "m & n");
  ASSERT_EQ(result->children.size(), 2u);
  EXPECT_EQ(result->child("body")->attributeOr("b", ""), "2");
  EXPECT_EQ(result->child("body")->attributeOr("c", "none"), "none");
  EXPECT_EQ(result->child("body")->line, 4);
  EXPECT_EQ(result->child("text")->line, 6);
  EXPECT_EQ(result->child("text")->text, "one <two> <AB>");
}

TEST(Xml, FindsByPath) {
  const auto result = parseXml("<a><b><c>7</c></b></a>", "a.xml");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->at("b/c")->text, "7");
  EXPECT_EQ(result->at("b/d"), nullptr);
}

TEST(Xml, NamesTheLineOfWhatIsWrong) {
  EXPECT_NE(troubleOf("<a>\n<b>\n</c>\n</a>").find("a.xml:3: 'b' ends as 'c'"), std::string::npos)
      << troubleOf("<a>\n<b>\n</c>\n</a>");
  EXPECT_NE(troubleOf("<a x=1/>").find("not in quotes"), std::string::npos);
  EXPECT_NE(troubleOf("<a x='1' x='2'/>").find("twice"), std::string::npos);
  EXPECT_NE(troubleOf("<a>").find("no end"), std::string::npos);
  EXPECT_NE(troubleOf("").find("no element"), std::string::npos);
  EXPECT_NE(troubleOf("<a/><b/>").find("after the last"), std::string::npos);
  EXPECT_NE(troubleOf("<a>&nbsp;</a>").find("unknown entity"), std::string::npos);
  EXPECT_NE(troubleOf("<a>&#0;</a>").find("no such character"), std::string::npos);
}

TEST(Xml, RefusesDocumentTypesAndBottomlessNesting) {
  EXPECT_NE(troubleOf("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>").find("document types"),
            std::string::npos);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  EXPECT_NE(troubleOf(deep).find("too deeply"), std::string::npos);
}

}  // namespace
}  // namespace pneuma::io
