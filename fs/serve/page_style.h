// How pages look: light and dark, wide and narrow. The policy of each page names the style by its hash, so
// that nothing else in it can be one; a test computes the hash anew.
#pragma once

#include <string_view>

namespace plainfs::serve {

inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#5a6370;--line:#d9dee4;--card:#f6f8fa;--link:#0b57b7;--mark:#e8f0fb;--r:.5rem;--c0:#0072b2;--c1:#d55e00;--c2:#008f68;--c3:#c05f98;--c4:#b87d00;--c5:#2f9bd6;--c6:#7a6f00;--c7:#707070;--s0:#bfd4ea;--s1:#a2c1e0;--s2:#84add5;--s3:#6698c8;--s4:#4982b8;--s5:#316ba4;--s6:#1e548c;--s7:#0e3d70}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e7eaee;--soft:#a3adb9;--line:#30363d;--card:#1c2127;--link:#7db4ff;--mark:#1d2b40;--c0:#58aef0;--c1:#ff8a3d;--c2:#2fc79a;--c3:#f092c8;--c4:#ffc04d;--c5:#8fd3ff;--c6:#e3d84a;--c7:#b8b8b8;--s0:#2c4766;--s1:#375a80;--s2:#446e9a;--s3:#5383b3;--s4:#6699ca;--s5:#80b0dd;--s6:#a2c8ed;--s7:#cbe1fa}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:76rem;margin:auto;padding:0 1.25rem}
header{padding-top:1rem}
a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
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
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;margin:.8rem 0 0;padding:0}
.facts div{display:flex;flex-direction:column-reverse}
.facts dt{font-size:.8rem;color:var(--soft)}
.facts dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.shape{overflow-wrap:anywhere}
.note{border-left:.25rem solid var(--c1);padding:.3rem .75rem;margin:.8rem 0;overflow-wrap:anywhere}
.views{display:flex;flex-wrap:wrap;gap:.3rem}
.views a{display:inline-flex;gap:.4em;padding:.1rem .5rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);text-decoration:none;white-space:nowrap;font-size:.85rem;max-width:100%;overflow:hidden;text-overflow:ellipsis}
.views a:hover{border-color:var(--link)}
.views small{color:var(--soft)}
.cols{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5rem}
.cols>*{min-width:0}
figure{margin:0}
figcaption{font-size:.85rem;color:var(--soft);margin-top:.4rem}
.plot{width:100%;height:auto;max-height:26rem;border:1px solid var(--line);border-radius:var(--r);background:var(--card);display:block}
.plot path,.key path{fill:none;stroke-linecap:round}
.plot text{fill:var(--soft);font-size:11px}
.plot .at{fill:var(--fg);font-size:13px;font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:3px}
.bar{fill:var(--c0)}
.px{width:100%;max-width:26rem;height:auto;image-rendering:pixelated;border:1px solid var(--line);border-radius:var(--r);display:block}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.88rem}
.key svg{width:.85em;height:.85em;margin-right:.4em;vertical-align:-.05em}
.pick{display:flex;flex-wrap:wrap;gap:.3rem .8rem;font-size:.88rem;margin:0 0 .6rem;color:var(--soft)}
.pick [aria-current]{color:var(--fg);font-weight:600;text-decoration:none}
details{border:1px solid var(--line);border-radius:var(--r);margin:.6rem 0}
summary{cursor:pointer;padding:.55rem .75rem;font-weight:600}
details .wrap{border:0;border-top:1px solid var(--line);border-radius:0}
.k0{stroke:var(--c0)}
.k1{stroke:var(--c1)}
.k2{stroke:var(--c2)}
.k3{stroke:var(--c3)}
.k4{stroke:var(--c4)}
.k5{stroke:var(--c5)}
.k6{stroke:var(--c6)}
.k7{stroke:var(--c7)}
.r0{stroke:var(--s0)}
.r1{stroke:var(--s1)}
.r2{stroke:var(--s2)}
.r3{stroke:var(--s3)}
.r4{stroke:var(--s4)}
.r5{stroke:var(--s5)}
.r6{stroke:var(--s6)}
.r7{stroke:var(--s7)}
.k-{stroke:var(--line)}
footer{color:var(--soft);font-size:.85rem;padding:2rem 1.25rem}
@media(max-width:46rem){.cols{grid-template-columns:minmax(0,1fr)}.list td.v{grid-column:1/-1;padding-top:.3rem}.views a{padding:.3rem .7rem}.shape{color:var(--soft)}.list thead{display:none}.list tr{display:grid;grid-template-columns:auto 1fr;gap:.1rem .75rem;padding:.5rem .75rem;border-top:1px solid var(--line)}.list tr:first-child{border-top:0}.list td,.list th{padding:0;border:0}.list th{grid-column:1/-1;overflow-wrap:anywhere}h1{font-size:1.35rem}}
)css";

inline constexpr std::string_view kPageStyleHash = "sha256-QcpwU9rFiJksG2x2ghxv3hbKLJRLU7cwEabzznralu0=";

}  // namespace plainfs::serve
