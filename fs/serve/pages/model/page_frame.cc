#include "fs/serve/pages/model/page_frame.h"

#include <fmt/format.h>

#include "formats/core/base/bytes.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/text/base64.h"
#include "formats/core/text/printable.h"
#include "fs/info.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/html_table.h"
#include "fs/serve/pages/model/page_style.h"
#include "fs/serve/site/script_answer.h"

namespace plainfs::serve {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";

// The policy of each page allows the style by its hash, so that nothing else on the page can act as a style.
const std::string& style_hash() {
  static const std::string hash = [] {
    const remote::Digest digest = remote::sha256(kPageStyle);
    return "sha256-" + encode_base64(digest);
  }();
  return hash;
}

// Returns links to the folders above. For a file's page, the last one is the folder that contains it.
std::string path_html(const Exchange& exchange, bool is_folder, size_t known) {
  std::string html;
  const size_t count = exchange.names.size();
  for (size_t i = 0; i <= count; ++i) {
    const std::string name = i == 0 ? "top" : printable(exchange.names[i - 1]);
    if (i == count) {
      html += fmt::format("<li><span aria-current=\"page\">{}</span></li>", escaped(name));
      break;
    }
    if (i > known) {
      html += fmt::format("<li>{}</li>", escaped(name));
      continue;
    }
    const size_t up = count - i - (is_folder ? 0 : 1);
    std::string href;
    for (size_t j = 0; j < up; ++j) href += "../";
    html += fmt::format("<li>{}</li>", link(href.empty() ? "./" : href, escaped(name)));
  }
  return html;
}

// The beginning of a page, and the policy that belongs to it.
struct Head {
  std::string html;
  std::string policy;
};

Head head_of(const Exchange& exchange, const Page& page) {
  const std::string title = shown_text(page.title);
  // A word of this reply alone allows the script: files of a store have the same origin.
  const std::string word = page.has_script && exchange.settings.random ? exchange.settings.random() : "";
  const std::string script = word.empty() ? ""
                                          : fmt::format("<script src=\"{}\" nonce=\"{}\" defer></script>",
                                                        escaped(script_href(exchange)), word);
  Head head;
  head.html = fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>{}{} · plainfs</title><link rel=\"icon\" href=\"data:,\"><style>{}</style>{}</head>\n"
      "<body><a class=\"skip\" href=\"#in\">Skip to the contents</a>"
      "<header><nav aria-label=\"Path\"><ol>{}</ol></nav><h1>{}</h1><p class=\"sub\">{}</p></header>\n"
      "<main id=\"in\">",
      page.shown.empty() ? "" : shown_text(page.shown) + " · ", title, kPageStyle, script,
      path_html(exchange, exchange.target.is_folder, page.known_names), title, shown_text(page.sub));
  head.policy = fmt::format(
      "default-src 'none'; style-src '{}'; img-src 'self' data:; base-uri 'none'; "
      "form-action 'self'; frame-ancestors 'none'{}",
      style_hash(), word.empty() ? "" : fmt::format("; script-src 'nonce-{}'; connect-src 'self'", word));
  return head;
}

std::string footer_of(const Exchange& exchange, const Page& page) {
  return fmt::format("<footer>plainfs {} · read-only{}</footer></body></html>\n", escaped(version_text()),
                     page.has_json ? fmt::format(" · <a href=\"?json\">this page as JSON</a>{}",
                                                 exchange.target.is_folder
                                                     ? " · <a href=\"?plain\">as a plain list</a> · WebDAV "
                                                       "at this address"
                                                     : "")
                                   : std::string());
}

}  // namespace

void answer_page(const Exchange& exchange, const Page& page) {
  const std::string rest = page.body + "</main>\n" + footer_of(exchange, page);
  if (exchange.reply.has_begun()) {
    exchange.reply.write(rest);
    return exchange.reply.finish();
  }
  const Head head = head_of(exchange, page);
  exchange.reply.add("Content-Security-Policy", head.policy);
  exchange.reply.add("Cache-Control", page.status == 200 ? "no-cache" : "no-store");
  exchange.reply.whole(page.status, kHtml, head.html + rest);
}

void begin_page(const Exchange& exchange, const Page& page) {
  const Head head = head_of(exchange, page);
  exchange.reply.add("Content-Security-Policy", head.policy);
  exchange.reply.add("Cache-Control", "no-store");
  exchange.reply.add("X-Accel-Buffering", "no");  // nginx would send the whole at the end
  exchange.reply.add("Content-Type", kHtml);
  exchange.reply.begin_chunked(200);
  exchange.reply.write(head.html);
}

void add_progress(const Exchange& exchange, std::string_view text) {
  exchange.reply.write(fmt::format("<p class=\"progress\">{}</p>\n", escaped(text)));
}

}  // namespace plainfs::serve
