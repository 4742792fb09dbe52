/** Reads upstream registries through the API of the official MCP registry, v0.1. */

import {
  isNewerSchema,
  MAX_ENTRIES,
  passesFilter,
  type RegistryFilterPlan,
  type RegistryOrigin,
  readServerResponse,
} from '#schemas';
import { LinkedAbort } from '#shared/util';
import type { HttpClient } from '../../http/client.ts';
import { RequestError } from '../../http/request-bytes.ts';
import type { ServerEntry } from '../snapshot.ts';
import { fetchDocument, formatFinalLocation, formatLocation } from './fetch-document.ts';
import { buildCredentialHeaders } from './http-credentials.ts';
import { countText, formatNewerSchemaNote } from './newer-schema-note.ts';
import { MAX_SOURCE_BYTES, type Reader, type Reading, ReadingError, truncate } from './reading.ts';
import { compareEntries, toServerEntry } from './server-entry.ts';
import { decodeSource } from './source-text.ts';

const SERVERS_PER_PAGE = 100;
const MAX_PAGES = 1_000;

/** Maximum length of an upstream's cursor, which becomes a part of the next URL; characters. */
const MAX_CURSOR_LENGTH = 4_096;

/** Timeout for all pages together, in milliseconds. The timeout in the plan applies to each page. */
const MAX_READING_MS = 10 * 60_000;

/** Limits on one reading; tests use smaller limits. */
export interface ApiLimits {
  readonly pages: number;
  readonly servers: number;
  readonly bytes: number;
  readonly durationMs: number;
}

const API_LIMITS: ApiLimits = {
  pages: MAX_PAGES,
  servers: MAX_ENTRIES,
  bytes: MAX_SOURCE_BYTES,
  durationMs: MAX_READING_MS,
};

/**
 * Creates the reader of an upstream registry, which reads all pages. An invalid entry is omitted and counted, so that the mistake of one publisher
 * does not affect the entries of other publishers. If a version occurs twice, because pages shift while they are read, the first occurrence
 * counts. Any other error fails the reading, because a partial list would look like a complete one.
 */
export function createApiReader(
  client: HttpClient,
  origin: Omit<Extract<RegistryOrigin, { readonly type: 'api' }>, 'type'>,
  filter: RegistryFilterPlan,
  apiLimits: ApiLimits = API_LIMITS,
): Reader {
  const base = toServersUrl(origin.endpoint);
  return async (_mark, signal) => {
    using limit = new LinkedAbort([signal], apiLimits.durationMs);
    const listing = new ListingReader(base, filter, apiLimits);
    try {
      const credentials = buildCredentialHeaders(origin.credentials, formatLocation(base));
      for (let url: URL | undefined = base; url !== undefined; ) {
        const limits = { maxBytes: apiLimits.bytes - listing.bytes, timeoutMs: origin.timeoutMs, signal: limit.signal };
        const { headers, body } = await fetchDocument(client, { url, credentials }, limits);
        url = listing.add(body, formatFinalLocation(base, headers));
      }
      return listing.reading();
    } catch (error) {
      // The limit of this request was what earlier pages have left of the total limit, so the message names the total.
      if (error instanceof RequestError && error.reason === 'too_large')
        throw new ReadingError(formatLocation(base), `the pages have more than ${apiLimits.bytes} bytes`);
      if (limit.isLate) throw new ReadingError(formatLocation(base), `not all pages within ${apiLimits.durationMs} ms`);
      throw error;
    }
  };
}

function toServersUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v0.1/servers`;
  url.searchParams.set('limit', String(SERVERS_PER_PAGE));
  // Registries omit deleted versions unless they are requested; without them, clients that follow changes would miss deletions.
  url.searchParams.set('include_deleted', 'true');
  return url;
}

/** Collects the entries of all pages of one reading. */
class ListingReader {
  readonly #base: URL;
  readonly #filter: RegistryFilterPlan;
  readonly #limits: ApiLimits;
  readonly #entries = new Map<string, ServerEntry>();
  readonly #cursors = new Set<string>();
  #pages = 0;
  #servers = 0;
  /** The number of invalid servers, and the problem of the first one. */
  #faults = 0;
  #firstFault = '';
  /** Number of listed servers whose `$schema` is newer than the schemas that Lintel knows. */
  #newer = 0;
  bytes = 0;

  constructor(base: URL, filter: RegistryFilterPlan, apiLimits: ApiLimits) {
    this.#base = base;
    this.#filter = filter;
    this.#limits = apiLimits;
  }

  /**
   * Adds a page.
   *
   * @returns the cursor of the next page; undefined after the last one
   * @throws ReadingError
   */
  add(body: Buffer, location: string): URL | undefined {
    this.#pages++;
    this.bytes += body.length;
    const { servers, cursor } = readPage(decodeSource(body, location), location);
    this.#servers += servers.length;
    if (this.#servers > this.#limits.servers)
      throw new ReadingError(location, `it lists more than ${this.#limits.servers} servers`);
    for (const server of servers) this.#take(server);
    if (cursor === undefined) return undefined;
    if (this.#cursors.has(cursor)) throw new ReadingError(location, 'its pages repeat: it returned a cursor twice');
    if (this.#pages >= this.#limits.pages)
      throw new ReadingError(location, `it has more than ${this.#limits.pages} pages`);
    this.#cursors.add(cursor);
    const next = new URL(this.#base);
    next.searchParams.set('cursor', cursor);
    return next;
  }

  /** @throws ReadingError for a list without any valid entry */
  reading(): Reading {
    const location = formatLocation(this.#base);
    if (this.#servers === 0) throw new ReadingError(location, 'it lists no servers');
    if (this.#faults === this.#servers)
      throw new ReadingError(location, `none of its ${this.#servers} servers is valid: ${this.#firstFault}`);
    return { entries: [...this.#entries.values()].sort(compareEntries), mark: null, note: this.#note() };
  }

  #note(): string {
    const faults =
      this.#faults === 0
        ? ''
        : `${countText(this.#faults, this.#servers)} not valid, and left out: ${this.#firstFault}`;
    return [faults, formatNewerSchemaNote(this.#newer, this.#servers)].filter(note => note !== '').join('; ');
  }

  #take(value: unknown): void {
    const { entry, problems } = readServerResponse(value);
    if (entry === undefined) {
      this.#faults++;
      const [first] = problems;
      if (this.#firstFault === '')
        this.#firstFault = truncate(`${readName(value)}: ${first?.pointer ?? ''} ${first?.message ?? 'is not valid'}`);
      return;
    }
    if (isNewerSchema(entry.server.$schema)) this.#newer++;
    // A line break separates name and version, because names contain none.
    const key = `${entry.server.name}\n${entry.server.version}`;
    if (passesFilter(this.#filter, entry.server) && !this.#entries.has(key))
      this.#entries.set(key, toServerEntry(entry));
  }
}

function readPage(text: string, location: string): { servers: readonly unknown[]; cursor: string | undefined } {
  let page: { servers?: unknown; metadata?: { nextCursor?: unknown } | null } | null;
  try {
    page = JSON.parse(text);
  } catch {
    throw new ReadingError(location, 'a page is not JSON');
  }
  const servers = page?.servers;
  if (!Array.isArray(servers))
    throw new ReadingError(location, 'a page has no "servers"; check whether the URL is the API of a registry');
  const cursor = page?.metadata?.nextCursor ?? '';
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH)
    throw new ReadingError(location, `"nextCursor" is not a text of at most ${MAX_CURSOR_LENGTH} characters`);
  return { servers, cursor: cursor === '' ? undefined : cursor };
}

function readName(value: unknown): string {
  const name = (value as { server?: { name?: unknown } | null } | null)?.server?.name;
  return typeof name === 'string' ? `"${name.slice(0, 200)}"` : 'an entry without a name';
}
