/** What the room is given by the process that serves it: it reaches nothing by itself. */
import type { AddressPolicy, RedisPlan } from '#schemas';
import type { Secrets } from '../auth/secrets.ts';
import type { Logger } from '../observe/log.ts';
import type { Redis } from '../redis/redis.ts';
import type { Matcher } from './delegation/foreign-issuer.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface OutgoingResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends requests by the guarded client of the runtime, each within limits of size and time. */
export interface OutgoingClient {
  /** Rejects with an error whose message can be shown to operators. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  close(): Promise<void>;
}

/** Called as things happen; what comes of it is for `/status` and metrics. No word is from a client: there are only so many of each. */
export interface AuthServerObserver {
  registration(outcome: 'registered' | 'refused' | 'limited'): void;
  /** A visit of a person at an upstream has ended. */
  signIn(upstream: string, outcome: 'signed_in' | 'denied' | 'failed'): void;
  /** @param outcome `issued`, or an error code of OAuth */
  tokenRequest(grantType: string, outcome: string): void;
  /** A token of an upstream was to be renewed. */
  upstreamRefresh(upstream: string, outcome: 'renewed' | 'refused' | 'unavailable'): void;
  storage(operation: string, seconds: number, hasFailed: boolean): void;
}

export interface AuthServerHost {
  readonly log: Logger;
  readonly observer: AuthServerObserver;
  /** The secrets of the bundle, followed where they are files. */
  readonly secrets: Pick<Secrets, 'open'>;
  client(addresses: AddressPolicy): OutgoingClient;
  /** The gateway that the server is part of: what it keeps in a Redis has its name. */
  readonly gateway: { readonly namespace: string; readonly name: string };
  /**
   * Begins to connect to a Redis.
   *
   * @throws SecretError by rejecting
   */
  redis(plan: RedisPlan): Promise<Redis>;
  /** Reads a CEL expression over `claims`. */
  matcher(expression: string): Promise<Matcher>;
}
