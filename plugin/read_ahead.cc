#include "plugin/read_ahead.h"

#include <algorithm>
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

LookupWork ReadAhead::Read(const Store& store, const HammingIndex& index, const Reach& reach,
                           std::size_t count, std::size_t threads,
                           const std::function<void(std::size_t, Reader&)>& read) {
  readers_.clear();
  threads = std::clamp<std::size_t>(count / kLeastPerThread, 1, std::max<std::size_t>(threads, 1));
  readers_.reserve(threads);
  for (std::size_t t = 0; t < threads; ++t) readers_.emplace_back(store, index, reach);
  const auto read_share = [&](std::size_t t) {
    for (std::size_t i = t; i < count; i += threads) read(i, readers_[t]);
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
  LookupWork work;
  for (const Reader& reader : readers_) {
    work.probes += reader.work_.probes;
    work.candidates += reader.work_.candidates;
  }
  return work;
}

const std::optional<std::string>* ReadAhead::Row(Table table, std::string_view key) const {
  for (const Reader& reader : readers_) {
    const Reader::Rows& rows = reader.rows_[static_cast<std::size_t>(table)];
    if (const auto known = rows.find(key); known != rows.end()) return &known->second;
  }
  return nullptr;
}

const std::vector<Match>* ReadAhead::Matches(Fingerprint query, const Reach& reach) const {
  for (const Reader& reader : readers_) {
    if (reader.reach_ != reach) continue;
    const auto known = reader.matches_.find(query.bits);
    if (known != reader.matches_.end()) return &known->second;
  }
  return nullptr;
}

}  // namespace crawlsieve
