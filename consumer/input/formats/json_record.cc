#include "consumer/input/formats/json_record.h"

#include "consumer/input/formats/header_block.h"
#include "extract/references.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace crawlsieve::consumer {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;
using Arrays = JsonRecord::Arrays;

/// A bit for each path.
using PathSet = std::uint64_t;

/// What JSON is read with. One for each thread, and kept: its buffers are 6 times the record's
/// size.
struct Parsers {
  ondemand::parser record;
  simdjson::dom::parser attrs;

  /// Of a record larger than this, which is rare, they go back to the system.
  static constexpr std::size_t kKeptBytes = 4 << 20;

  void DropLargeBuffers() {
    if (record.capacity() > kKeptBytes) record = ondemand::parser();
    if (attrs.capacity() > kKeptBytes) attrs = simdjson::dom::parser();
  }
};

Parsers& ThreadParsers() {
  thread_local Parsers parsers;
  return parsers;
}

bool TakesNumbers(Field field) {
  return field == Field::kId || field == Field::kCrawlId || field == Field::kStatus ||
         field == Field::kFetchTime || field == Field::kRefOffset || field == Field::kRefLength;
}

/// Errors: the JSON is broken. A value that is valid but not a string makes `field` unusable.
error_code ReadText(ondemand::value value, bool takes_numbers, TextField& field) {
  field = {};
  ondemand::json_type type{};
  if (const error_code error = value.type().get(type)) return error;
  if (type == ondemand::json_type::null) {
    bool is_null = false;
    if (const error_code error = value.is_null().get(is_null)) return error;
    return is_null ? SUCCESS : simdjson::N_ATOM_ERROR;
  }
  field.state = TextField::State::kUnusable;
  std::string_view text;
  if (type == ondemand::json_type::string) {
    // Half a surrogate pair is valid JSON but no text.
    if (value.get_string().get(text) == SUCCESS) {
      field = {TextField::State::kText, text};
    }
  } else if (type == ondemand::json_type::number && takes_numbers) {
    field = {TextField::State::kText, TrimSpaces(value.raw_json_token())};
  }
  return SUCCESS;
}

/// Of several media types, as Nutch writes `text/html`, `text` and `html`, the whole one is meant.
bool IsPreferred(Field field, const TextField& one, const TextField& other) {
  return field == Field::kContentType && one.state == TextField::State::kText &&
         one.text.find('/') != std::string_view::npos &&
         other.text.find('/') == std::string_view::npos;
}

error_code ReadTexts(ondemand::array array, Field name, TextField& field) {
  field = {};
  for (auto element : array) {
    ondemand::value value;
    if (const error_code error = std::move(element).get(value)) return error;
    TextField item;
    if (const error_code error = ReadText(value, TakesNumbers(name), item)) return error;
    if (!item.present()) continue;
    if (!field.present() || IsPreferred(name, item, field)) {
      field = item;
    } else if (!IsPreferred(name, field, item) &&
               (item.state != field.state || item.text != field.text)) {
      field.state = TextField::State::kMany;
    }
  }
  return SUCCESS;
}

error_code ReadHeaders(ondemand::value value, std::vector<Header>& headers) {
  headers.clear();
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) return SUCCESS;
  for (auto entry : object) {
    ondemand::field field;
    if (const error_code error = std::move(entry).get(field)) return error;
    std::string_view name;
    if (const error_code error = field.unescaped_key().get(name)) return error;
    Header header{std::string(name), {}};
    ondemand::array array;
    TextField text;
    if (field.value().get_array().get(array) == SUCCESS) {
      for (auto element : array) {
        ondemand::value item;
        if (const error_code error = std::move(element).get(item)) return error;
        if (const error_code error = ReadText(item, false, text)) return error;
        headers.push_back({header.name, std::string(text.text)});
      }
    } else {
      if (const error_code error = ReadText(field.value(), false, text)) return error;
      headers.push_back({std::move(header.name), std::string(text.text)});
    }
  }
  return SUCCESS;
}

/// A link is a text, or an object with `url` and, where its page has one, `rel`.
error_code ReadLink(ondemand::value value, std::vector<std::string>& links) {
  TextField url;
  TextField rel;
  ondemand::object object;
  if (value.get_object().get(object) == SUCCESS) {
    for (auto entry : object) {
      ondemand::field field;
      if (const error_code error = std::move(entry).get(field)) return error;
      std::string_view name;
      if (const error_code error = field.unescaped_key().get(name)) return error;
      if (name != "url" && name != "rel") continue;
      if (const error_code error = ReadText(field.value(), false, name == "url" ? url : rel)) {
        return error;
      }
    }
  } else if (const error_code error = ReadText(value, false, url)) {
    return error;
  }
  const bool may_follow = !extract::HasLinkType(rel.text, "nofollow");
  if (may_follow && !url.text.empty() && url.text.size() <= extract::kMaxLinkBytes) {
    links.emplace_back(url.text);
  }
  return SUCCESS;
}

error_code ReadLinks(ondemand::value value, std::optional<std::vector<std::string>>& links) {
  links.reset();
  ondemand::array array;
  if (value.get_array().get(array) != SUCCESS) return SUCCESS;
  links.emplace();
  for (auto element : array) {
    if (links->size() >= extract::kMaxReferences) break;
    ondemand::value item;
    if (const error_code error = std::move(element).get(item)) return error;
    if (const error_code error = ReadLink(item, *links)) return error;
  }
  return SUCCESS;
}

/// Whether `json` is valid. It is followed by simdjson::SIMDJSON_PADDING bytes that may be read.
bool IsValidJson(std::string_view json, simdjson::dom::parser& parser) {
  simdjson::dom::element ignored;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(json.data());
  if (parser.parse(bytes, json.size(), /*realloc_if_needed=*/false).get(ignored) == SUCCESS) {
    return true;
  }
  // It refuses valid JSON, too: numbers of more than 64 bits, and what is nested deeply.
  return nlohmann::json::accept(json);
}

/// Puts `value` into `attrs` without white space between its tokens. Unlike what is skipped, it is
/// checked: it will stand in the verdict as it is.
error_code ReadAttrs(ondemand::value value, std::string& attrs) {
  attrs.clear();
  std::string_view raw;
  ondemand::json_type type{};
  if (const error_code error = value.type().get(type)) return error;
  error_code error = SUCCESS;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == SUCCESS) error = object.raw_json().get(raw);
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == SUCCESS) error = array.raw_json().get(raw);
  } else {
    raw = value.raw_json_token();
  }
  if (error != SUCCESS) return error;
  if (!IsValidJson(raw, ThreadParsers().attrs)) return simdjson::TAPE_ERROR;
  attrs.resize(raw.size() + simdjson::SIMDJSON_PADDING);
  std::size_t size = 0;
  error = simdjson::minify(raw.data(), raw.size(), attrs.data(), size);
  if (error != SUCCESS) return error;
  attrs.resize(size);
  if (attrs == "null") attrs.clear();
  return SUCCESS;
}

/// Names of the members of a body reference.
struct RefMember {
  std::string_view name;
  Field field = Field::kRefFile;
};
constexpr std::array kRefMembers = {
    RefMember{"file", Field::kRefFile},     RefMember{"uri", Field::kRefFile},
    RefMember{"offset", Field::kRefOffset}, RefMember{"length", Field::kRefLength},
    RefMember{"digest", Field::kRefDigest}, RefMember{"sha1", Field::kRefSha1},
    RefMember{"sha256", Field::kRefSha256}, RefMember{"holds", Field::kRefHolds},
};

error_code ReadBodyRef(ondemand::value value, Fields& fields) {
  for (const RefMember& member : kRefMembers) fields[member.field] = {};
  TextField& ref = fields[Field::kBodyRef];
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) {
    const error_code error = ReadText(value, false, ref);
    if (ref.present()) ref.state = TextField::State::kUnusable;
    return error;
  }
  ref = {TextField::State::kText, {}};
  for (auto entry : object) {
    ondemand::field field;
    if (const error_code error = std::move(entry).get(field)) return error;
    std::string_view name;
    if (const error_code error = field.unescaped_key().get(name)) return error;
    const auto* const member =
        std::find_if(kRefMembers.begin(), kRefMembers.end(),
                     [name](const RefMember& known) { return known.name == name; });
    if (member == kRefMembers.end()) continue;
    TextField text;
    if (const error_code error = ReadText(field.value(), TakesNumbers(member->field), text)) {
      return error;
    }
    if (text.present() || member->field != Field::kRefFile) fields[member->field] = text;
  }
  return SUCCESS;
}

/// Reads the values that paths lead to.
class FieldReader {
 public:
  FieldReader(std::span<const FieldPath> paths, Arrays arrays, Fields& fields)
      : paths_(paths), arrays_(arrays), fields_(fields) {}

  /// `open`: the paths that lead to `object`, by `depth` steps.
  error_code ReadObject(ondemand::object object, PathSet open, std::size_t depth) {
    for (auto entry : object) {
      ondemand::field field;
      if (const error_code error = std::move(entry).get(field)) return error;
      std::string_view name;
      if (const error_code error = field.unescaped_key().get(name)) return error;
      const PathSet matching = Matching(open, depth, name);
      if (matching == 0) continue;
      if (const error_code error = ReadValue(field.value(), matching, depth + 1)) return error;
    }
    return SUCCESS;
  }

 private:
  error_code ReadValue(ondemand::value value, PathSet paths, std::size_t depth) {
    PathSet ending = 0;
    for (PathSet left = paths; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      if (paths_[i].size == depth) ending |= PathSet{1} << i;
    }
    if (ending != 0) {
      if (const error_code error = ReadField(value, First(ending).field)) return error;
      // A second path to the same place is for another field, which gets the same text.
      for (PathSet left = ending & (ending - 1); left != 0; left &= left - 1) {
        fields_[First(left).field] = fields_[First(ending).field];
      }
      return SUCCESS;
    }
    ondemand::json_type type{};
    if (const error_code error = value.type().get(type)) return error;
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      if (const error_code error = value.get_object().get(object)) return error;
      return ReadObject(object, paths, depth);
    }
    if (type != ondemand::json_type::array) return SUCCESS;
    ondemand::array array;
    if (const error_code error = value.get_array().get(array)) return error;
    std::size_t index = 0;
    for (auto element : array) {
      ondemand::value item;
      if (const error_code error = std::move(element).get(item)) return error;
      const PathSet matching = Matching(paths, depth, std::to_string(index++));
      if (matching == 0) continue;
      if (const error_code error = ReadValue(item, matching, depth + 1)) return error;
    }
    return SUCCESS;
  }

  error_code ReadField(ondemand::value value, Field field) {
    if (field == Field::kHeaders) return ReadHeaders(value, fields_.headers);
    if (field == Field::kLinks) return ReadLinks(value, fields_.links);
    if (field == Field::kAttrs) return ReadAttrs(value, fields_.attrs);
    if (field == Field::kBodyRef) return ReadBodyRef(value, fields_);
    if (arrays_ == Arrays::kTaken) {
      ondemand::array array;
      if (value.get_array().get(array) == SUCCESS) return ReadTexts(array, field, fields_[field]);
    }
    return ReadText(value, TakesNumbers(field), fields_[field]);
  }

  [[nodiscard]] PathSet Matching(PathSet open, std::size_t depth, std::string_view name) const {
    PathSet matching = 0;
    for (PathSet left = open; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      if (paths_[i].steps[depth] == name) matching |= PathSet{1} << i;
    }
    return matching;
  }

  [[nodiscard]] const FieldPath& First(PathSet paths) const {
    return paths_[static_cast<std::size_t>(std::countr_zero(paths))];
  }

  const std::span<const FieldPath> paths_;
  const Arrays arrays_;
  Fields& fields_;
};

error_code ExpectEnd(ondemand::document& document) {
  const bool ended = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return ended ? SUCCESS : simdjson::TRAILING_CONTENT;
}

/// ", near byte 17": where reading of `json` stopped; empty where that is not known.
std::string Where(std::string_view json, ondemand::document& document) {
  const char* location = nullptr;
  if (document.current_location().get(location) != SUCCESS || location < json.data() ||
      location > json.data() + json.size()) {
    return {};
  }
  return fmt::format(", near byte {}", location - json.data());
}

DecodeFailure InvalidJson(error_code error, std::string_view where) {
  if (error == simdjson::UTF8_ERROR) return {"bad_encoding", "the JSON is not UTF-8", {}};
  if (error == simdjson::INCORRECT_TYPE) return {"invalid_json", "the JSON is not an object", {}};
  return {"invalid_json",
          fmt::format("not valid JSON{}: {}", where, simdjson::error_message(error)),
          {}};
}

/// Opens the object in `json`, which has `capacity` bytes of memory, and has `read` read it.
template <typename Read>
std::optional<DecodeFailure> ReadDocument(std::string_view json, std::size_t capacity,
                                          const Read& read) {
  ondemand::document document;
  const simdjson::padded_string_view padded(json, capacity);
  if (const error_code error = ThreadParsers().record.iterate(padded).get(document)) {
    return InvalidJson(error, {});
  }
  ondemand::object object;
  error_code error = document.get_object().get(object);
  if (error == SUCCESS) error = read(object);
  if (error == SUCCESS) error = ExpectEnd(document);
  if (error != SUCCESS) return InvalidJson(error, Where(json, document));
  return std::nullopt;
}

JsonType TypeOf(ondemand::json_type type) {
  switch (type) {
    case ondemand::json_type::string:
      return JsonType::kString;
    case ondemand::json_type::number:
      return JsonType::kNumber;
    case ondemand::json_type::object:
      return JsonType::kObject;
    case ondemand::json_type::array:
      return JsonType::kArray;
    case ondemand::json_type::null:
      return JsonType::kNull;
    case ondemand::json_type::boolean:
      break;
  }
  return JsonType::kOther;
}

}  // namespace

std::string FieldPath::Name() const {
  std::string name;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) name += '.';
    name += steps[i];
  }
  return name;
}

JsonRecord::JsonRecord(std::string value) : value_(std::move(value)) {
  constexpr std::size_t kSchemaPrefix = 5;
  value_.reserve(value_.size() + simdjson::SIMDJSON_PADDING);
  if (value_.size() >= kSchemaPrefix && value_[0] == '\0') start_ = kSchemaPrefix;
  if (json().starts_with("\xEF\xBB\xBF")) start_ += 3;
}

JsonRecord::~JsonRecord() { ThreadParsers().DropLargeBuffers(); }

std::optional<DecodeFailure> JsonRecord::Read(std::span<const FieldPath> paths, Arrays arrays,
                                              Fields& fields) {
  const PathSet all = paths.size() >= 64 ? ~PathSet{0} : (PathSet{1} << paths.size()) - 1;
  return ReadDocument(json(), value_.capacity() - start_, [&](ondemand::object object) {
    return FieldReader(paths, arrays, fields).ReadObject(object, all, 0);
  });
}

std::optional<DecodeFailure> JsonRecord::ForEachMember(
    const std::function<void(std::string_view, JsonType)>& each) {
  return ReadDocument(json(), value_.capacity() - start_, [&](ondemand::object object) {
    for (auto entry : object) {
      ondemand::field field;
      if (const error_code error = std::move(entry).get(field)) return error;
      std::string_view name;
      if (const error_code error = field.unescaped_key().get(name)) return error;
      ondemand::json_type type{};
      if (const error_code error = field.value().type().get(type)) return error;
      each(name, TypeOf(type));
    }
    return SUCCESS;
  });
}

}  // namespace crawlsieve::consumer
