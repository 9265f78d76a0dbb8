#include "fs/serve/site/generated_file.h"

#include <vector>

#include "formats/core/text/percent.h"
#include "fs/serve/site/file_answer.h"

namespace plainfs::serve {

std::shared_ptr<ViewFile> generated_file(const FileForm& form, const Node& node, Context& context) {
  for (const FileRow& row : file_rows()) {
    if (&row.form != &form) continue;
    std::vector<ViewEntry> files;
    row.offer(row, node, context, files);
    if (!files.empty()) return files[0].open();
  }
  return nullptr;
}

void answer_generated_file(const Exchange& exchange, ViewFile& file, const FileForm& form,
                           const std::string& name) {
  exchange.reply.add("Content-Type", form.media);
  exchange.reply.add("Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(name));
  exchange.reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
  exchange.reply.add("Cache-Control", "no-cache");
  send_view(exchange, file);
}

}  // namespace plainfs::serve
