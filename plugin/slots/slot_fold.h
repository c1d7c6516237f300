#pragma once

#include "plugin/judge/judge_ends.h"
#include "plugin/slots/layout.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace crawlsieve {

/// The detector as the fold of a judge whose index is in slots. Borrows it.
class SlotFold final : public DetectorFold {
 public:
  SlotFold(Detector& detector, SlotLayout layout)
      : DetectorFold(detector), layout_(std::move(layout)) {}

  [[nodiscard]] std::string ChangesUpTo(const LogPosition& position,
                                        std::uint32_t ask) const override;
  [[nodiscard]] std::size_t changes_bytes() const override;

 private:
  const SlotLayout layout_;
};

}  // namespace crawlsieve
