/**
 * The style of all HTML pages. Every colour has a value for light and one for dark mode; text has a contrast of at least 4.5 to 1. On a phone,
 * each row of a table is a block of lines, so that no column is outside of the screen. A line begins with the head of its column, which the
 * cell repeats as `data-label`. A graph has two pictures: one in columns, and a stacked one for windows that are too narrow for these columns.
 */
export const PAGE_STYLE = `
:root{--ground:#fff;--soft:#f3f5f7;--text:#1c2126;--dim:#57606a;--line:#d0d7de;--mark:#8a3b00;--marked:#fff4e5;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ground:#14181c;--soft:#1f252b;--text:#e6eaee;--dim:#a3adb8;--line:#3a434c;--mark:#ffb86b;--marked:#33271a;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:80rem;margin:0 auto;padding:1rem}
main{padding-top:0}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.25rem;margin:2rem 0 .5rem;overflow-wrap:anywhere}
h3,section h2{font-size:1rem;margin:1.5rem 0 .5rem}
header p{margin:.25rem 0;color:var(--dim)}
form{margin-top:1rem;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
input[type=search]{flex:1 1 14rem;min-width:0;padding:.5rem;font:inherit;color:inherit;background:var(--soft);border:1px solid var(--dim);border-radius:.25rem}
.choice{display:flex;gap:.5rem;align-items:center}
.choice input{width:1.25rem;height:1.25rem}
output{color:var(--dim)}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0}
dt{color:var(--dim)}
dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.25rem}
table{border-collapse:collapse;width:100%}
th,td{padding:.375rem .75rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{border-top:0;background:var(--soft);white-space:nowrap}
td{min-width:4rem;max-width:36rem;overflow-wrap:break-word}
.number{text-align:right;width:1%}
.dim{color:var(--dim)}
.warn{color:var(--mark);font-weight:600}
tr.mark{background:var(--marked)}
.note{color:var(--dim);margin:.25rem 0}
svg{display:block;max-width:100%;height:auto}
.graph{border:1px solid var(--line);border-radius:.25rem}
.graph .stacked{display:none;width:100%;max-width:30rem}
svg text{font:13px system-ui,sans-serif;fill:var(--text)}
svg .head{fill:var(--dim)}
svg rect{fill:var(--soft);stroke:var(--line)}
svg .warn rect{fill:var(--marked);stroke:var(--mark)}
svg path{fill:none;stroke:var(--dim);stroke-width:1.5}
svg path.warn{stroke:var(--mark);stroke-width:2}
svg path.through{stroke-dasharray:5 4}
svg .out{opacity:.15}
[hidden]{display:none}
@media (max-width:40rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}table,tbody,tr,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr{padding:.375rem .75rem;border-top:1px solid var(--line)}tbody tr:first-child{border-top:0}td{max-width:none;padding:.125rem 0;border:0;overflow-wrap:anywhere}td:first-child{font-weight:600}td:empty{display:none}td[data-label]:not([data-label=""])::before{content:attr(data-label) ": ";color:var(--dim);font-weight:400}td.number{text-align:left;width:auto}}
@media (max-width:27rem){.columns-2{display:none}.columns-2+.stacked{display:block}}
@media (max-width:41rem){.columns-3{display:none}.columns-3+.stacked{display:block}}
@media (max-width:54rem){.columns-4{display:none}.columns-4+.stacked{display:block}}
@media (max-width:68rem){.columns-5{display:none}.columns-5+.stacked{display:block}}
@media (min-width:40rem){td.long{overflow-wrap:anywhere}td:not(.number){min-width:7.5rem}}
@media print{form{display:none}.scroll{overflow:visible}}
`;
