#pragma once

#include "consumer/observability/http.h"
#include "extract/url/options.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/state/store.h"

#include <functional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What can be asked of the judge's state over HTTP while the judge works:
///
///     /site      host, format                   /due      before, host, after, limit
///     /explain   url, crawl, at, format         /scores   urls, as_of (POST only)
///
/// Each answer is of the state as it was behind one entry, whose sequence it names, and takes up to
/// kMostTime, and the time of one URL. The judge doesn't wait for it, and its log hears nothing of
/// it.
///
/// Thread-safe.
class StatePages {
 public:
  static constexpr std::chrono::milliseconds kMostTime{2'000};

  /// `urls`: how URLs are spelt. `now`: the time, where a question names none.
  StatePages(extract::UrlOptions urls, std::function<Timestamp()> now);

  /// Whose state is read; null: there is none to be read, questions are told to come again. Waits
  /// for answers that are being made.
  void SetStore(const Store* store);

  [[nodiscard]] HttpAnswer Answer(const HttpQuestion& question);

  [[nodiscard]] static std::vector<std::string> Paths();

 private:
  [[nodiscard]] Result<std::string> Ask(const HttpQuestion& question, std::string& type);

  const extract::UrlOptions urls_;
  const std::function<Timestamp()> now_;
  std::shared_mutex mutex_;
  const Store* store_ = nullptr;
};

}  // namespace crawlsieve::consumer
