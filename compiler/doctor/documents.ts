/** JSON documents that servers publish about themselves. */
import { isObject } from '#schemas';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { type HttpClient, NoResponseError } from './http.ts';

export type Document = Readonly<Record<string, unknown>>;

export type DocumentLookup =
  | { readonly kind: 'document'; readonly at: URL; readonly document: Document }
  /** The document exists but is invalid; the text says why. */
  | { readonly kind: 'unusable'; readonly at: URL; readonly what: string }
  | { readonly kind: 'missing'; readonly at: URL; readonly what: string };

export async function readDocument(at: URL, http: HttpClient): Promise<DocumentLookup> {
  const shown = redactUrl(at.href);
  try {
    const { status, headers, text } = await http.send(at, { follows: true });
    if (status >= 400 && status < 500) return { kind: 'missing', at, what: `${shown} answers HTTP ${status}` };
    if (status !== 200) return { kind: 'unusable', at, what: `${shown} answers HTTP ${status}` };
    const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';
    const document = parseDocument(text);
    if (document === undefined)
      return {
        kind: 'unusable',
        at,
        what: `${shown} answers ${/html/i.test(type) ? 'a web page' : 'something else'} in place of a JSON object`,
      };
    return { kind: 'document', at, document };
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    return { kind: 'unusable', at, what: error.message };
  }
}

/** The first document that exists. If it is invalid, clients try the next location. */
export async function readFirst(urls: readonly URL[], http: HttpClient): Promise<readonly DocumentLookup[]> {
  const found: DocumentLookup[] = [];
  for (const candidate of urls) {
    const one = await readDocument(candidate, http);
    found.push(one);
    if (one.kind === 'document') break;
  }
  return found;
}

export function readTexts(document: Document, member: string): readonly string[] | undefined {
  const value = document[member];
  return Array.isArray(value) ? value.filter(element => typeof element === 'string') : undefined;
}

export function readText(document: Document, member: string): string | undefined {
  const value = document[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether tokens and codes may be sent to a URL: https, or http on this machine (RFC 8252, section 8.3). */
export function isSafeUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function parseDocument(text: string): Document | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Document) : undefined;
  } catch {
    return undefined;
  }
}
