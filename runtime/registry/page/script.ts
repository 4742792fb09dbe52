/** The page's script for browsers. Texts of entries become text nodes, never markup. */
export const SCRIPT = String.raw`
const PAGE_SIZE = 50;
const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

const byId = id => document.getElementById(id);
const [content, state, search, signIn] = ['content', 'status', 'search', 'sign-in'].map(byId);
let token = '';
let shown = new AbortController();
let registries = [];

/** Makes characters visible that would reorder text, as lintel does on a terminal. */
const visible = text => text.replace(UNSAFE, char => (char === '\n' ? char : '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')));

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map(child => (typeof child === 'string' ? visible(child) : child)));
  return made;
}

async function read(path, signal) {
  const headers = token === '' ? {} : { Authorization: 'Bearer ' + token };
  const answer = await fetch(path, { headers, signal });
  const body = await answer.json();
  if (answer.ok) return body;
  throw Object.assign(new Error(body.error), { status: answer.status });
}

/** What the address shows: #/REGISTRY?search=...&cursor=... is a page of a listing, #/REGISTRY/SERVER/VERSION an entry. */
function place() {
  const [path, query] = location.hash.slice(1).split('?');
  const [, registry = '', server, version] = path.split('/').map(decoded);
  const parameters = new URLSearchParams(query);
  return { registry: registry === '' && registries.length === 1 ? registries[0] : registry, server, version, search: parameters.get('search') ?? '', cursor: parameters.get('cursor') ?? '' };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const addressOf = (...names) => '#/' + names.map(encodeURIComponent).join('/');

function listAddress(registry, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return addressOf(registry) + (given.length === 0 ? '' : '?' + new URLSearchParams(given));
}

const apiOf = registry => 'registry/' + encodeURIComponent(registry) + '/v0.1/servers';

async function show(movesFocus) {
  shown.abort();
  const { signal } = (shown = new AbortController());
  const at = place();
  for (const link of document.querySelectorAll('#registries a')) {
    if (link.dataset.registry === at.registry) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  search.form.hidden = at.registry === '';
  if (document.activeElement !== search) search.value = at.search;
  try {
    const view = at.registry === '' ? startView() : await (at.server === undefined ? listView : serverView)(at, signal);
    if (signal.aborted) return;
    signIn.hidden = true;
    present(view, movesFocus);
  } catch (error) {
    if (!signal.aborted) await refuse(error, at);
  }
  byId('sign-out').hidden = token === '';
}

function present({ title, parts, summary }, movesFocus) {
  const heading = element('h2', { tabindex: '-1' }, title);
  content.replaceChildren(heading, ...parts);
  document.title = visible(title) + ' · MCP servers';
  state.textContent = summary;
  if (movesFocus) heading.focus();
}

async function refuse({ status, message }, { registry }) {
  content.replaceChildren();
  state.textContent = '';
  const isRefused = status === 401 || status === 403;
  if (!isRefused) {
    const retry = element('button', { type: 'button' }, 'Try again');
    retry.addEventListener('click', () => show(true));
    const cause = status === undefined ? 'The server did not answer: ' + message : 'The server answered ' + status + ': ' + message;
    present({ title: 'Nothing to show', parts: [element('p', { class: 'warn' }, cause), retry], summary: '' }, true);
    signIn.hidden = true;
    return;
  }
  const refusals = { 401: 'The token was not accepted: it may have expired, or be for another server.', 403: 'This token may not see the registry ' + registry + '.' };
  byId('refusal').textContent = token === '' ? '' : visible(refusals[status]);
  signIn.hidden = false;
  byId('sign-in-title').focus();
  document.title = 'Sign in · MCP servers';
}

function startView() {
  if (registries.length === 0) return { title: 'Registries', parts: [], summary: 'This server has no registry.' };
  return { title: 'Registries', parts: [element('p', {}, 'Choose one of the registries above.')], summary: '' };
}

async function listView({ registry, search: term, cursor }, signal) {
  const query = new URLSearchParams({ version: 'latest', limit: PAGE_SIZE, search: term, cursor });
  const { servers, metadata } = await read(apiOf(registry) + '?' + query, signal);
  const items = servers.map(({ server, _meta }) => {
    const { status } = _meta?.[OFFICIAL] ?? {};
    const address = addressOf(registry, server.name);
    const facts = [server.name, server.version, ...(status === 'active' || status === undefined ? [] : [status])];
    return element('li', {}, element('h3', {}, element('a', { href: address }, server.title ?? server.name)), element('p', { class: 'dim' }, facts.join(' · ')), element('p', {}, server.description));
  });
  const { nextCursor = '' } = metadata;
  const pages = [
    ...(cursor === '' ? [] : [element('a', { href: listAddress(registry, { search: term }) }, 'First page')]),
    ...(nextCursor === '' ? [] : [element('a', { href: listAddress(registry, { search: term, cursor: nextCursor }) }, 'Next page')]),
  ];
  const parts = [
    ...(items.length === 0 ? [] : [element('ul', { class: 'entries', role: 'list' }, ...items)]),
    ...(pages.length === 0 ? [] : [element('nav', { 'aria-label': 'Pages' }, element('ul', {}, ...pages.map(link => element('li', {}, link))))]),
  ];
  return { title: registry, parts, summary: summaryOf(items.length, term, nextCursor !== '') };
}

function summaryOf(count, term, hasMore) {
  const found = term === '' ? '' : ' with \u201c' + visible(term) + '\u201d in name, title or description';
  if (count === 0) return term === '' ? 'No server is listed here that you may see.' : 'No server' + found + '.';
  return (count === 1 ? '1 server' : count + ' servers') + found + (hasMore ? ' on this page; more on the next.' : '.');
}

async function serverView({ registry, server: name, version }, signal) {
  const { servers } = await read(apiOf(registry) + '/' + encodeURIComponent(name) + '/versions', signal);
  const officialOf = entry => entry._meta?.[OFFICIAL] ?? {};
  const entry = servers.find(one => (version === undefined ? officialOf(one).isLatest : one.server.version === version));
  if (entry === undefined) throw Object.assign(new Error('version not found'), { status: 404 });
  const { server } = entry;
  const official = officialOf(entry);
  const { remotes = [], packages = [] } = server;
  const facts = [
    ['Name', server.name],
    ['Version', server.version],
    ['Status', [official.status, official.statusMessage].filter(Boolean).join(': ')],
    ['Published', dayOf(official.publishedAt)],
    ['Updated', dayOf(official.updatedAt)],
    ['Website', linkTo(server.websiteUrl)],
    ['Source code', linkTo(server.repository?.url)],
  ].filter(([, value]) => value !== '');
  const snippets = [
    ...remotes.map(remote => ['At ' + remote.url, remoteEntry(remote)]),
    ...packages.map(one => [one.registryType + ' package ' + one.identifier, packageEntry(one)]),
  ].filter(([, entry]) => entry !== undefined);
  const parts = [
    element('p', {}, server.description),
    element('dl', {}, ...facts.flatMap(([fact, value]) => [element('dt', {}, fact), element('dd', {}, value)])),
    ...(snippets.length === 0 ? [] : [element('h3', {}, 'For clients that read mcpServers'), ...snippets.flatMap(([title, entry], index) => snippet(title, snippetOf(server.name, entry), index))]),
    ...table('Remotes', ['Type', 'URL', 'Headers'], remotes.map(({ type, url, headers }) => [type, url, inputsText(headers)])),
    ...table('Packages', ['Kind', 'Identifier', 'Version', 'Transport', 'Environment'], packages.map(one => [one.registryType, one.identifier, one.version ?? '', one.transport.type, inputsText(one.environmentVariables)])),
    ...table('Versions', ['Version', 'Status', 'Published', 'Updated'], servers.map(one => {
      const { status = '', publishedAt, updatedAt, isLatest } = officialOf(one);
      const own = one.server.version;
      const link = element('a', { href: addressOf(registry, name, own), ...(one === entry && { 'aria-current': 'page' }) }, own);
      return [link, isLatest ? [status, 'latest'].filter(Boolean).join(', ') : status, dayOf(publishedAt), dayOf(updatedAt)];
    })),
    element('p', {}, element('a', { href: addressOf(registry) }, 'All servers of ' + registry)),
  ];
  return { title: server.title ?? server.name, parts, summary: '' };
}

const dayOf = time => (time === undefined ? '' : time.slice(0, 10));

/** A link to an http or https URL; any other text is no link. */
function linkTo(url = '') {
  const isWeb = /^https?:\/\//.test(url) && URL.canParse(url);
  return isWeb ? element('a', { href: url, rel: 'noreferrer' }, url) : url;
}

function inputsText(inputs = []) {
  return inputs.map(({ name, isRequired, isSecret }) => name + (isRequired ? ' (required)' : '') + (isSecret ? ' (secret)' : '')).join(', ');
}

function table(title, head, rows) {
  if (rows.length === 0) return [];
  const id = 'table-' + title.toLowerCase();
  const used = head.map((_, at) => at).filter(at => rows.some(row => row[at] !== ''));
  const heads = used.map(at => element('th', { scope: 'col' }, head[at]));
  const body = rows.map(row => element('tr', {}, ...used.map(at => element('td', { 'data-label': head[at] }, row[at]))));
  const whole = element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...body));
  return [element('h3', { id }, title), element('div', { class: 'scroll', role: 'group', tabindex: '0', 'aria-labelledby': id }, whole)];
}

function snippet(title, text, index) {
  const id = 'snippet-' + index;
  const code = element('code', {}, text);
  const copy = element('button', { type: 'button', 'aria-describedby': id }, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      state.textContent = 'Copied.';
    } catch {
      // Without HTTPS, browsers do not let a page write to the clipboard.
      getSelection().selectAllChildren(code);
      state.textContent = 'Selected: copy it with the keyboard.';
    }
  });
  return [
    element('div', { class: 'snippet' }, element('h4', { id }, title), copy),
    element('div', { class: 'scroll', role: 'group', tabindex: '0', 'aria-labelledby': id }, element('pre', {}, code)),
  ];
}

let wait;
search.addEventListener('input', () => {
  clearTimeout(wait);
  wait = setTimeout(find, 200);
});
search.form.addEventListener('submit', event => {
  event.preventDefault();
  find();
});

function find() {
  clearTimeout(wait);
  history.replaceState(null, '', listAddress(place().registry, { search: search.value }));
  void show(false);
}

byId('token-form').addEventListener('submit', event => {
  event.preventDefault();
  const given = byId('token').value.trim();
  byId('token').value = '';
  // Other characters are invalid in a header: the browser would not send the request.
  if (!/^[\x21-\x7e]+$/.test(given)) {
    byId('refusal').textContent = 'This is not a token: a token has no spaces and no letters with accents.';
    return;
  }
  token = given;
  void show(true);
});
byId('sign-out').addEventListener('click', () => {
  token = '';
  void show(true);
});
addEventListener('hashchange', () => void show(true));

/** The description of the API, which every client may read, names the registries and the identity providers. */
async function start() {
  const { tags, paths } = await read('openapi.json');
  registries = tags.map(({ name }) => name);
  const links = registries.map(name => element('li', {}, element('a', { href: addressOf(name), 'data-registry': name }, name)));
  byId('registries').replaceChildren(...links);
  document.querySelector('nav').hidden = registries.length < 2;
  const metadata = Object.keys(paths).find(path => path.startsWith('/.well-known/oauth-protected-resource'));
  if (metadata !== undefined) {
    const { resource, authorization_servers: issuers } = await read(metadata.slice(1));
    const facts = [['Issued by', issuers.join(', ')], ['For', resource]];
    byId('wanted-token').replaceChildren(...facts.flatMap(([fact, value]) => [element('dt', {}, fact), element('dd', {}, value)]));
  }
  await show(false);
}

start().catch(error => refuse(error, place()));
`;
