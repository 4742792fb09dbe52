/** Sends messages to the client as events of one HTTP response. */
import type { ServerResponse } from 'node:http';

/** How much a client may leave unread before its stream is closed: 32 MiB. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

export function beginEvents(res: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers });
  res.flushHeaders();
}

/** @param text one line */
export function writeEvent(res: ServerResponse, text: string): void {
  if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
  else res.write(`event: message\ndata: ${text}\n\n`);
}
