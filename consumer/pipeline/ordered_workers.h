#pragma once

#include "plugin/base/mutex.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// Maps inputs to outputs on several threads and hands the outputs back in the order of the inputs.
///
/// Each thread has a worker function of its own (it may keep buffers). Workers must not throw.
/// Doesn't bound itself: the owner looks at in_flight() and stops submitting.
///
/// Submit, TakeNext and in_flight are for one owner thread; workers run beside it.
template <typename Input, typename Output>
class OrderedWorkers {
 public:
  using Worker = std::function<Output(Input&&)>;

  /// Starts `threads` threads (at least one); `make_worker` is called once for each.
  OrderedWorkers(std::size_t threads, const std::function<Worker()>& make_worker) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, worker = make_worker()] { Run(worker); });
    }
  }

  /// Work not yet begun is dropped; what is being worked on is waited for.
  ~OrderedWorkers() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    work_.NotifyAll();
  }
  OrderedWorkers(const OrderedWorkers&) = delete;
  OrderedWorkers& operator=(const OrderedWorkers&) = delete;

  void Submit(Input input) {
    {
      MutexLock lock(mutex_);
      slots_.push_back(Slot{std::move(input), std::nullopt});
    }
    work_.NotifyOne();
  }

  /// The output of the oldest input not yet taken, once it is there; nullopt if that isn't within
  /// `timeout`, or at once if nothing is in flight.
  std::optional<Output> TakeNext(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    MutexLock lock(mutex_);
    while (!slots_.empty() && !slots_.front().output.has_value()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return std::nullopt;
      done_.WaitFor(mutex_, left);
    }
    if (slots_.empty()) return std::nullopt;
    Output output = std::move(*slots_.front().output);
    slots_.pop_front();
    ++first_;
    return output;
  }

  /// Inputs submitted whose outputs were not yet taken.
  [[nodiscard]] std::size_t in_flight() const {
    MutexLock lock(mutex_);
    return slots_.size();
  }

 private:
  struct Slot {
    Input input;
    std::optional<Output> output;
  };

  void Run(const Worker& worker) {
    while (true) {
      std::size_t number = 0;
      std::optional<Input> input;
      {
        MutexLock lock(mutex_);
        while (!stopping_ && next_ == first_ + slots_.size()) work_.Wait(mutex_);
        if (stopping_) return;
        number = next_++;
        input.emplace(std::move(slots_[number - first_].input));
      }
      Output output = worker(std::move(*input));
      bool is_first = false;
      {
        MutexLock lock(mutex_);
        slots_[number - first_].output.emplace(std::move(output));
        is_first = number == first_;
      }
      if (is_first) done_.NotifyOne();
    }
  }

  mutable Mutex mutex_;
  CondVar work_;  ///< a slot was added
  CondVar done_;  ///< the oldest slot got its output
  std::deque<Slot> slots_ GUARDED_BY(mutex_);
  std::size_t first_ GUARDED_BY(mutex_) = 0;  ///< number of the oldest slot
  std::size_t next_ GUARDED_BY(mutex_) = 0;   ///< number of the next slot to work on
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // last: joined before what the threads use goes away
};

}  // namespace crawlsieve::consumer
