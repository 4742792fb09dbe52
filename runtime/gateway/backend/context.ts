/** What every part of one backend's edge needs to know. */

import type { HttpClient } from '../../http/client.ts';
import type { HttpTarget } from '../../http/exchange.ts';
import type { Logger } from '../../observe/log.ts';
import type { ReconnectLimits } from './backoff.ts';
import type { ClientInfo } from './handshake.ts';

export interface BackendContext {
  readonly backend: string;
  readonly client: HttpClient;
  readonly target: HttpTarget;
  /** Time without a sign of an answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly clientInfo: ClientInfo;
  readonly reconnect: ReconnectLimits;
  readonly log: Logger;
}

/** Headers of a POST before a session is open; names and values in turn. */
export function postHeaders(context: BackendContext): string[] {
  return [
    'accept',
    'application/json, text/event-stream',
    'content-type',
    'application/json',
    ...userAgentHeader(context),
  ];
}

/** Headers of a GET that opens an event stream; names and values in turn. */
export function streamHeaders(context: BackendContext): string[] {
  return ['accept', 'text/event-stream', 'cache-control', 'no-cache', ...userAgentHeader(context)];
}

/** Who we are, as a header's name and value. */
export function userAgentHeader(context: BackendContext): string[] {
  return ['user-agent', `lintel/${context.clientInfo.version}`];
}

/** The media type of a `content-type`, in lower case and without parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase();
}
