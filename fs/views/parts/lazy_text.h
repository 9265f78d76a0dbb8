// A text that creates its source on first use. Only then is anything read for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "fs/text/text_file.h"

namespace plainfs {

class LazyText : public TextSource {
 public:
  // version: see TextSource::version.
  LazyText(std::string version, std::function<std::unique_ptr<TextSource>()> make)
      : version_(std::move(version)), make_(std::move(make)) {}

  void prepare() override {
    if (!text_) text_ = make_();
    text_->prepare();
  }
  std::string head() const override { return text_->head(); }
  std::string version() const override { return version_; }
  uint64_t division() const override { return text_->division(); }
  uint64_t block_count() const override { return text_->block_count(); }
  uint64_t measure(uint64_t block) const override { return text_->measure(block); }
  void format(uint64_t block, ByteSink& out) const override { text_->format(block, out); }
  bool should_cache(uint64_t block) const override { return text_->should_cache(block); }

 private:
  const std::string version_;
  const std::function<std::unique_ptr<TextSource>()> make_;
  std::unique_ptr<TextSource> text_;  // created by the first prepare(), while no other call runs
};

}  // namespace plainfs
