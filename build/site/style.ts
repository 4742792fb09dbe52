/** Styles of the site, beyond the shared style of all HTML pages. */
import { PAGE_STYLE } from '../../shared/util/index.ts';

export const SITE_STYLE: string = `${PAGE_STYLE}
body{display:grid;grid-template-columns:16rem minmax(0,52rem);grid-template-rows:auto 1fr;column-gap:2rem;max-width:76rem;margin:0 auto;padding:0 1rem}
header{grid-column:1/-1;max-width:none;width:100%;margin:0;padding:.75rem 0;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;border-bottom:1px solid var(--line)}
header form{margin:0;flex:1 1 16rem}
.home{font-weight:700;font-size:1.125rem;color:var(--text);text-decoration:none}
.all{display:none}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.25rem;background:var(--ground);padding:.25rem .5rem;z-index:1}
nav{grid-column:1;grid-row:2;padding:1rem 0 2rem}
nav h2{font-size:1rem;margin:1rem 0 .25rem}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:block;padding:.125rem .5rem;text-decoration:none;border-radius:.25rem}
nav a[aria-current]{background:var(--soft);color:var(--text);font-weight:600}
main{grid-column:2;grid-row:2;max-width:none;width:100%;margin:0;padding:1rem 0 4rem;overflow-wrap:break-word}
main:focus{outline:none}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0 1rem;overflow-wrap:anywhere}
h2{border-bottom:1px solid var(--line);padding-bottom:.25rem}
code{font:.875em ui-monospace,monospace;background:var(--soft);padding:.1em .25em;border-radius:.2em;overflow-wrap:anywhere}
pre{margin:0;padding:.75rem}
pre code{background:none;padding:0;overflow-wrap:normal}
.scroll{margin:1rem 0}
.scroll:has(>pre){background:var(--soft)}
td:not(.number){min-width:4rem;overflow-wrap:break-word}
td code{overflow-wrap:normal}
blockquote{margin:1rem 0;padding-left:1rem;border-left:.25rem solid var(--line);color:var(--dim)}
.around{color:var(--dim)}
#results{flex:1 0 100%;margin:0;padding:0;list-style:none;max-height:70vh;overflow-y:auto;border:1px solid var(--line);border-radius:.25rem}
#results li+li{border-top:1px solid var(--line)}
#results a{display:block;padding:.5rem .75rem;text-decoration:none;color:var(--text)}
#results a:hover,#results a:focus{background:var(--soft)}
#results b{color:var(--link);overflow-wrap:anywhere}
#results span{display:block;color:var(--dim);font-size:.875rem;overflow-wrap:anywhere}
[hidden]{display:none!important}
@media (max-width:56rem){body{display:block}.all{display:inline;margin-left:auto}header form{order:1;flex-basis:100%}#results{order:2}nav{border-top:1px solid var(--line)}}
@media (max-width:40rem){td,td code{overflow-wrap:anywhere}}
@media print{header,nav{display:none}body{display:block}}
`;
