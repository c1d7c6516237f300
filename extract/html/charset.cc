#include "extract/html/charset.h"

#include "extract/html/encoding_prescan.h"
#include "extract/html/gb18030.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <vector>

#include <simdjson.h>
#include <uchardet/uchardet.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

/// How much the detector reads, from the first byte that isn't ASCII: it works at 3 to 8 MB/s,
/// and markup tells it nothing.
constexpr std::size_t kDetectionBytes = 16 << 10;

struct ConverterCloser {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using ConverterPtr = std::unique_ptr<UConverter, ConverterCloser>;

struct DetectorCloser {
  void operator()(uchardet_t detector) const { uchardet_delete(detector); }
};
using DetectorPtr = std::unique_ptr<uchardet, DetectorCloser>;

/// U+FFFD for all that can't be decoded. ICU's own substitution writes U+001A for some bytes.
void ReplaceInvalid(const void*, UConverterToUnicodeArgs* args, const char*, std::int32_t,
                    UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // reset, close, clone: nothing to write
  constexpr UChar kReplacement = 0xFFFD;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(args, &kReplacement, 1, 0, error);
}

/// The characters of gb18030 that the converter has otherwise than ICU 72.
std::vector<Gb18030::Character> ChangedIn(UConverter* converter) {
  std::vector<Gb18030::Character> changed;
  for (const Gb18030::Character& character : Gb18030::Changed()) {
    std::array<UChar, 4> decoded{};
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t size = ucnv_toUChars(
        converter, decoded.data(), static_cast<std::int32_t>(decoded.size()),
        character.bytes.data(), static_cast<std::int32_t>(character.bytes.size()), &error);
    if (size != 1 || decoded[0] != character.code_point) changed.push_back(character);
  }
  return changed;
}

/// nullptr when ICU's data lacks the converter.
ConverterPtr OpenConverter(const char* name) {
  UErrorCode error = U_ZERO_ERROR;
  ConverterPtr converter(ucnv_open(name, &error));
  if (U_FAILURE(error)) return nullptr;
  ucnv_setToUCallBack(converter.get(), ReplaceInvalid, nullptr, nullptr, nullptr, &error);
  return U_FAILURE(error) ? nullptr : std::move(converter);
}

/// The encoding the bytes look like; nullptr when the detector has no idea.
const Encoding* Detect(uchardet_t detector, std::string_view bytes) {
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || c == '\x1B';
  });
  const std::string_view sample =
      bytes.substr(static_cast<std::size_t>(first - bytes.begin()), kDetectionBytes);
  uchardet_reset(detector);
  if (uchardet_handle_data(detector, sample.data(), sample.size()) != 0) return nullptr;
  uchardet_data_end(detector);
  const Encoding* encoding = FindEncoding(uchardet_get_charset(detector));
  // Half a page in UTF-16 looks like many things; without a mark or a label nobody reads it so.
  return encoding != nullptr && encoding->family != EncodingFamily::kUtf16 ? encoding : nullptr;
}

}  // namespace

std::string_view CharsetSourceName(CharsetSource source) {
  switch (source) {
    case CharsetSource::kBom:
      return "bom";
    case CharsetSource::kHeader:
      return "header";
    case CharsetSource::kMeta:
      return "meta";
    case CharsetSource::kDetected:
      return "detected";
    case CharsetSource::kDefault:
      break;
  }
  return "default";
}

/// What is kept open between pages: ICU's converters and the detector.
class CharsetDecoder::Converters {
 public:
  Converters() : detector_(uchardet_new()) {
    if (detector_ == nullptr) throw std::bad_alloc();
  }

  [[nodiscard]] uchardet_t detector() const { return detector_.get(); }

  struct Opened {
    ConverterPtr converter;
    std::vector<Gb18030::Character> changed;  ///< what it has otherwise than ICU 72
  };

  /// nullptr when ICU's data lacks the converter.
  [[nodiscard]] const Opened* Converter(const Encoding& encoding) {
    const auto [entry, inserted] = converters_.try_emplace(&encoding);
    if (inserted) {
      entry->second.converter = OpenConverter(encoding.icu_name);
      if (entry->second.converter != nullptr && encoding.icu_name == std::string_view("gb18030")) {
        entry->second.changed = ChangedIn(entry->second.converter.get());
      }
    }
    return entry->second.converter != nullptr ? &entry->second : nullptr;
  }

  /// Decodes as ICU 72 does and appends to `out`.
  void Append(const Opened& opened, std::string_view bytes, std::string& out) {
    UConverter* const converter = opened.converter.get();
    while (!opened.changed.empty()) {
      const auto [at, character] = Gb18030::Find(bytes, opened.changed);
      if (character == nullptr) break;
      // A line end in the place of the character: what is broken in front of it ends there too.
      before_.assign(bytes.substr(0, at)).push_back('\n');
      AppendWithIcu(converter, before_, out);
      out.pop_back();
      AppendUtf8({&character->code_point, 1}, out);
      bytes.remove_prefix(at + character->bytes.size());
    }
    AppendWithIcu(converter, bytes, out);
  }

 private:
  void AppendWithIcu(UConverter* converter, std::string_view bytes, std::string& out) {
    ucnv_resetToUnicode(converter);
    const char* source = bytes.data();
    const char* const source_end = source + bytes.size();
    UErrorCode error = U_BUFFER_OVERFLOW_ERROR;
    std::size_t kept = 0;  // a lead surrogate whose partner is still to come
    while (error == U_BUFFER_OVERFLOW_ERROR) {
      error = U_ZERO_ERROR;
      UChar* target = utf16_.data() + kept;
      ucnv_toUnicode(converter, &target, utf16_.data() + utf16_.size(), &source, source_end,
                     nullptr, /*flush=*/true, &error);
      std::size_t length = static_cast<std::size_t>(target - utf16_.data());
      kept = error == U_BUFFER_OVERFLOW_ERROR && U16_IS_LEAD(utf16_[length - 1]) ? 1 : 0;
      length -= kept;
      AppendUtf8({utf16_.data(), length}, out);
      if (kept != 0) utf16_[0] = utf16_[length];
    }
  }

  DetectorPtr detector_;
  std::map<const Encoding*, Opened> converters_;
  std::string before_;
  std::array<UChar, 16 << 10> utf16_;
};

CharsetDecoder::CharsetDecoder(Revision revision)
    : revision_(revision), converters_(std::make_unique<Converters>()) {}
CharsetDecoder::~CharsetDecoder() = default;

DecodedText CharsetDecoder::Decode(std::string_view bytes, const CharsetHints& hints) & {
  const ByteOrderMark mark = FindByteOrderMark(bytes);
  const Choice choice = mark.encoding != nullptr ? Choice{mark.encoding, CharsetSource::kBom}
                                                 : ChooseEncoding(bytes, hints);
  return {Convert(bytes.substr(mark.bytes), *choice.encoding), choice.encoding->name,
          choice.source};
}

CharsetDecoder::Choice CharsetDecoder::ChooseEncoding(std::string_view bytes,
                                                      const CharsetHints& hints) {
  if (const Encoding* named = FindEncoding(FindCharsetParameter(hints.content_type))) {
    return {named, CharsetSource::kHeader};
  }
  if (const Encoding* named = FindEncoding(hints.charset)) return {named, CharsetSource::kHeader};
  if (hints.prescan) {
    if (const Encoding* named = PrescanForEncoding(bytes)) return {named, CharsetSource::kMeta};
    if (const Encoding* named = FindLateDeclaration(bytes, revision_))
      return {named, CharsetSource::kMeta};
  }
  constexpr char kEscape = '\x1B';  // ISO-2022-JP is ASCII but for its escape sequences
  if (bytes.find(kEscape) == std::string_view::npos) {
    if (AsciiPrefix(bytes) == bytes.size()) return {&Utf8(), CharsetSource::kDefault};
    if (simdjson::validate_utf8(bytes)) return {&Utf8(), CharsetSource::kDetected};
  }
  if (const Encoding* detected = Detect(converters_->detector(), bytes))
    return {detected, CharsetSource::kDetected};
  return {&Windows1252(), CharsetSource::kDefault};
}

std::string_view CharsetDecoder::Convert(std::string_view bytes, const Encoding& encoding) {
  switch (encoding.family) {
    case EncodingFamily::kUtf8:
      break;
    case EncodingFamily::kReplacement:
      return bytes.empty() ? bytes : kReplacementCharacter;
    case EncodingFamily::kUtf16:
    case EncodingFamily::kLegacy:
      if (const auto* opened = converters_->Converter(encoding); opened != nullptr) {
        buffer_.clear();
        converters_->Append(*opened, bytes, buffer_);
        return buffer_;
      }
      break;
  }
  return RepairUtf8(bytes);
}

std::string_view CharsetDecoder::RepairUtf8(std::string_view bytes) & {
  if (simdjson::validate_utf8(bytes)) return bytes;
  buffer_.clear();
  AppendRepaired(bytes, buffer_);
  return buffer_;
}

}  // namespace crawlsieve::extract
