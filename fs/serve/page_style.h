// How pages look: light and dark, wide and narrow. The policy of each page names the style by its hash, so
// that nothing else in it can be one; a test computes the hash anew.
#pragma once

#include <string_view>

namespace plainfs::serve {

inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#5a6370;--line:#d9dee4;--card:#f6f8fa;--link:#0b57b7;--mark:#e8f0fb;--r:.5rem}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e7eaee;--soft:#a3adb9;--line:#30363d;--card:#1c2127;--link:#7db4ff;--mark:#1d2b40}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:76rem;margin:auto;padding:0 1.25rem}
header{padding-top:1rem}
a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.15em}
a:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99em}
.skip:focus{left:1rem;background:var(--bg);padding:.4rem}
nav ol{display:flex;flex-wrap:wrap;gap:.15rem;list-style:none;margin:0;padding:0;color:var(--soft);font-size:.9rem}
nav li+li:before{content:"/";margin-right:.15rem}
h1{font-size:1.6rem;line-height:1.2;margin:.35rem 0 .15rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
.sub{color:var(--soft);margin:0;overflow-wrap:anywhere}
.wrap{overflow-x:auto;border:1px solid var(--line);border-radius:var(--r)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);font-size:.85rem;padding:.5rem .75rem}
th,td{text-align:left;padding:.42rem .75rem;border-top:1px solid var(--line);vertical-align:baseline}
thead th{border-top:0;color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap}
tbody th{font-weight:600}
.first thead th{border-top:1px solid var(--line)}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.na{color:var(--soft);font-style:italic}
tbody tr:hover{background:var(--mark)}
.first td,.first th{white-space:nowrap;max-width:18rem;overflow:hidden;text-overflow:ellipsis}
.first tbody th{position:sticky;left:0;background:var(--bg)}
.kind{white-space:nowrap;color:var(--soft)}
pre{margin:0;padding:.7rem .8rem;background:var(--card);border:1px solid var(--line);border-radius:var(--r);overflow-x:auto;font:.85rem/1.5 ui-monospace,"DejaVu Sans Mono",monospace}
.cmd{margin:0 0 .6rem}
.cmd b{display:block;font-size:.85rem;font-weight:600;margin-bottom:.2rem}
footer{color:var(--soft);font-size:.85rem;padding:2rem 1.25rem}
@media(max-width:46rem){.list thead{display:none}.list tr{display:grid;grid-template-columns:auto 1fr;gap:.1rem .75rem;padding:.5rem .75rem;border-top:1px solid var(--line)}.list tr:first-child{border-top:0}.list td,.list th{padding:0;border:0}.list th{grid-column:1/-1;overflow-wrap:anywhere}h1{font-size:1.35rem}}
)css";

inline constexpr std::string_view kPageStyleHash = "sha256-jLl92gh29x4RWiPQjfcGosapVxqN1byA1jqNTsF/Fik=";

}  // namespace plainfs::serve
