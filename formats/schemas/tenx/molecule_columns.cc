#include "formats/schemas/tenx/molecule_columns.h"

#include <algorithm>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs::tenx {
namespace {

constexpr uint64_t kListBlock = 64 * 1024;  // texts of a list that are cached together
constexpr uint64_t kScanned = 1 << 20;      // UMIs that are scanned together

// Calls use(n) for the integers n of any type. Throws damaged for a negative number. what: the numbers, for
// the message.
template <class Use>
void for_each_number(const DType& type, const Elements& elements, std::string_view what, Use&& use) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (const T value : elements.values<T>()) {
        if (value < 0) throw damaged("{} {} is negative", what, value);
        use(static_cast<uint64_t>(value));
      }
    } else {
      throw damaged("{} is {}, expected integers", what, type.name());
    }
  });
}

class PickedText : public DerivedArray {
 public:
  PickedText(ArrayPtr index, ArrayPtr list, std::string what, Context& context)
      : DerivedArray(std::move(index), text_type()),
        list_(std::move(list)),
        what_(std::move(what)),
        context_(context),
        cache_owner_(context.cache.new_owner()) {}

  void check() const override {
    DerivedArray::check();
    list_->check();
  }

 private:
  Elements derived(Elements index, const Box&) const override {
    const uint64_t length = list_->count();
    TextBuilder texts(index.count);
    std::string text;
    std::shared_ptr<const Elements> block;
    uint64_t block_number = 0;
    for_each_number(values().dtype(), index, what_, [&](uint64_t at) {
      if (at >= length) throw damaged("{} {} is not below {}", what_, at, length);
      if (!block || at / kListBlock != block_number) {
        block_number = at / kListBlock;
        block = load(block_number);
      }
      text.clear();
      append_plain(list_->dtype(), *block, at % kListBlock, text);
      texts.add(text);
    });
    return texts.finish();
  }

  std::shared_ptr<const Elements> load(uint64_t block) const {
    return context_.cache.get<Elements>({cache_owner_, block}, [&] {
      const uint64_t first = block * kListBlock;
      return list_->read(range(first, std::min(kListBlock, list_->count() - first)));
    });
  }

  const ArrayPtr list_;
  const std::string what_;
  Context& context_;
  const uint64_t cache_owner_;
};

class BarcodesWithWells : public DerivedArray {
 public:
  BarcodesWithWells(ArrayPtr barcodes, ArrayPtr wells)
      : DerivedArray(std::move(barcodes), text_type()), wells_(std::move(wells)) {}

  void check() const override {
    DerivedArray::check();
    wells_->check();
    if (wells_->count() != count())
      throw damaged("gem_group has {} values for {} molecules", wells_->count(), count());
  }
  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  void release(const Box& box) const override {
    DerivedArray::release(box);
    wells_->release(box);
  }

 private:
  Elements derived(Elements barcodes, const Box& box) const override {
    const Elements wells = wells_->read(box);
    TextBuilder texts(barcodes.count);
    std::string text;
    for (uint64_t i = 0; i < barcodes.count; ++i) {
      text = barcodes.text(i);
      text += '-';
      append_plain(wells_->dtype(), wells, i, text);
      texts.add(text);
    }
    return texts.finish();
  }

  const ArrayPtr wells_;
};

class Bases : public DerivedArray {
 public:
  Bases(ArrayPtr umis, Context& context) : DerivedArray(std::move(umis), text_type()), context_(context) {}

 private:
  Elements derived(Elements umis, const Box&) const override {
    const uint32_t bases = bases_each();
    TextBuilder texts(umis.count);
    std::string text(bases, 'A');
    for_each_number(values().dtype(), umis, "umi", [&](uint64_t umi) {
      for (size_t i = bases; i-- > 0; umi >>= 2) text[i] = "ACGT"[umi & 3];
      texts.add(text);
    });
    return texts.finish();
  }

  static constexpr uint64_t values_of(uint32_t bases) { return uint64_t{1} << (2 * bases); }

  uint32_t bases_each() const {
    return bases_.get([this] { return scan(); });
  }

  // Returns the number of bases by scanning the array. Throws damaged if a number has more than 16 bases.
  uint32_t scan() const {
    const uint64_t count = values().count();
    std::vector<uint64_t> most(divide_up(count, kScanned));
    context_.workers.parallel_for(most.size(), [&](size_t part) {
      const uint64_t first = part * kScanned;
      const Elements umis = values().read(range(first, std::min(kScanned, count - first)));
      for_each_number(values().dtype(), umis, "umi",
                      [&](uint64_t umi) { most[part] = std::max(most[part], umi); });
    });
    const uint64_t largest = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
    if (largest >= values_of(16)) throw damaged("umi {} has more than 16 bases", largest);
    return largest < values_of(10) ? 10 : largest < values_of(12) ? 12 : 16;
  }

  Context& context_;
  Lazy<uint32_t> bases_;
};

}  // namespace

ArrayPtr picked_text(ArrayPtr index, ArrayPtr list, std::string what, Context& context) {
  return std::make_shared<PickedText>(std::move(index), std::move(list), std::move(what), context);
}

ArrayPtr barcodes_with_wells(ArrayPtr barcodes, ArrayPtr wells) {
  return std::make_shared<BarcodesWithWells>(std::move(barcodes), std::move(wells));
}

ArrayPtr bases_of(ArrayPtr umis, Context& context) {
  return std::make_shared<Bases>(std::move(umis), context);
}

}  // namespace plainfs::tenx
