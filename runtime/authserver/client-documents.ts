/**
 * Clients that do not register: their `client_id` is the URL of a document that describes them (draft-ietf-oauth-client-id-metadata-document).
 * Anyone can make the server fetch any URL, so fetches, cached documents and concurrency are limited, and a client with which no person has
 * signed in never evicts a client with which a person has.
 */

import { LRUCache } from 'lru-cache';
import type { AuthServerPlan } from '#schemas';
import { isObject } from '#schemas';
import { type Rate, TokenBuckets } from '#shared/util';
import type { OutgoingClient, OutgoingResponse } from './host.ts';
import { type ClientMetadata, RegistrationRefusedError, readRegistration } from './registration.ts';

/** Limit on a document, in bytes; the draft recommends 5 KiB. */
const MAX_DOCUMENT_BYTES = 16 * 1024;

const MAX_URL_LENGTH = 2048;

/** Maximum number of concurrent fetches, and the rate limit for clients with which no person has signed in: a burst of 20, then one per 200 ms. */
const MAX_FETCHES = 16;
const FETCHES: Rate = { maxTokens: 20, refillPeriodMs: 20 * 200 };

/** How long a cached document is used while its server is unavailable; milliseconds. After an answer 4xx it is dropped immediately. */
const STALE_MS = 24 * 60 * 60_000;
const RETRY_MS = 60_000;

/** How long a document that was refused or unavailable is not fetched again, in milliseconds, and how many such URLs are remembered. */
const REFUSED_MS = 10_000;
const MAX_REFUSED = 1_000;

/**
 * `refused`: the document is not a valid client. `unavailable`: it cannot be fetched now. The message can be shown to any client; details about
 * the network are only in `cause`.
 */
export class ClientDocumentError extends Error {
  readonly reason: 'refused' | 'unavailable';

  constructor(reason: ClientDocumentError['reason'], message: string, cause?: unknown) {
    super(`${DOCUMENT_PROBLEM}: ${message}`, { cause });
    this.name = 'ClientDocumentError';
    this.reason = reason;
  }
}

/** Prefix of messages about documents. */
export const DOCUMENT_PROBLEM = 'the metadata document of the client';

export type DocumentedClient = ClientMetadata & { readonly client_id: string };

export interface ClientDocumentsOptions {
  readonly plan: Pick<AuthServerPlan, 'registration' | 'scopes'>;
  readonly settings: NonNullable<AuthServerPlan['clientDocuments']>;
  readonly client: OutgoingClient;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface CachedDocument {
  readonly client: DocumentedClient;
  readonly fetchedAt: number;
  freshUntil: number;
}

export class ClientDocuments {
  readonly #options: ClientDocumentsOptions;
  readonly #now: () => number;
  /** Clients with which a person has signed in, and clients whose document was only fetched; oldest first. */
  readonly #used = new Map<string, CachedDocument>();
  readonly #seen = new Map<string, CachedDocument>();
  readonly #refused = new LRUCache<string, { readonly error: ClientDocumentError; readonly until: number }>({
    max: MAX_REFUSED,
  });
  readonly #fetching = new Map<string, Promise<DocumentedClient>>();
  readonly #turns = new TokenBuckets(FETCHES, 1);

  constructor(options: ClientDocumentsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** @throws ClientDocumentError by rejecting */
  find(url: string): Promise<DocumentedClient> {
    const known = this.#used.get(url) ?? this.#seen.get(url);
    if (known !== undefined && known.freshUntil > this.#now()) return Promise.resolve(known.client);
    const refused = this.#refused.get(url);
    if (refused !== undefined && refused.until > this.#now()) return Promise.reject(refused.error);
    let fetching = this.#fetching.get(url);
    if (fetching === undefined) {
      fetching = this.#renew(url, known).finally(() => this.#fetching.delete(url));
      this.#fetching.set(url, fetching);
    }
    return fetching;
  }

  /** Protects a client from eviction, because a person has signed in with it. */
  keep(url: string): void {
    const known = this.#used.get(url) ?? this.#seen.get(url);
    if (known === undefined) return;
    this.#seen.delete(url);
    this.#put(this.#used, url, known);
  }

  /** Number of cached documents. */
  get size(): number {
    return this.#used.size + this.#seen.size;
  }

  close(): Promise<void> {
    return this.#options.client.close();
  }

  async #renew(url: string, known: CachedDocument | undefined): Promise<DocumentedClient> {
    try {
      const client = this.#read(url, await this.#fetch(url));
      const now = this.#now();
      const renewed = { client, fetchedAt: now, freshUntil: now + this.#options.settings.freshSeconds * 1000 };
      this.#put(this.#used.has(url) ? this.#used : this.#seen, url, renewed);
      return client;
    } catch (error) {
      if (!(error instanceof ClientDocumentError)) throw error;
      if (error.reason === 'unavailable' && known !== undefined && known.fetchedAt + STALE_MS > this.#now()) {
        known.freshUntil = this.#now() + RETRY_MS;
        return known.client;
      }
      if (error.reason === 'refused') {
        this.#used.delete(url);
        this.#seen.delete(url);
      }
      if (error !== TOO_MANY) this.#refuse(url, error);
      throw error;
    }
  }

  async #fetch(url: string): Promise<string> {
    if (this.#fetching.size >= MAX_FETCHES || (!this.#used.has(url) && this.#turns.take('', this.#now()) > 0))
      throw TOO_MANY;
    let answer: OutgoingResponse;
    try {
      const headers = { accept: 'application/json' };
      answer = await this.#options.client.request({ method: 'GET', url: new URL(url), headers });
    } catch (error) {
      throw createUnavailableError('it cannot be fetched now', error);
    }
    const { status, body } = answer;
    if (status === 429 || status >= 500) throw createUnavailableError(`its server answers ${status}`);
    // Redirects are not followed, because the URL identifies the client.
    if (status !== 200) throw createRefusedError(`its server answers ${status}`);
    if (Buffer.byteLength(body) > MAX_DOCUMENT_BYTES)
      throw createRefusedError(`it has more than ${MAX_DOCUMENT_BYTES / 1024} KiB`);
    return body;
  }

  /** Reads a document. It is written for all authorization servers, so grant types and scopes that this server does not support are ignored. */
  #read(url: string, text: string): DocumentedClient {
    const document = parseObject(text);
    if (document === undefined) throw createRefusedError('it is not a JSON object');
    if (document.client_id !== url) throw createRefusedError('its client_id is not the URL that it was fetched from');
    if ('client_secret' in document || 'client_secret_expires_at' in document)
      throw createRefusedError('it contains a secret, which every reader of the document can see');
    const { token_endpoint_auth_method: method = 'none', client_name: name } = document;
    if (method !== 'none')
      throw createRefusedError('its token_endpoint_auth_method is not none, the only method that this server supports');
    const { scopes, registration } = this.#options.plan;
    const wish = {
      redirect_uris: document.redirect_uris,
      grant_types: filterAllowed(document.grant_types, ['authorization_code', 'refresh_token']),
      response_types: filterAllowed(document.response_types, ['code']),
      scope:
        typeof document.scope === 'string' ? filterAllowed(document.scope.split(' '), scopes)?.join(' ') : undefined,
      ...(typeof name === 'string' && NAME.test(name) ? { client_name: name } : {}),
    };
    try {
      const client = readRegistration(wish, this.#options.plan);
      if (client.redirect_uris.some(uri => registration.secretRedirectUris.includes(uri)))
        throw createRefusedError('it has a redirect URI that is for clients with a secret only');
      return { ...client, client_id: url };
    } catch (error) {
      throw error instanceof RegistrationRefusedError ? createRefusedError(error.message) : error;
    }
  }

  /** A full cache evicts clients without a sign-in first. If there are none, a new client without a sign-in is not cached. */
  #put(cache: Map<string, CachedDocument>, url: string, known: CachedDocument): void {
    cache.delete(url);
    if (this.size >= this.#options.settings.maxCached) {
      const [oldestSeen] = this.#seen.keys();
      const [oldestUsed] = this.#used.keys();
      if (oldestSeen !== undefined) this.#seen.delete(oldestSeen);
      else if (cache === this.#seen) return;
      else if (oldestUsed !== undefined) this.#used.delete(oldestUsed);
    }
    cache.set(url, known);
  }

  #refuse(url: string, error: ClientDocumentError): void {
    this.#refused.set(url, { error, until: this.#now() + REFUSED_MS });
  }
}

/** Whether a `client_id` can be the URL of a document: https, with a path, and normalized, so that one client has one identifier. */
export function isDocumentUrl(id: string): boolean {
  if (id.length > MAX_URL_LENGTH || id.includes('#')) return false;
  const url = URL.parse(id);
  if (url === null || url.protocol !== 'https:' || url.href !== id) return false;
  return url.username === '' && url.password === '' && url.pathname !== '/' && !/%2e/i.test(url.pathname);
}

const NAME = /^[\x20-\x7e]{1,256}$/;

const TOO_MANY = new ClientDocumentError('unavailable', 'too many metadata documents are being fetched now');

function createRefusedError(message: string): ClientDocumentError {
  return new ClientDocumentError('refused', message);
}

function createUnavailableError(message: string, cause?: unknown): ClientDocumentError {
  return new ClientDocumentError('unavailable', message, cause);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The allowed items of a list; undefined for a missing list. A value that is no list is returned unchanged, and registration refuses it. */
function filterAllowed(list: unknown, allowed: readonly string[]): readonly string[] | undefined {
  if (list === undefined) return undefined;
  return Array.isArray(list) ? list.filter(value => allowed.includes(value)) : (list as never);
}
