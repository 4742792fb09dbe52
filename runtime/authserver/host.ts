/** What the gateway's process provides to the authorization server, which opens no connections itself. */
import type { AddressPolicy, RedisPlan } from '#schemas';
import type { ClaimsMatcher } from '../auth/claims-matcher.ts';
import type { Secrets } from '../auth/secrets.ts';
import type { Logger } from '../observe/log.ts';
import type { Redis } from '../redis/redis.ts';

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

/** Callbacks for `/status` and metrics. The values of their labels do not depend on what clients send. */
export interface AuthServerObserver {
  registration(outcome: 'registered' | 'refused' | 'limited'): void;
  /** A person has come back from the sign-in page of an upstream. */
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
  /** The bundle's secrets; those in files are read again when they change. */
  readonly secrets: Pick<Secrets, 'open'>;
  client(addresses: AddressPolicy): OutgoingClient;
  /** The gateway that contains the authorization server; the keys in Redis contain its namespace and name. */
  readonly gateway: { readonly namespace: string; readonly name: string };
  /**
   * Starts connecting to a Redis.
   * @throws SecretError by rejecting
   */
  redis(plan: RedisPlan): Promise<Redis>;
  /** Compiles a CEL expression over `claims`. */
  matcher(expression: string): Promise<ClaimsMatcher>;
}
