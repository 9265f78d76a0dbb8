#include "fs/serve/answering.h"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "cache/request.h"
#include "formats/core/model/arrays/nested_array.h"
#include "tests/support/sample_arrays.h"
#include "tests/unit/serve/served.h"

namespace plainfs::serve {
namespace {

std::vector<int32_t> many(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

BOOST_FIXTURE_TEST_SUITE(answering, Served)

BOOST_AUTO_TEST_CASE(a_file_is_its_bytes) {
  root->add_array("a", {10, 20, 30});
  const Answer answer = get("a.csv");
  BOOST_TEST(answer.status == 200);
  BOOST_TEST(answer.body == "10\n20\n30\n");
  BOOST_TEST(answer.field("Content-Length") == "9");
  BOOST_TEST(answer.field("Content-Type") == "text/csv; charset=utf-8");
  BOOST_TEST(answer.field("Accept-Ranges") == "bytes");
  BOOST_TEST(answer.field("Cache-Control") == "no-cache");
  BOOST_TEST(answer.is_kept);
  BOOST_TEST(get("a.npy").body == read("a.npy"));
}

BOOST_AUTO_TEST_CASE(head_request_has_the_header_of_the_file) {
  root->add_array("a", {10, 20, 30});
  const Answer head = ask("HEAD /token/a.csv HTTP/1.1\nRange: bytes=0-1"), whole = get("a.csv");
  BOOST_TEST(head.status == 200);
  BOOST_TEST(head.body == "");
  for (const char* const name :
       {"Content-Length", "ETag", "Content-Type", "Last-Modified", "Accept-Ranges"}) {
    BOOST_TEST(head.field(name) == whole.field(name));
    BOOST_TEST(head.field(name) != "");
  }
  BOOST_TEST(ask("HEAD /token/ HTTP/1.1").body == "");
  BOOST_TEST(ask("HEAD /token/none HTTP/1.1").status == 404);
}

BOOST_AUTO_TEST_CASE(range_gives_those_bytes) {
  root->add_array("a", {10, 20, 30});
  const Answer answer = get("a.csv", "Range: bytes=3-4");
  BOOST_TEST(answer.status == 206);
  BOOST_TEST(answer.body == "20");
  BOOST_TEST(answer.field("Content-Range") == "bytes 3-4/9");
  BOOST_TEST(get("a.csv", "Range: bytes=-2").body == "0\n");
  const Answer behind = get("a.csv", "Range: bytes=9-");
  BOOST_TEST(behind.status == 416);
  BOOST_TEST(behind.field("Content-Range") == "bytes */9");
  BOOST_TEST(get("a.csv", "Range: lines=1").status == 200);
  BOOST_TEST(get("a.csv", "Range: bytes=0-1\nRange: bytes=0-1").status == 200);
}

BOOST_AUTO_TEST_CASE(several_ranges_are_parts_with_their_places) {
  root->add_array("a", {10, 20, 30});
  const Answer answer = get("a.csv", "Range: bytes=0-1,6-");
  BOOST_TEST(answer.status == 206);
  BOOST_TEST(answer.field("Content-Type") == "multipart/byteranges; boundary=0123456789abcdef");
  BOOST_TEST(answer.body ==
             "--0123456789abcdef\r\nContent-Type: text/csv; charset=utf-8\r\nContent-Range: bytes "
             "0-1/9\r\n\r\n10\r\n"
             "--0123456789abcdef\r\nContent-Type: text/csv; charset=utf-8\r\nContent-Range: bytes "
             "6-8/9\r\n\r\n30\n\r\n"
             "--0123456789abcdef--\r\n");
  BOOST_TEST(answer.field("Content-Length") == std::to_string(answer.body.size()));
}

BOOST_AUTO_TEST_CASE(matching_etag_gives_304) {
  root->add_array("a", {10, 20, 30}).add_array("b", {10, 20, 30});
  const std::string tag = get("a.csv").field("ETag");
  const Answer same = get("a.csv", "If-None-Match: " + tag);
  BOOST_TEST(same.status == 304);
  BOOST_TEST(same.body == "");
  BOOST_TEST(same.field("ETag") == tag);
  BOOST_TEST(get("a.csv", "If-None-Match: " + tag + "\nRange: bytes=0-1").status == 304);
  BOOST_TEST(get("b.csv", "If-None-Match: " + tag).status == 200);
  BOOST_TEST(get("a.csv", "If-Range: " + tag + "\nRange: bytes=0-1").status == 206);
  BOOST_TEST(get("b.csv", "If-Range: " + tag + "\nRange: bytes=0-1").body == "10\n20\n30\n");
  BOOST_TEST(get("a.csv", "If-Match: " + tag).status == 200);
  BOOST_TEST(get("b.csv", "If-Match: " + tag).status == 412);
}

BOOST_AUTO_TEST_CASE(a_text_begins_before_its_size_is_known) {
  root->add_array("a", many(200'000));
  const Answer whole = get("a.csv");
  BOOST_TEST(whole.is_chunked());
  BOOST_TEST(whole.field("Content-Length") == "");
  BOOST_TEST((whole.body == read("a.csv")));
  const Answer again = get("a.csv");
  BOOST_TEST(!again.is_chunked());
  BOOST_TEST((again.body == whole.body));
  BOOST_TEST(again.field("ETag") == whole.field("ETag"));
}

BOOST_AUTO_TEST_CASE(text_is_saved_on_the_first_request_as_on_the_next) {
  const auto add_matrix = [&](const std::string& name, size_t entries) {
    CoordinateMatrix matrix;
    matrix.rows = matrix.columns = entries;
    matrix.row = matrix.column = matrix.value = plainfs::numbers<int32_t>(many(entries));
    root->add(name, {matrix, nullptr, {}, {}});
  };
  add_matrix("large", 20'000);
  add_matrix("small", 10);
  const Answer first = get("large/matrix.mtx"), next = get("large/matrix.mtx");
  BOOST_TEST((first.is_chunked() && !next.is_chunked()));
  BOOST_TEST(first.body.size() > 65536U);
  BOOST_TEST(first.field("Content-Disposition") == "attachment");
  BOOST_TEST(next.field("Content-Disposition") == "attachment");
  BOOST_TEST(get("small/matrix.mtx").field("Content-Disposition") == "");
}

BOOST_AUTO_TEST_CASE(without_chunked_coding_the_length_is_sent) {
  root->add_array("a", many(200'000)).add_array("b", many(200'000));
  const Answer old = ask("GET /token/a.csv HTTP/1.0");
  BOOST_TEST(old.field("Content-Length") == std::to_string(old.body.size()));
  BOOST_TEST((old.body == read("a.csv")));
  const Answer part = get("b.csv", "Range: bytes=-5");
  BOOST_TEST(part.body == "9999\n");
  BOOST_TEST(part.field("Content-Range") == "bytes 1288885-1288889/1288890");
}

BOOST_AUTO_TEST_CASE(links_lead_to_the_same_targets_as_in_a_mount) {
  root->add_group("g")->add_array("a", {1, 2});
  root->add_link("file", {"g", "a"}).add_link("folder", {"g"});
  BOOST_TEST(get("file.csv").body == "1\n2\n");
  BOOST_TEST(get("folder/a.csv").body == "1\n2\n");
  // A folder has one path, so that a client following links does not loop.
  const Answer folder = get("folder/");
  BOOST_TEST(folder.status == 302);
  BOOST_TEST(folder.field("Location") == "../g/");
  const Answer plain = get("g?json");
  BOOST_TEST(plain.status == 301);
  BOOST_TEST(plain.field("Location") == "g/?json");
  BOOST_TEST(get("g/").status == 200);
}

BOOST_AUTO_TEST_CASE(only_an_absent_path_is_404) {
  root->add_array("a", {1});
  Node broken;
  broken.content = damaged("/nowhere/store.h5: a chunk has 3 bytes");
  root->add("broken", broken);
  for (const char* const path :
       {"none", "a.csv/", "a.csv/x", "none/", ".plainfs/", ".plainfs/info.json", ".plainfs/log"})
    BOOST_TEST(get(path).status == 404, path);
  BOOST_TEST(get("../a.csv").status == 400);
  BOOST_TEST(get("%2e%2e/a.csv").status == 400);
}

BOOST_AUTO_TEST_CASE(error_reply_names_no_local_folder) {
  root->add_array("a", {1});
  root->break_with(damaged("/nowhere/store.h5: a chunk has 3 bytes"));
  const Answer answer = get("");
  BOOST_TEST(answer.status == 500);
  BOOST_TEST(answer.body == "store.h5: a chunk has 3 bytes\n");
  root->break_with(unsupported("a codec that nobody knows"));
  BOOST_TEST(get("").status == 501);
  root->break_with(std::nullopt);
  BOOST_TEST(get("").status == 200);
}

BOOST_AUTO_TEST_CASE(failure_after_the_header_breaks_the_reply) {
  root->add("a", {LabelledArray{std::make_shared<HalfArray>(1'000'000), nullptr, nullptr}, nullptr, {}, {}});
  for (const char* const request :
       {"GET /token/a.npy HTTP/1.1", "GET /token/a.csv HTTP/1.1", "GET /token/a.npy HTTP/1.0"})
    BOOST_CHECK_THROW(ask(request), Broken);
  // Before the header it is an ordinary error, as for requests that need the length first.
  for (const char* const request : {"HEAD /token/a.csv HTTP/1.1", "GET /token/a.csv HTTP/1.0"})
    BOOST_TEST(ask(request).status == 500, request);
  BOOST_TEST(get("a.csv", "Range: bytes=0-9").body == "store.h5: half of it is gone\n");
}

BOOST_AUTO_TEST_CASE(requests_without_the_token_are_refused) {
  root->add_array("a", {1});
  for (const char* const path :
       {"/", "/a.csv", "/toke/a.csv", "/token1/a.csv", "/TOKEN/a.csv", "/x/token/a.csv", "/favicon.ico"}) {
    const Answer answer = ask(std::string("GET ") + path + " HTTP/1.1");
    BOOST_TEST(answer.status == 404, path);
    BOOST_TEST(answer.body == "nothing here: the address is incomplete\n");
  }
}

BOOST_AUTO_TEST_CASE(other_hosts_are_refused) {
  root->add_array("a", {1});
  const auto status = [&](const std::string& host) {
    return ask_as_it_is("GET /token/a.csv HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  BOOST_TEST(status("127.0.0.1:8080") == 200);
  BOOST_TEST(status("data.example") == 200);
  BOOST_TEST(status("evil.example") == 421);
  BOOST_TEST(status("") == 421);
  BOOST_TEST(ask("GET http://evil.example/token/a.csv HTTP/1.1").status == 421);
  BOOST_TEST(ask_as_it_is("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 421);
  BOOST_TEST(ask_as_it_is("GET /token/a.csv HTTP/1.0\r\n\r\n").status == 200);
}

BOOST_AUTO_TEST_CASE(nothing_is_written) {
  root->add_array("a", {1});
  for (const char* const method :
       {"PUT", "POST", "DELETE", "MKCOL", "MOVE", "COPY", "PROPPATCH", "LOCK", "TRACE", "CONNECT", "X"}) {
    const Answer answer = ask(std::string(method) + " /token/a.csv HTTP/1.1");
    BOOST_TEST(answer.status == 405, method);
    BOOST_TEST(answer.field("Allow") == "GET, HEAD, OPTIONS, PROPFIND");
  }
}

BOOST_AUTO_TEST_CASE(viewers_of_the_list_may_read_and_others_may_not) {
  root->add_array("a", {1});
  for (const char* const path : {"a.csv", "none", ""}) {
    const Answer answer = get(path, "Origin: https://viewer.example");
    BOOST_TEST(answer.field("Access-Control-Allow-Origin") == "https://viewer.example");
    BOOST_TEST(answer.field("Access-Control-Expose-Headers").find("Content-Range") != std::string::npos);
    BOOST_TEST(answer.field("Vary").find("Origin") != std::string::npos);
  }
  BOOST_TEST(get("a.csv", "Origin: https://evil.example").field("Access-Control-Allow-Origin") == "");
  const Answer before = ask(
      "OPTIONS /token/a.csv HTTP/1.1\nOrigin: https://viewer.example\nAccess-Control-Request-Method: GET");
  BOOST_TEST(before.status == 200);
  BOOST_TEST(before.field("Access-Control-Allow-Headers").find("Range") != std::string::npos);
  BOOST_TEST(before.field("Access-Control-Max-Age") == "86400");
}

// A text placed in a store is not a page of this server.
BOOST_AUTO_TEST_CASE(files_run_nothing) {
  root->add_text("a", {"<script>alert(1)</script>"});
  const Answer answer = get("a.csv", "Accept: text/html");
  BOOST_TEST(answer.field("Content-Security-Policy") == "sandbox; default-src 'none'");
  BOOST_TEST(answer.field("X-Content-Type-Options") == "nosniff");
  BOOST_TEST(answer.field("Content-Type").find("html") == std::string::npos);
  BOOST_TEST(answer.field("Referrer-Policy") == "no-referrer");
}

BOOST_AUTO_TEST_CASE(a_page_runs_nothing_and_shows_names_as_text) {
  root->add_array("<img src=x onerror=alert(1)>", {1}).add_array("a\"b&c", {1}).add_array("x\x1b[2J\n", {1});
  const Answer page = get("", "Accept: text/html");
  BOOST_TEST(page.field("Content-Security-Policy").find("default-src 'none'; style-src 'sha256-") == 0U);
  BOOST_TEST(page.body.find("<img") == std::string::npos);
  BOOST_TEST(page.body.find("<script") == std::string::npos);
  BOOST_TEST(page.body.find("&lt;img src=x onerror=alert(1)&gt;.csv") != std::string::npos);
  BOOST_TEST(page.body.find("href=\"%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E.csv\"") !=
             std::string::npos);
  BOOST_TEST(page.body.find("a&quot;b&amp;c.csv") != std::string::npos);
  BOOST_TEST(page.body.find('\x1b') == std::string::npos);
  BOOST_TEST(page.body.find("nowhere") == std::string::npos);  // the folder on this machine
  BOOST_TEST(get("a%22b%26c.csv").body == "1\n");
}

BOOST_AUTO_TEST_CASE(a_folder_is_a_list_for_programs) {
  root->add_group("g");
  root->add_array("a", {1}).add_link("gone", {"nothing"}).add_link("to", {"g"});
  const Answer list = get("");
  BOOST_TEST(list.field("Content-Type") == "text/html; charset=utf-8");
  std::vector<std::string> links;
  for (size_t at = 0; (at = list.body.find("href=\"", at)) != std::string::npos;) {
    at += 6;
    links.push_back(list.body.substr(at, list.body.find('"', at) - at));
  }
  const std::vector<std::string> wanted{"a.csv", "a.npy", "g/", "to/"};
  BOOST_TEST(links == wanted, boost::test_tools::per_element());
  BOOST_TEST(get("?page").body.find("<style>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(folder_is_json_if_accepted) {
  root->add_group("g");
  root->add_array("a", many(200'000));
  const Answer answer = get("", "Accept: application/json");
  BOOST_TEST(answer.field("Content-Type") == "application/json");
  BOOST_TEST(answer.body == get("?json").body);
  const Json json = parse_json(answer.body);
  const Json::List& entries = *json.find("entries")->list();
  BOOST_REQUIRE(entries.size() == 3U);
  BOOST_TEST(*entries[0].find("name")->text() == "a.csv");
  BOOST_TEST(entries[0].find("size")->is_null());  // no request waits for a pass
  BOOST_TEST(*entries[1].find("size")->as_uint64() == read("a.npy").size());
  BOOST_TEST(*entries[2].find("href")->text() == "g/");
  BOOST_TEST(*entries[2].find("kind")->text() == "folder");
}

BOOST_AUTO_TEST_CASE(several_stores_are_folders_of_other_names) {
  has_second = true;
  root->add_array("a", {1});
  second->add_array("b", {2});
  BOOST_TEST(get("store.h5/a.csv").body == "1\n");
  BOOST_TEST(get("store.h5-2/b.csv").body == "2\n");
  BOOST_TEST(get("store.h5/b.csv").status == 404);
  BOOST_TEST(get("a.csv").status == 404);
  BOOST_TEST(get("store.h5/.plainfs/log").status == 404);
  BOOST_TEST(get("").body.find("href=\"store.h5-2/\"") != std::string::npos);
  BOOST_TEST(get("store.h5/a.csv").field("ETag") != get("store.h5-2/b.csv").field("ETag"));
}

BOOST_AUTO_TEST_CASE(disconnected_client_ends_the_reply) {
  root->add_array("a", many(1'000'000));
  BOOST_CHECK_THROW(ask("GET /token/a.npy HTTP/1.1", 100'000), Lost);
}

BOOST_AUTO_TEST_CASE(nothing_is_measured_for_a_client_that_left) {
  root->add_array("a", many(1'000'000));
  struct : plainfs::Request {
    bool cancelled() const override { return true; }
  } left;
  const plainfs::Request::Scope scope(&left);
  BOOST_CHECK_THROW(ask("HEAD /token/a.csv HTTP/1.1"), Lost);
  BOOST_TEST(!filesystem->status_so_far(filesystem->resolve("a.csv")).is_whole);
}

BOOST_AUTO_TEST_CASE(connections_close_as_requested) {
  root->add_array("a", {1});
  BOOST_TEST(!get("a.csv", "Connection: close").is_kept);
  BOOST_TEST(get("a.csv", "Connection: close").field("Connection") == "close");
  BOOST_TEST(!ask("GET /token/a.csv HTTP/1.0").is_kept);
  BOOST_TEST(ask("GET /token/a.csv HTTP/1.0\nConnection: keep-alive").field("Connection") == "keep-alive");
}

BOOST_AUTO_TEST_CASE(without_a_token_every_path_is_answered) {
  settings.token = "";
  root->add_array("a", {1, 2});
  BOOST_TEST(ask("GET /a.csv HTTP/1.1").body == "1\n2\n");
  BOOST_TEST(ask("GET / HTTP/1.1").status == 200);
  BOOST_TEST(ask("GET /token/a.csv HTTP/1.1").status == 404);
  const Answer page = ask("GET /a?page HTTP/1.1\nAccept: text/html");
  BOOST_TEST(page.body.find("http://127.0.0.1/a.csv") != std::string::npos);
  BOOST_TEST(ask("PROPFIND / HTTP/1.1\nDepth: 1").body.find("<D:href>/a.csv</D:href>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(base_precedes_every_address) {
  settings.base = "/lab/one";
  root->add_array("a", {1, 2});
  for (const char* const path : {"/token/a?page", "/lab/one/token/a?page"}) {
    const Answer page = ask(std::string("GET ") + path + " HTTP/1.1\nAccept: text/html");
    BOOST_TEST(page.status == 200, path);
    BOOST_TEST(page.body.find("http://127.0.0.1/lab/one/token/a.csv") != std::string::npos, path);
  }
  BOOST_TEST(ask("GET /lab/token/a.csv HTTP/1.1").status == 404);
}

BOOST_AUTO_TEST_CASE(a_proxy_names_the_base_itself) {
  root->add_array("a", {1, 2});
  const auto page = [&](const std::string& prefix) {
    return get("a?page", "Accept: text/html\nX-Forwarded-Prefix: " + prefix).body;
  };
  BOOST_TEST(page("/user/me").find("http://127.0.0.1/user/me/token/a.csv") != std::string::npos);
  for (const char* const bad : {"lab", "/lab/", "//evil.example", "/../x", "/a\"b", "/<script>"})
    BOOST_TEST(page(bad).find("http://127.0.0.1/token/a.csv") != std::string::npos, bad);
}

BOOST_AUTO_TEST_CASE(page_of_a_large_array_waits_for_its_share) {
  settings.work = std::make_shared<WorkBudget>(1000, std::chrono::milliseconds(0));
  root->add_array("large", many(200'000)).add_array("small", many(2000));
  {
    const WorkBudget::Share all = settings.work->take(1000);
    const Answer busy = get("large?page", "Accept: text/html");
    BOOST_TEST(busy.status == 503);
    BOOST_TEST(busy.field("Retry-After") != "");
    BOOST_TEST(get("small?page", "Accept: text/html").status == 200);
  }
  BOOST_TEST(get("large?page", "Accept: text/html").status == 200);
}

BOOST_AUTO_TEST_CASE(page_of_many_spikes_waits_for_its_share) {
  settings.work = std::make_shared<WorkBudget>(1000, std::chrono::milliseconds(0));
  const auto units = [](uint64_t count) {
    const RowElements spikes{nullptr, plainfs::numbers(many(count)), {plainfs::numbers<uint64_t>({count})}};
    Table table;
    table.rows = 1;
    table.columns = {{"spike_times", std::make_shared<NestedArray>(spikes)}};
    return Node{table, nullptr, {}, {}};
  };
  root->add("large", units(200'000));
  root->add("small", units(2000));
  {
    const WorkBudget::Share all = settings.work->take(1000);
    BOOST_TEST(get("large?page", "Accept: text/html").status == 503);
    BOOST_TEST(get("small?page", "Accept: text/html").status == 200);
  }
  BOOST_TEST(get("large?page", "Accept: text/html").body.find("Spikes of 1 unit") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
