#include "fs/serve/page.h"

#include <fmt/format.h>

#include "formats/core/text/printable.h"
#include "fs/info.h"
#include "fs/serve/page_style.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

// The folders above, each a link. Of a file's page the folder it lies in is the last of them.
std::string path_html(const Asked& asked, bool is_folder) {
  std::string html;
  const size_t count = asked.names.size();
  for (size_t i = 0; i <= count; ++i) {
    const std::string name = i == 0 ? "top" : printable(asked.names[i - 1]);
    if (i == count) {
      html += fmt::format("<li><span aria-current=\"page\">{}</span></li>", escaped(name));
      break;
    }
    const size_t up = count - i - (is_folder ? 0 : 1);
    std::string way;
    for (size_t j = 0; j < up; ++j) way += "../";
    html += fmt::format("<li><a href=\"{}\">{}</a></li>", way.empty() ? "./" : way, escaped(name));
  }
  return html;
}

}  // namespace

void answer_page(const Asked& asked, const Page& page) {
  const std::string title = escaped(printable(page.title));
  std::string html = fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>{} · plainfs</title><link rel=\"icon\" href=\"data:,\"><style>{}</style></head>\n"
      "<body><a class=\"skip\" href=\"#in\">Skip to the contents</a>"
      "<header><nav aria-label=\"Path\"><ol>{}</ol></nav><h1>{}</h1><p class=\"sub\">{}</p></header>\n"
      "<main id=\"in\">{}</main>\n",
      title, kPageStyle, path_html(asked, asked.target.is_folder), title, escaped(printable(page.sub)),
      page.body);
  html += fmt::format("<footer>plainfs {} · read-only{}</footer></body></html>\n", escaped(version_text()),
                      page.has_json ? fmt::format(" · <a href=\"?json\">this page as JSON</a>{}",
                                                  asked.target.is_folder
                                                      ? " · <a href=\"?plain\">as a plain list</a> · WebDAV "
                                                        "at this address"
                                                      : "")
                                    : std::string());
  asked.reply.add("Content-Security-Policy",
                  fmt::format("default-src 'none'; style-src '{}'; img-src 'self' data:; base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'",
                              kPageStyleHash));
  asked.reply.add("Cache-Control", "no-cache");
  asked.reply.whole(200, "text/html; charset=utf-8", html);
}

std::string address_of(const Asked& asked, const std::vector<std::string>& names, bool is_folder) {
  const std::string host = asked.target.host.empty() ? asked.request.field("Host") : asked.target.host;
  // Said by a proxy in front, which speaks TLS with the client.
  const bool is_secure = asked.request.field("X-Forwarded-Proto") == "https";
  return fmt::format("{}://{}{}", is_secure ? "https" : "http", host.empty() ? "localhost" : host,
                     asked.href(names, is_folder));
}

}  // namespace plainfs::serve
