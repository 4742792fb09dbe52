/**
 * `url`, `isURL` and the getters of a URL. A URL is anything that Go's `url.ParseRequestURI` accepts: an absolute URL or an absolute path.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library
 */
import { type CelFunc, type CelMap, CelScalar, celFunc, celMethod, listType, mapType } from '@bufbuild/cel';
import { createOpaque, OPAQUE, readOpaque } from './opaque.ts';

interface Url {
  readonly scheme: string;
  /** With the port, if there is one. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const CONTROL = /\p{Cc}/u;
const USER = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/;
const HOST = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=<>"\u{80}-\u{10ffff}]|%[89A-Fa-f][0-9A-Fa-f])*(?::[0-9]*)?$/u;
const HOST_IN_BRACKETS = /^\[[0-9A-Fa-f:.]+(?:%25[A-Za-z0-9\-._~]+)?\](?::[0-9]*)?$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const NEEDS_ESCAPE = /[^A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]/gu;

function parseUrl(text: string): Url | undefined {
  if (CONTROL.test(text)) return undefined;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf('?');
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark < 0 ? '' : afterScheme.slice(mark + 1);
  if (!rest.startsWith('/')) return scheme === '' ? undefined : { scheme, host: '', path: '', query };
  if (scheme === '' || !rest.startsWith('//'))
    return BAD_ESCAPE.test(rest) ? undefined : { scheme, host: '', path: rest, query };
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (!USER.test(authority.slice(0, Math.max(at, 0))) || BAD_ESCAPE.test(path)) return undefined;
  return HOST.test(host) || HOST_IN_BRACKETS.test(host) ? { scheme, host, path, query } : undefined;
}

function toUrl(value: CelMap): Url {
  return requireUrl(String(readOpaque('URL', value)));
}

function requireUrl(text: string): Url {
  const url = parseUrl(text);
  if (url === undefined) throw new Error('the text is no URL');
  return url;
}

function readPort({ host }: Url): string {
  return /:([0-9]*)$/.exec(host)?.[1] ?? '';
}

function readHostname({ host }: Url): string {
  const name = host.replace(/:[0-9]*$/, '');
  return name.startsWith('[') ? name.slice(1, -1) : name;
}

/** Parses a query as Go does: pairs with a semicolon or an invalid escape are dropped. */
function parseQuery({ query }: Url): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || BAD_ESCAPE.test(pair)) continue;
    const equals = pair.indexOf('=');
    const name = unescapePath(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescapePath(equals < 0 ? '' : pair.slice(equals + 1));
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

function unescapePath(text: string): string {
  const parts = text.replaceAll('+', ' ').match(/(?:%[0-9A-Fa-f]{2})+|[^%]+/g) ?? [];
  const bytes = parts.map(part =>
    part.startsWith('%') ? Buffer.from(part.replaceAll('%', ''), 'hex') : Buffer.from(part),
  );
  return Buffer.concat(bytes).toString();
}

function escapePath(path: string): string {
  return path.replace(NEEDS_ESCAPE, character => encodeURIComponent(character));
}

const { STRING, BOOL } = CelScalar;

function createGetter(name: string, read: (url: Url) => string): CelFunc {
  return celMethod(name, OPAQUE, [], STRING, function () {
    return read(toUrl(this));
  });
}

export const URL_FUNCTIONS: readonly CelFunc[] = [
  celFunc('isURL', [STRING], BOOL, text => parseUrl(text) !== undefined),
  celFunc('url', [STRING], OPAQUE, text => {
    requireUrl(text);
    return createOpaque('URL', text);
  }),
  createGetter('getScheme', ({ scheme }) => scheme.toLowerCase()),
  createGetter('getHost', ({ host }) => host),
  createGetter('getHostname', readHostname),
  createGetter('getPort', readPort),
  createGetter('getEscapedPath', ({ path }) => escapePath(path)),
  celMethod('getQuery', OPAQUE, [], mapType(STRING, listType(STRING)), function () {
    return parseQuery(toUrl(this));
  }),
];
