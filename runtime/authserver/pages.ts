/** The pages for the person who signs in. They need no scripts and no external resources, and are readable on a phone. */
import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{margin:0;padding:1.5rem;display:flex;justify-content:center}
main{max-width:34rem;width:100%}
h1{font-size:1.4rem;margin:0 0 1rem}
dl{margin:1rem 0;padding:1rem;border:1px solid GrayText;border-radius:.5rem}
dt{font-weight:600}dd{margin:0 0 .6rem;overflow-wrap:anywhere}dd:last-child{margin:0}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}
button{font:inherit;padding:.7rem 1.4rem;border-radius:.5rem;border:1px solid ButtonBorder;min-height:2.75rem;cursor:pointer}
button.go{background:#1a56db;color:#fff;border-color:#1a56db}
button:focus-visible{outline:3px solid #f59e0b;outline-offset:2px}
.note{border-left:.25rem solid #b45309;padding-left:.75rem}
ol{padding-left:1.5rem}li{margin:0 0 .3rem}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The pages allow no scripts, external resources or framing, and send no referrer to other hosts. `no-referrer` would not work: browsers would
 * send the form with `Origin: null`, as if another site had sent it. `form-action` is not set, because browsers also apply it to the redirects
 * after a form, and these lead to upstreams and clients.
 */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

/** The host where a person signs in: as in the spec, and as in the browser's address bar. */
export interface SignInHost {
  readonly name: string;
  readonly host: string;
}

export interface ConsentRequest {
  /** The client's own name, which any client may claim. */
  readonly client: string;
  /** The host of the client's document; null for a registered client. */
  readonly describedAt: string | null;
  /** The redirect URI of the client, to which the browser returns after the sign-in. */
  readonly redirectUri: string;
  /** The URL of the gateway that the client will use. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The upstreams, in order. */
  readonly upstreams: readonly SignInHost[];
  /** The form's target. */
  readonly action: string;
}

export function renderConsentPage(request: ConsentRequest): string {
  const { client, describedAt, redirectUri, resource, scopes, upstreams, action } = request;
  const isLocal = /^http:/.test(redirectUri);
  return renderPage(
    'Let this application in?',
    `<p><strong>${escapeHtml(client)}</strong> asks to use tools in your name.</p>
<dl>
<dt>Tools of</dt><dd>${escapeHtml(resource)}</dd>
${describedAt === null ? '' : `<dt>Application of</dt><dd>${escapeHtml(describedAt)}</dd>\n`}<dt>You return to</dt><dd>${escapeHtml(formatRedirectTarget(redirectUri))}${isLocal ? ' (a program on this computer)' : ''}</dd>
<dt>It asks for</dt><dd>${scopes.length === 0 ? 'nothing in particular' : escapeHtml(scopes.map(describeScope).join(', '))}</dd>
</dl>
${describeSteps(upstreams)}
<p class="note">The application chose its name itself. Continue only if you started this sign-in just now.</p>
<form method="post" action="${escapeHtml(action)}">
<button class="go" type="submit" name="decision" value="allow">Continue</button>
<button type="submit" name="decision" value="deny">Cancel</button>
</form>`,
  );
}

/** The sentences about the upstreams at which the person will sign in. */
function describeSteps(upstreams: readonly SignInHost[]): string {
  const formatHost = ({ name, host }: SignInHost) => `<strong>${escapeHtml(name)}</strong> (${escapeHtml(host)})`;
  const [first, ...others] = upstreams;
  if (first === undefined) return '';
  if (others.length === 0) return `<p>You sign in at ${formatHost(first)} next.</p>`;
  const items = [
    `<li>${formatHost(first)}, which says who you are</li>`,
    ...others.map(upstream => `<li>${formatHost(upstream)}, so that tools can work there in your name</li>`),
  ];
  return `<p>You sign in at ${upstreams.length} places next, one after the other:</p>\n<ol>\n${items.join('\n')}\n</ol>`;
}

/** Descriptions of common scopes; others are shown unchanged. */
const SCOPE_WORDS: Readonly<Record<string, string>> = {
  openid: 'who you are',
  profile: 'your name',
  email: 'your email address',
  offline_access: 'to stay signed in',
};

function describeScope(scope: string): string {
  return Object.hasOwn(SCOPE_WORDS, scope) ? (SCOPE_WORDS[scope] ?? scope) : scope;
}

/** The advice when nothing else helps. */
export const START_AGAIN = 'Close this page, go back to the application and start the sign-in again.';

/**
 * @param what the event, in sentences
 * @param advice the next step, in sentences
 */
export function renderErrorPage(title: string, what: string, advice: string): string {
  return renderPage(title, `<p role="alert">${escapeHtml(what)}</p><p>${escapeHtml(advice)}</p>`);
}

function renderPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${content}
</main></body>
</html>
`;
}

/** The part of a redirect URI that shows who will receive the code: the host of a web URL, otherwise the scheme. */
function formatRedirectTarget(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (url === null) return redirectUri;
  return /^https?:$/.test(url.protocol) ? url.host : `${url.protocol}${url.host === '' ? '' : `//${url.host}`}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
