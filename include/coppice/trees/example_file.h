// Examples in a file that is mapped, not read: for data larger than memory.
//
// The file is a model file (base/model_file.h) of the task "examples", with the arrays of an
// ExampleView and the names of features and classes as sections, so training on it gives the same
// model as training on the examples in memory. While it is written, the bins pass through a second
// file beside it; memory holds 6 bytes an example (10
// with importances).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/trees/examples.h"
#include "coppice/trees/feature_table.h"

namespace coppice::trees {

class ExampleFileWriter {
 public:
  // Throws IoError when the file exists and may not be overwritten, or cannot be written.
  ExampleFileWriter(std::string path, Overwrite overwrite);
  ~ExampleFileWriter();
  ExampleFileWriter(const ExampleFileWriter&) = delete;
  ExampleFileWriter& operator=(const ExampleFileWriter&) = delete;

  // As ExampleTable::add.
  void add(std::span<const std::uint32_t> bins, std::uint16_t label, float importance);
  // Ends the file. Without it nothing is left behind.
  void commit(const FeatureTable& features, const std::vector<std::string>& labels);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ExampleFile {
 public:
  // Whether the file is one. What can be read only once (a pipe) is none.
  static bool is_one(const std::string& path);
  // Throws ModelError when it is none, or its parts do not fit together. Reads the file once.
  explicit ExampleFile(const std::string& path);

  const FeatureTable& features() const noexcept { return features_; }
  const std::vector<std::string>& labels() const noexcept { return labels_; }
  // Lives as long as this does, also when it is moved.
  ExampleView view() const noexcept { return view_; }

 private:
  void check() const;

  ModelFile file_;
  FeatureTable features_;
  std::vector<std::string> labels_;
  ExampleView view_;
};

// The names and cuts of a table as text, and back; for files. The second throws ModelError (E404)
// with `where`.
std::string to_text(const FeatureTable& features);
FeatureTable parse_feature_table(std::string_view text, const std::string& where);

}  // namespace coppice::trees
