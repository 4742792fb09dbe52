/** What the room is given by the process that serves it: it reaches nothing by itself. */
import type { AddressPolicy, RedisPlan } from '#schemas';
import type { Secrets } from '../auth/secrets.ts';
import type { Logger } from '../observe/log.ts';
import type { Redis } from '../redis/redis.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends requests by the guarded client of the runtime, each within limits of size and time. */
export interface OutgoingClient {
  /** Rejects with an error whose message can be shown to operators. */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>;
  close(): Promise<void>;
}

export interface AuthServerHost {
  readonly log: Logger;
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
}
