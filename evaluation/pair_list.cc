#include "evaluation/pair_list.h"

#include "consumer/html/bounded_text.h"
#include "consumer/html/page_text.h"
#include "consumer/observability/html_escape.h"
#include "consumer/observability/printable.h"
#include "consumer/status/differing_part.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "evaluation/difference.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kScript = R"js(
(() => {
  'use strict';
  const list = document.getElementById('pairs');
  if (!list) return;
  document.documentElement.classList.add('scripted');
  const cards = [...list.querySelectorAll('.pair')];
  const filters = [...document.querySelectorAll('#filters select')];
  const shown = document.getElementById('shown');
  const filter = () => {
    let count = 0;
    for (const card of cards) {
      card.hidden = !filters.every(it => it.value === '' || card.dataset[it.name] === it.value);
      if (!card.hidden) ++count;
    }
    shown.textContent = `${count} of ${cards.length} pairs`;
  };
  for (const it of filters) it.addEventListener('change', filter);
  filter();

  const save = document.getElementById('save');
  if (!save) return;
  const labels = new Map();
  let unsaved = false;
  list.addEventListener('click', event => {
    const button = event.target.closest('button[data-label]');
    if (!button) return;
    const card = button.closest('.pair');
    const label = button.dataset.label;
    if (labels.get(card) === label) labels.delete(card); else labels.set(card, label);
    for (const other of card.querySelectorAll('button[data-label]')) {
      other.setAttribute('aria-pressed', String(other.dataset.label === labels.get(card)));
    }
    unsaved = labels.size > 0;
    save.disabled = labels.size === 0;
    save.textContent = `Save ${labels.size} label${labels.size === 1 ? '' : 's'}`;
  });
  save.addEventListener('click', () => {
    const lines = ['# page, page, label, kind, figures: crawlsieve eval --pages PAGES --pairs THIS'];
    for (const card of cards) {
      if (!labels.has(card)) continue;
      const it = card.dataset;
      lines.push([it.a, it.b, labels.get(card), it.kind,
                  `distance ${it.distance}, similarity ${it.similarity}`].join('\t'));
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([lines.join('\n') + '\n'],
                                             {type: 'text/tab-separated-values'}));
    link.download = 'pairs.tsv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    unsaved = false;
  });
  addEventListener('beforeunload', event => { if (unsaved) event.preventDefault(); });
})();
)js";

/// A text that grows as long as there is room.
class BoundedMarkup {
 public:
  void Add(std::string_view markup) {
    if (is_full_) return;
    if (text_.size() + markup.size() > MarkedTexts::kMaxSideBytes - kReserve) {
      is_full_ = true;
      text_ += "&hellip;";
      return;
    }
    text_ += markup;
  }
  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] std::string Take() { return std::move(text_); }

 private:
  static constexpr std::size_t kReserve = 16;  ///< for the ellipsis

  std::string text_;
  bool is_full_ = false;
};

/// A word as markup; a long one is cut.
std::string WordText(std::string_view word) {
  constexpr std::size_t kMaxWord = 60;
  return EscapeHtml(Printable(BoundedText(word, kMaxWord)));
}

/// At most `count` words of the part's beginning, or of its end.
std::string Words(const DifferencePart& part, std::size_t count, bool at_end) {
  const std::size_t first = at_end ? part.words.size() - count : 0;
  std::string text;
  for (std::size_t i = first; i < first + count; ++i) text += WordText(part.words[i]) + ' ';
  return text;
}

std::string_view Trimmed(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string Marked(const SplitText& text) {
  return fmt::format("<code>{}<mark>{}</mark>{}</code>", EscapeHtml(text.before),
                     EscapeHtml(text.differing), EscapeHtml(text.after));
}

std::string Card(const ShownPair& pair, bool with_labels) {
  constexpr std::size_t kMaxName = 500;
  const std::string a = Printable(BoundedText(pair.a.name, kMaxName));
  const std::string b = Printable(BoundedText(pair.b.name, kMaxName));
  const SplitPair names = SplitWhereDifferent(a, b);
  std::string html = fmt::format(
      "<div class=\"pair\" data-distance=\"{}\" data-similarity=\"{:.3f}\" data-kind=\"{}\" "
      "data-length=\"{}\"",
      pair.distance, pair.similarity, PageText(pair.kind), PageText(Trimmed(pair.length)));
  const bool has_names = !pair.a.eval_name.empty() && !pair.b.eval_name.empty();
  if (with_labels && has_names) {
    html += fmt::format(" data-a=\"{}\" data-b=\"{}\"", EscapeHtml(pair.a.eval_name),
                        EscapeHtml(pair.b.eval_name));
  }
  html += fmt::format(
      ">\n<p><strong>{}</strong> <span class=\"soft\">{} bit{} apart, similarity {:.3f}; {}; "
      "{}</span></p>\n<div>{}</div><div>{}</div>\n",
      PageText(pair.heading), pair.distance, pair.distance == 1 ? "" : "s", pair.similarity,
      PageText(pair.kind), PageText(Trimmed(pair.length)), Marked(names.left), Marked(names.right));
  if (pair.without_text.empty()) {
    const MarkedTexts texts = MarkDifferences(pair.a.text, pair.b.text);
    html += fmt::format("<div class=\"words\">{}</div><div class=\"words\">{}</div>\n", texts.a,
                        texts.b);
  } else {
    html += fmt::format("<p class=\"soft\">{}</p>\n", PageText(pair.without_text));
  }
  if (with_labels && has_names) {
    html += "<div class=\"tools labels\">";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLabels{
        {{"near", "One is enough"}, {"different", "Both are needed"}, {"undecided", "Undecided"}}};
    for (const auto& [label, text] : kLabels) {
      html += fmt::format(
          "<button type=\"button\" data-label=\"{}\" aria-pressed=\"false\">{}</button>", label,
          text);
    }
    html += "</div>\n";
  } else if (with_labels) {
    html +=
        "<p class=\"soft\">Can't be labelled: a page has no name that a line of pairs can hold."
        "</p>\n";
  }
  return html + "</div>\n";
}

std::string Filter(std::string_view name, std::string_view title,
                   const std::set<std::pair<int, std::string>>& values) {
  std::string html = fmt::format(
      "<label>{} <select name=\"{}\" autocomplete=\"off\"><option value=\"\">all</option>", title,
      name);
  for (const auto& [order, value] : values) {
    html += fmt::format("<option value=\"{0}\">{0}</option>", PageText(Trimmed(value)));
  }
  return html + "</select></label>\n";
}

}  // namespace

MarkedTexts MarkDifferences(std::string_view a_text, std::string_view b_text) {
  constexpr std::size_t kContext = 8;
  constexpr std::size_t kMaxRun = 60;
  constexpr std::size_t kMaxParts = 80;
  BoundedMarkup a;
  BoundedMarkup b;
  const auto parts = DiffWords(a_text, b_text);
  for (std::size_t i = 0; i < parts.size() && !(a.is_full() && b.is_full()); ++i) {
    if (i == kMaxParts) {
      a.Add("&hellip;");
      b.Add("&hellip;");
      break;
    }
    const DifferencePart& part = parts[i];
    std::string text;
    if (part.kind != DifferencePart::Kind::kBoth) {
      text = Words(part, std::min(part.words.size(), kMaxRun), false);
      if (part.words.size() > kMaxRun) text += "&hellip; ";
      (part.kind == DifferencePart::Kind::kOnlyA ? a : b).Add("<mark>" + text + "</mark>");
      continue;
    }
    if (part.words.size() <= 2 * kContext) {
      text = Words(part, part.words.size(), false);
    } else {
      text = Words(part, kContext, false) + "&hellip; " + Words(part, kContext, true);
    }
    a.Add(text);
    b.Add(text);
  }
  return {a.Take(), b.Take()};
}

std::string EvalName(std::string_view id, std::string_view url) {
  constexpr std::size_t kMaxName = 500;
  for (const std::string_view name : {id, url}) {
    if (!name.empty() && name.front() != '#' && name.size() <= kMaxName &&
        Printable(name) == name) {
      return std::string(name);
    }
  }
  return {};
}

std::string PairList(std::span<const ShownPair> pairs, bool with_labels) {
  if (pairs.empty()) return "<p class=\"soft\">None.</p>\n";
  std::set<std::pair<int, std::string>> distances;
  std::set<std::pair<int, std::string>> kinds;
  std::set<std::pair<int, std::string>> lengths;
  for (const ShownPair& pair : pairs) {
    distances.emplace(pair.distance, std::to_string(pair.distance));
    kinds.emplace(0, pair.kind);
    lengths.emplace(0, pair.length);
  }
  std::string html = "<div class=\"tools bar\" id=\"filters\">\n" +
                     Filter("distance", "bits apart", distances) + Filter("kind", "kind", kinds) +
                     Filter("length", "length", lengths) +
                     "<span class=\"soft\" id=\"shown\"></span>\n";
  if (with_labels) {
    html +=
        "<button type=\"button\" id=\"save\" disabled autocomplete=\"off\">Save labels</button>\n";
  }
  html += "</div>\n<div id=\"pairs\">\n";
  for (const ShownPair& pair : pairs) html += Card(pair, with_labels);
  return html + "</div>\n";
}

std::string_view PairListScript() { return kScript; }

}  // namespace crawlsieve::consumer
