/** Requests of a client in one session, to whichever replica. */
import { expect } from 'vitest';

const ACCEPT = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };

export function post(
  url: string,
  message: object,
  session?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = { ...ACCEPT, ...more, ...(session === undefined ? {} : { 'Mcp-Session-Id': session }) };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

export const INITIALIZE = {
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** @param capabilities of the client */
export async function openSession(
  url: string,
  capabilities: object = {},
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const message = { ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } };
  const answer = await post(url, message, undefined, more);
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('mcp-session-id') as string;
}

export const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Opens the standing stream at a replica, or goes on with a stream. */
export function listen(url: string, session: string, lastEventId?: string): Promise<Response> {
  const resumed = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  return fetch(url, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session, ...resumed } });
}

/** What comes on a stream, as long as it is open. */
export function reading(stream: Response): { text: string } {
  const read = { text: '' };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) read.text += decoder.decode(chunk as Uint8Array);
  })().catch(() => {});
  return read;
}

/** The result of an answer, whether it came as JSON or as an event stream. */
export async function resultOf(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.startsWith('text/event-stream')
    ? (text.split(/^data: (?=\{)/m).at(-1) ?? '')
    : text;
  return JSON.parse(json) as Record<string, unknown>;
}

export async function disposable<T extends { close(): Promise<void> }>(opening: Promise<T>) {
  const peer = await opening;
  return { peer, [Symbol.asyncDispose]: () => peer.close() };
}
