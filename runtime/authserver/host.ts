/** What the hosting process provides: the authorization server makes no connections itself. */
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

/** Sends requests with the runtime's guarded client, within limits on size and time. */
export interface OutgoingClient {
  /** Rejects with an error whose message is safe for operators. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  close(): Promise<void>;
}

/** Callbacks for `/status` and metrics. All labels have a fixed set of values, independent of clients. */
export interface AuthServerObserver {
  registration(outcome: 'registered' | 'refused' | 'limited'): void;
  /** A person's visit at an upstream ended. */
  signIn(upstream: string, outcome: 'signed_in' | 'denied' | 'failed'): void;
  /** @param outcome `issued`, or an error code of OAuth */
  tokenRequest(grantType: string, outcome: string): void;
  /** The renewal of an upstream token ended. */
  upstreamRefresh(upstream: string, outcome: 'renewed' | 'refused' | 'unavailable'): void;
  storage(operation: string, seconds: number, hasFailed: boolean): void;
}

export interface AuthServerHost {
  readonly log: Logger;
  readonly observer: AuthServerObserver;
  /** The bundle's secrets, tracked when they are files. */
  readonly secrets: Pick<Secrets, 'open'>;
  client(addresses: AddressPolicy): OutgoingClient;
  /** The gateway that contains the server; its data in Redis has this name. */
  readonly gateway: { readonly namespace: string; readonly name: string };
  /**
   * Starts connecting to a Redis.
   * @throws SecretError by rejecting
   */
  redis(plan: RedisPlan): Promise<Redis>;
  /** Compiles a CEL expression over `claims`. */
  matcher(expression: string): Promise<Matcher>;
}
