#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pneuma/render/image.h"
#include "pneuma/render/plot.h"

/// Reports: one HTML file that carries everything (mail it, open it from the disk), and the same
/// content as Markdown with the pictures beside it.
namespace pneuma::render {

/// A plain table. Cells that read as numbers are set to the right. Headers name the unit:
/// "volume [l]".
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header
  std::string caption;
};

/// One line of a comparison with a publication.
struct ComparisonRow {
  std::string quantity;
  std::string unit;
  std::string published;  ///< the figure of the paper, as printed there
  std::string ours;
  std::optional<bool> pass;  ///< empty: no verdict claimed
  std::string note;          ///< why it differs, where it stands in the paper
};

/// A page of text, tables, pictures and plots, written as one HTML file or as Markdown.
class Report {
 public:
  explicit Report(std::string title, std::string subtitle = "");

  // Text may hold `code` and **strong** parts; everything else is shown as written.
  Report& heading(std::string text, int level = 2);  ///< level 2 or 3
  Report& paragraph(std::string text);
  Report& list(std::vector<std::string> items);
  Report& code(std::string text);

  /// How to get the same again: the command, the version, what the run left beside the report.
  Report& recipe(const std::string& command);

  Report& table(Table table);
  /// Published against ours, with a mark per row.
  Report& comparison(std::vector<ComparisonRow> rows, std::string caption = "");

  /// `name` becomes the file's name in the Markdown version ("front" gives front.png).
  Report& picture(const Image& image, std::string caption, std::string name);
  Report& plot(const Plot& plot, std::string caption, std::string name);
  /// A .png, .jpg, .svg or .mp4 file. Throws InputError when it cannot be read.
  Report& media(const std::filesystem::path& file, std::string caption);
  /// An interactive view of a GLB file (orbit, play, scrub, parts).
  Report& view3d(const std::filesystem::path& glb, std::string caption);

  std::string toHtml() const;
  /// Writes the single HTML file, complete or not at all.
  void writeHtml(const std::filesystem::path& path) const;
  /// Writes `path` and its pictures into `<stem>_files/` beside it.
  void writeMarkdown(const std::filesystem::path& path) const;

  /// What the report is made of, in order.
  struct Heading {
    std::string text;
    int level;
  };
  struct Paragraph {
    std::string text;
  };
  struct List {
    std::vector<std::string> items;
  };
  struct Code {
    std::string text;
  };
  struct Comparison {
    std::vector<ComparisonRow> rows;
    std::string caption;
  };
  struct Media {
    std::string name;  ///< with its ending
    std::string bytes;
    std::string caption;
    std::string jpeg = {};  ///< the same picture, lighter, for HTML; "": the bytes themselves
  };
  using Item = std::variant<Heading, Paragraph, List, Code, Table, Comparison, Media>;

 private:
  std::string title_, subtitle_;
  std::vector<Item> items_;
};

/// Whether this build carries the interactive view; without it view3d() embeds the file with a
/// note.
bool hasInteractiveView();

}  // namespace pneuma::render
