#include "consumer/input/formats/recognize.h"

#include "consumer/input/formats/url_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// Of a name in the record, which may be of any length.
constexpr std::size_t kMaxShownBytes = 64;

bool Names(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('.') ? name.starts_with(pattern) : name == pattern;
}

/// How much of one shape was met.
struct ShapeMatch {
  const Shape* shape = nullptr;
  std::uint32_t needs_met = 0;  ///< a bit for each need
  bool has_choice = false;
  std::size_t hits = 0;

  void See(std::string_view name, JsonType type) {
    for (std::size_t i = 0; i < shape->needs.size(); ++i) {
      const Member& need = shape->needs[i];
      if (!Names(need.name, name)) continue;
      ++hits;
      if (!need.type || *need.type == type) needs_met |= std::uint32_t{1} << i;
    }
    for (const std::string_view choice : shape->choices) {
      if (choice != name) continue;
      ++hits;
      has_choice = true;
    }
  }

  /// What is missing; empty: nothing.
  [[nodiscard]] std::string Missing() const {
    for (std::size_t i = 0; i < shape->needs.size(); ++i) {
      if ((needs_met >> i & 1) == 0) return std::string(shape->needs[i].name);
    }
    if (has_choice || shape->choices.empty()) return {};
    return fmt::format("{}", fmt::join(shape->choices, "` or `"));
  }
};

struct FormatMatch {
  const JsonFormat* format = nullptr;
  std::vector<ShapeMatch> shapes;
  std::size_t marks = 0;
  std::string foreign;  ///< the first name that only another format has

  [[nodiscard]] bool Knows(std::string_view name) const {
    for (const std::string_view mark : format->marks) {
      if (Names(mark, name)) return true;
    }
    for (const FieldPath& path : format->paths) {
      if (path.steps[0] == name) return true;
    }
    for (const ShapeMatch& match : shapes) {
      for (const Member& need : match.shape->needs) {
        if (Names(need.name, name)) return true;
      }
    }
    return false;
  }
};

class Recognizer {
 public:
  explicit Recognizer(std::span<const JsonFormat* const> formats) {
    for (const JsonFormat* format : formats) {
      FormatMatch match{format, {}, 0, {}};
      for (const Shape& shape : format->shapes) match.shapes.push_back({&shape, 0, false, 0});
      matches_.push_back(std::move(match));
    }
  }

  void See(std::string_view name, JsonType type) {
    bool is_mark = false;
    for (FormatMatch& match : matches_) {
      for (ShapeMatch& shape : match.shapes) shape.See(name, type);
      for (const std::string_view mark : match.format->marks) {
        if (!Names(mark, name)) continue;
        ++match.marks;
        is_mark = true;
      }
    }
    if (!is_mark) return;
    const std::string shown = ToUtf8Url(std::string(name.substr(0, kMaxShownBytes)));
    for (FormatMatch& match : matches_) {
      if (match.foreign.empty() && !match.Knows(name)) match.foreign = shown;
    }
  }

  [[nodiscard]] std::variant<const JsonFormat*, DecodeFailure> Find() const {
    const FormatMatch* nearest = nullptr;
    const ShapeMatch* nearest_shape = nullptr;
    std::size_t most = 0;
    for (const FormatMatch& match : matches_) {
      for (const ShapeMatch& shape : match.shapes) {
        if (match.foreign.empty() && shape.Missing().empty()) return match.format;
        const std::size_t hits = shape.hits + match.marks;
        // Of equals the last one, which is the most common: canonical.
        if (hits == 0 || hits < most) continue;
        most = hits;
        nearest = &match;
        nearest_shape = &shape;
      }
    }
    constexpr std::string_view kCode = "unrecognized_format";
    if (nearest == nullptr) {
      return DecodeFailure{std::string(kCode), "no format has any of the record's fields", {}};
    }
    const std::string_view name = FormatName(nearest->format->kind);
    std::string missing = nearest_shape->Missing();
    if (missing.empty()) {
      return DecodeFailure{std::string(kCode),
                           fmt::format("nearest format is {}, whose records have no field `{}`",
                                       name, nearest->foreign),
                           nearest->foreign};
    }
    return DecodeFailure{
        std::string(kCode),
        fmt::format("nearest format is {}: its field `{}` is missing or of another type", name,
                    missing),
        std::move(missing)};
  }

 private:
  std::vector<FormatMatch> matches_;
};

}  // namespace

std::variant<const JsonFormat*, DecodeFailure> Recognize(std::span<const JsonFormat* const> formats,
                                                         JsonRecord& record) {
  Recognizer recognizer(formats);
  auto failure = record.ForEachMember(
      [&](std::string_view name, JsonType type) { recognizer.See(name, type); });
  if (failure) return std::move(*failure);
  return recognizer.Find();
}

}  // namespace crawlsieve::consumer
