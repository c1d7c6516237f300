#include "evaluation/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace crawlsieve::consumer {

Interval WilsonInterval(const Rate& rate) {
  if (rate.whole == 0) return {};
  constexpr double kZ = 1.959964;  // of the normal distribution at 97.5 %
  const auto n = static_cast<double>(rate.whole);
  const double p = rate.value();
  const double centre = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Counts& Counts::operator+=(const Counts& other) {
  true_duplicates += other.true_duplicates;
  false_duplicates += other.false_duplicates;
  missed += other.missed;
  true_different += other.true_different;
  return *this;
}

double Counts::f1() const {
  const double p = precision().value();
  const double r = recall().value();
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}

Interval ClusterBootstrap(std::span<const Counts> clusters,
                          const std::function<double(const Counts&)>& figure) {
  constexpr std::uint64_t kSeed = 1979;
  constexpr std::size_t kDraws = 2000;
  std::mt19937_64 random(kSeed);
  std::vector<double> figures;
  figures.reserve(kDraws);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Counts sum;
    for (std::size_t i = 0; i < clusters.size(); ++i) sum += clusters[random() % clusters.size()];
    figures.push_back(figure(sum));
  }
  std::sort(figures.begin(), figures.end());
  return {figures[kDraws / 40], figures[kDraws - 1 - kDraws / 40]};
}

}  // namespace crawlsieve::consumer
