#include "learn/sgd.h"

#include <cmath>
#include <limits>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/learn/checkpoint.h"

namespace coppice::learn {

namespace {

constexpr double kSmallestScale = 1e-6;  // below it float values would lose range

void check(const StochasticOptions& options) {
  require(options.step > 0 && std::isfinite(options.step), "stochastic steps: step ", options.step,
          " must be above 0");
  require(options.l1 >= 0 && options.l2 >= 0 && std::isfinite(options.l1 + options.l2),
          "stochastic steps: penalties must be finite and not negative, found l1 = ", options.l1,
          ", l2 = ", options.l2);
  require(options.examples >= 1, "stochastic steps: ", options.examples, " examples");
}

double decay_rate(const StochasticOptions& options) { return 2 * options.l2 / options.examples; }

void save_options(CheckpointWriter& out, const StochasticOptions& options) {
  for (double value : {options.step, options.l1, options.l2, options.examples}) out.value(value);
  out.value(static_cast<unsigned char>(options.averaging));
}

StochasticOptions load_options(CheckpointReader& in) {
  StochasticOptions options;
  for (double* value : {&options.step, &options.l1, &options.l2, &options.examples})
    *value = in.value<double>();
  options.averaging = in.value<unsigned char>() != 0;
  return options;
}

// Options that the constructor refuses were not written by save().
template <class Optimizer, class T>
Optimizer make(CheckpointReader& in, std::vector<T> weights, const StochasticOptions& options) {
  try {
    return Optimizer(std::move(weights), options);
  } catch (const InvalidArgument&) {
    in.check(false);
    throw;
  }
}

}  // namespace

template <class T>
Sgd<T>::Sgd(std::vector<T> weights, StochasticOptions options)
    : options_(options), values_(std::move(weights)) {
  check(options_);
  require(!options_.averaging || options_.l1 == 0, "sgd: averaging does not go with l1");
  require(decay_rate(options_) * options_.step < 0.5, "sgd: step ", options_.step,
          " is too long for l2 = ", options_.l2, " over ", options_.examples, " examples");
  if (options_.l1 > 0 || options_.averaging) extra_.resize(values_.size());
  prepare_step();
}

template <class T>
void Sgd<T>::prepare_step() noexcept {
  const double rate = decay_rate(options_);
  eta_ = options_.step / (1 + options_.step * rate * static_cast<double>(steps_));
  decay_ = 1 - eta_ * rate;
}

template <class T>
void Sgd<T>::finish() {
  scale_ *= decay_;
  scale_sum_ += scale_;
  owed_ += eta_ * options_.l1 / options_.examples;
  ++steps_;
  prepare_step();
  if (scale_ < kSmallestScale) renew_scale();
}

// Averages are sums of value * scale: dividing scale_sum_ by the old scale keeps them.
template <class T>
void Sgd<T>::renew_scale() {
  for (T& value : values_) value = static_cast<T>(static_cast<double>(value) * scale_);
  scale_sum_ /= scale_;
  scale_ = 1;
}

template <class T>
std::vector<T> Sgd<T>::weights() const {
  std::vector<T> all(size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = weight(i);
  return all;
}

template <class T>
std::vector<T> Sgd<T>::averaged_weights() const {
  require(options_.averaging, "sgd: made without averaging");
  if (steps_ == 0) return weights();
  std::vector<T> all(size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<T>(
        (static_cast<double>(values_[i]) * scale_sum_ + static_cast<double>(extra_[i])) /
        static_cast<double>(steps_));
  return all;
}

template <class T>
void Sgd<T>::save(std::ostream& out) const {
  CheckpointWriter writer(out, "coppice SGD 1\n");
  writer.value(sizeof(T));
  save_options(writer, options_);
  writer.vector(values_);
  writer.vector(extra_);
  for (double value : {scale_, scale_sum_, owed_}) writer.value(value);
  writer.value(steps_);
}

template <class T>
Sgd<T> Sgd<T>::load(std::istream& in) {
  CheckpointReader reader(in, "coppice SGD 1\n");
  reader.check(reader.value<std::size_t>() == sizeof(T));
  const StochasticOptions options = load_options(reader);
  auto sgd = make<Sgd>(reader, reader.vector<T>(), options);
  const std::size_t extra = sgd.extra_.size();
  sgd.extra_ = reader.vector<T>();
  reader.check(sgd.extra_.size() == extra);
  for (double* value : {&sgd.scale_, &sgd.scale_sum_, &sgd.owed_}) *value = reader.value<double>();
  sgd.steps_ = reader.value<std::uint64_t>();
  sgd.prepare_step();
  return sgd;
}

template <class T>
AdaGrad<T>::AdaGrad(std::vector<T> weights, StochasticOptions options, std::vector<T> squares)
    : options_(options), values_(std::move(weights)), squares_(std::move(squares)) {
  check(options_);
  require(!options_.averaging, "adagrad: has no averaging");
  require(squares_.empty() || squares_.size() == values_.size(), "adagrad: ", squares_.size(),
          " sums of squares for ", values_.size(), " weights");
  squares_.resize(values_.size());
  seen_.resize(values_.size());
}

template <class T>
void AdaGrad<T>::finish() {
  if (steps_ == std::numeric_limits<std::uint32_t>::max())
    throw Error("adagrad: too many steps", {.code = "E311"});
  ++steps_;
}

template <class T>
std::vector<T> AdaGrad<T>::weights() const {
  std::vector<T> all(size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = weight(i);
  return all;
}

template <class T>
void AdaGrad<T>::save(std::ostream& out) const {
  CheckpointWriter writer(out, "coppice AdaGrad 1\n");
  writer.value(sizeof(T));
  save_options(writer, options_);
  writer.vector(values_);
  writer.vector(squares_);
  writer.vector(seen_);
  writer.value(steps_);
}

template <class T>
AdaGrad<T> AdaGrad<T>::load(std::istream& in) {
  CheckpointReader reader(in, "coppice AdaGrad 1\n");
  reader.check(reader.value<std::size_t>() == sizeof(T));
  const StochasticOptions options = load_options(reader);
  auto adagrad = make<AdaGrad>(reader, reader.vector<T>(), options);
  adagrad.squares_ = reader.vector<T>();
  adagrad.seen_ = reader.vector<std::uint32_t>();
  adagrad.steps_ = reader.value<std::uint32_t>();
  reader.check(adagrad.squares_.size() == adagrad.size() && adagrad.seen_.size() == adagrad.size());
  return adagrad;
}

double calibrate_step(const std::function<double(double)>& trial, double first, unsigned tries) {
  require(first > 0 && tries > 0, "calibrate step: needs a step above 0 and a try");
  const auto value_at = [&](double step) {
    const double value = trial(step);
    return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
  };
  double best = first;
  double best_value = value_at(first);
  unsigned tried = 1;
  for (const double factor : {2.0, 0.5}) {
    if (best != first) break;  // longer steps helped
    for (double step = first * factor; tried < tries; step *= factor) {
      const double value = value_at(step);
      ++tried;
      // Shorter steps are tried until one is finite at all.
      if (value >= best_value && (factor > 1 || std::isfinite(best_value))) break;
      if (value < best_value) {
        best = step;
        best_value = value;
      }
    }
  }
  if (!std::isfinite(best_value))
    throw Error(
        concat("no step size gave a finite objective; the first tried was ", first),
        {.code = "E312", .help = "look for values in the data that are not finite or huge"});
  return best;
}

template class Sgd<float>;
template class Sgd<double>;
template class AdaGrad<float>;
template class AdaGrad<double>;

}  // namespace coppice::learn
