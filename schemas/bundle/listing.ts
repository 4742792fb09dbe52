/**
 * What passes between `lintel lock` and `lintel-runtime list`: the question as one JSON document on standard input, since
 * it carries credentials, and an answer for each backend as a line of JSON on standard output, in the order in which they
 * come.
 */
import type { AddressPolicy, PrivateDenial } from '../addresses.ts';
import type { BackendTransport } from './format.ts';
import type { TokenExchangePlan } from './outgoing-auth.ts';
import type { CatalogItem } from './presented-item.ts';

export interface ListQuery {
  readonly backends: readonly BackendQuery[];
  /** That nothing private is asked. */
  readonly denial?: PrivateDenial | undefined;
}

/** How one backend is reached. */
export interface BackendQuery {
  /** Comes back with the answer. */
  readonly key: string;
  readonly url: string;
  readonly transport: BackendTransport;
  readonly addresses: AddressPolicy;
  /** A bridge of ours, which no denial is about. */
  readonly isBridge?: boolean;
  /** PEM certificates trusted besides the usual ones. */
  readonly caPem?: string;
  /** File with PEM certificates trusted besides the usual ones; not with `caPem`. */
  readonly caFile?: string;
  /** Sent with every request. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** The gateway's own account, which fetches a token for the backend; goes before `headers`. */
  readonly account?: { readonly plan: TokenExchangePlan; readonly secret: string };
  /** Time without any sign of an answer after which a request is given up; milliseconds. */
  readonly timeoutMs: number;
  /** Time for everything; milliseconds. */
  readonly deadlineMs: number;
}

export type BackendResponse = BackendOffering | BackendFailing;

/** Name in `_meta` of the lists of a gateway while backends of it are away; its value is `UnavailableBackends`. */
export const UNAVAILABLE_BACKENDS_META = 'dev.lintel/unavailableBackends';

/** Backends of a gateway that do not serve now. */
export interface UnavailableBackends {
  readonly count: number;
  /** Sorted; none where the caller may not know them. */
  readonly names: readonly string[];
}

/** What a backend offers. Items are as it sent them, which need not be as MCP wants them. */
export interface BackendOffering {
  readonly key: string;
  readonly ok: true;
  readonly protocolVersion: string;
  readonly serverInfo: { readonly [name: string]: unknown };
  readonly tools: readonly CatalogItem[];
  readonly prompts: readonly CatalogItem[];
  readonly resources: readonly CatalogItem[];
  readonly resourceTemplates: readonly CatalogItem[];
  /** Of a gateway, while backends of it are away: what they offer is missing. */
  readonly unavailable?: UnavailableBackends;
}

/** Why nothing is known of it; the message names no credential and no query. */
export interface BackendFailing {
  readonly key: string;
  readonly ok: false;
  readonly message: string;
  /** Of a gateway that lists nothing while backends of it are away. */
  readonly unavailable?: UnavailableBackends;
}

/** What passes between `lintel call` and `lintel-runtime call`: the question on standard input, the answer as a line on standard output. */
export interface CallQuery {
  readonly backend: BackendQuery;
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

export type CallResponse =
  /** The `result` of `tools/call`, as it came. */
  | { readonly ok: true; readonly result: unknown }
  /** `code` is that of a JSON-RPC error, whose words `message` then are; else the message names no credential and no query. */
  | { readonly ok: false; readonly message: string; readonly code?: number };
