/** The page's styles in addition to the common ones. */
export const STYLE = `
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.75rem 0 0;padding:0}
nav a{display:inline-block;padding:.25rem 0}
a[aria-current]{color:inherit;font-weight:600}
[tabindex="-1"]:focus{outline:none}
.entries{list-style:none;margin:0;padding:0}
.entries li{padding:.75rem 0;border-top:1px solid var(--line)}
.entries h3{margin:0;overflow-wrap:anywhere}
.entries p{margin:0;overflow-wrap:anywhere}
input[type=password]{flex:1 1 14rem;min-width:0;padding:.5rem;font:inherit;color:inherit;background:var(--soft);border:1px solid var(--dim);border-radius:.25rem}
button{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--dim);border-radius:.25rem;padding:.375rem .75rem;min-height:2.5rem;cursor:pointer}
pre{margin:0;padding:.75rem}
code{font:.875rem/1.5 ui-monospace,monospace}
.snippet{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:end;gap:.5rem;margin:1rem 0 .25rem}
.snippet h4{margin:0;font-size:1rem;overflow-wrap:anywhere}
footer{max-width:80rem;margin:0 auto;padding:0 1rem 1rem}
`;
