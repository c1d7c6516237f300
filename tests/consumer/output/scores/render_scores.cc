// Renders score records for a frontier, for script/score_oracle.
//
//   render_scores FORMAT < RECORDS > FILE     RECORDS: a record of docs/formats.md on each line
//
// Exit 1: a line is no record; 2: wrong usage.

#include "consumer/output/scores/score_format.h"
#include "consumer/output/scores/score_record.h"

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  using namespace crawlsieve;
  const consumer::ScoreFormat* const format =
      argc == 2 ? consumer::FindScoreFormat(argv[1]) : nullptr;
  if (format == nullptr) {
    std::cerr << "usage: render_scores FORMAT < RECORDS\n";
    return 2;
  }
  std::string file;
  for (std::string line; std::getline(std::cin, line);) {
    const Result<UrlScore> record = consumer::ParseUrlScoreRecord(line);
    if (!record.has_value()) {
      std::cerr << record.error().message << '\n';
      return 1;
    }
    for (const consumer::RenderedScore& score : format->render(*record)) {
      consumer::AppendFramed(format->framing, score.value, file);
    }
  }
  std::cout << file;
  return 0;
}
