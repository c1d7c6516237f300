#include "plugin/read_ahead.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace crawlsieve {
namespace {

/// Fewer are not worth a thread, whose start takes some 20 microseconds.
constexpr std::size_t kLeastPerThread = 32;

}  // namespace

std::optional<std::string_view> ReadAhead::Reader::Row(Table table, std::string_view key) {
  Rows& rows = rows_[static_cast<std::size_t>(table)];
  auto known = rows.find(key);
  if (known == rows.end()) {
    auto read = store_.Get(table, key);
    if (!read) return std::nullopt;  // whoever needs it reads it again, and reports this
    known = rows.emplace(std::string(key), std::move(*read)).first;
  }
  return known->second;
}

const std::vector<Match>& ReadAhead::Reader::Matches(Fingerprint query) {
  const auto [known, is_new] = matches_.try_emplace(query.bits);
  if (is_new) index_.Find(query, reach_.max_distance, reach_.limit, known->second, &work_);
  return known->second;
}

void ReadAhead::Reader::Take(Reader& other) {
  for (std::size_t table = 0; table < rows_.size(); ++table) rows_[table].merge(other.rows_[table]);
  matches_.merge(other.matches_);
  work_.probes += other.work_.probes;
  work_.candidates += other.work_.candidates;
}

LookupWork ReadAhead::Read(const Store& store, const HammingIndex& index, const Reach& reach,
                           std::size_t count, std::size_t threads,
                           const std::function<void(std::size_t, Reader&)>& read) {
  read_.reset();
  threads = std::clamp<std::size_t>(count / kLeastPerThread, 1, std::max<std::size_t>(threads, 1));
  std::vector<Reader> readers;
  readers.reserve(threads);
  for (std::size_t t = 0; t < threads; ++t) readers.emplace_back(store, index, reach);
  const auto read_share = [&](std::size_t t) {
    for (std::size_t i = t; i < count; i += threads) read(i, readers[t]);
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads);
    try {
      while (others.size() + 1 < threads) others.emplace_back(read_share, others.size() + 1);
    } catch (const std::system_error&) {
      // There are as many threads as this process may have: their shares are done here.
    }
    read_share(0);
    for (std::size_t t = others.size() + 1; t < threads; ++t) read_share(t);
  }
  // Into one, so that a row is looked for once.
  read_.emplace(std::move(readers.front()));
  for (Reader& reader : std::span(readers).subspan(1)) read_->Take(reader);
  return read_->work_;
}

const std::optional<std::string>* ReadAhead::Row(Table table, std::string_view key) const {
  if (!read_.has_value()) return nullptr;
  const Reader::Rows& rows = read_->rows_[static_cast<std::size_t>(table)];
  const auto known = rows.find(key);
  return known == rows.end() ? nullptr : &known->second;
}

const std::vector<Match>* ReadAhead::Matches(Fingerprint query, const Reach& reach) const {
  if (!read_.has_value() || read_->reach_ != reach) return nullptr;
  const auto known = read_->matches_.find(query.bits);
  return known == read_->matches_.end() ? nullptr : &known->second;
}

}  // namespace crawlsieve
