/**
 * The messages between `lintel lock` and `lintel-runtime list`. The request is one JSON document on standard input, because it carries
 * credentials. Standard output gets a line of JSON for each backend as its response arrives.
 */
import type { AddressPolicy, PrivateDenial } from '../addresses.ts';
import type { CatalogItem } from './catalog-item.ts';
import type { BackendTransport } from './format.ts';
import type { TokenExchangePlan } from './outgoing-auth.ts';

export interface ListQuery {
  readonly backends: readonly BackendQuery[];
  /** Set when the runtime must not connect to private addresses. */
  readonly denial?: PrivateDenial | undefined;
}

/** How to reach one backend. */
export interface BackendQuery {
  /** Identifies the backend in the response. */
  readonly key: string;
  readonly url: string;
  readonly transport: BackendTransport;
  readonly addresses: AddressPolicy;
  /** Set for a Lintel bridge, to which the denial does not apply. */
  readonly isBridge?: boolean;
  /** PEM certificates that are trusted in addition to the default ones. */
  readonly caPem?: string;
  /** File with PEM certificates that are trusted in addition to the default ones; not with `caPem`. */
  readonly caFile?: string;
  /** Headers that are sent with every request. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** The gateway's own account, whose token is fetched for the backend; it overrides `headers`. */
  readonly account?: { readonly plan: TokenExchangePlan; readonly secret: string };
  /** A request fails after this time without a byte of response; milliseconds. */
  readonly timeoutMs: number;
  /** Time limit for all requests to the backend; milliseconds. */
  readonly deadlineMs: number;
}

export type BackendResponse = BackendOffering | BackendFailing;

/** Member of `_meta` in a gateway's lists while some of its backends are unavailable; its value is `UnavailableBackends`. */
export const UNAVAILABLE_BACKENDS_META = 'dev.lintel/unavailableBackends';

/** Backends of a gateway that are unavailable now. */
export interface UnavailableBackends {
  readonly count: number;
  /** Sorted; empty when the caller may not know the names. */
  readonly names: readonly string[];
}

/** The items of a backend, unchanged, so they may violate MCP. */
export interface BackendOffering {
  readonly key: string;
  readonly ok: true;
  readonly protocolVersion: string;
  readonly serverInfo: { readonly [name: string]: unknown };
  readonly tools: readonly CatalogItem[];
  readonly prompts: readonly CatalogItem[];
  readonly resources: readonly CatalogItem[];
  readonly resourceTemplates: readonly CatalogItem[];
  /** If the listed server is a gateway: its unavailable backends, whose items are missing. */
  readonly unavailable?: UnavailableBackends;
}

/** Why the backend could not be listed; the message has no credential and no URL query. */
export interface BackendFailing {
  readonly key: string;
  readonly ok: false;
  readonly message: string;
  /** The `WWW-Authenticate` header of the refusal; it is the server's text, and may repeat the request. */
  readonly challenge?: string;
  /** Set for a gateway that lists nothing because backends are unavailable. */
  readonly unavailable?: UnavailableBackends;
}

/** The messages between `lintel call` and `lintel-runtime call`: the request on standard input, the response as one line on standard output. */
export interface CallQuery {
  readonly backend: BackendQuery;
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

export type CallResponse =
  /** The `result` of `tools/call`, unchanged. */
  | { readonly ok: true; readonly result: unknown }
  /**
   * With `code`: the message of a JSON-RPC error of the server. Without `code`: a message that has no credential and no URL query.
   * `challenge` as in `BackendFailing`.
   */
  | { readonly ok: false; readonly message: string; readonly code?: number; readonly challenge?: string };
