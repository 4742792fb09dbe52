/** Requests of a client in one session, to any process of a gateway. */
import { expect } from 'vitest';

const ACCEPT = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

type Headers = Readonly<Record<string, string>>;

export const INITIALIZE = {
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Requests over the connections of one `fetch`. */
export interface Wire {
  post(url: string, message: object, session?: string, more?: Headers): Promise<Response>;
  /** @param capabilities of the client */
  openSession(url: string, capabilities?: object, more?: Headers): Promise<string>;
  /** Opens the notification stream, or resumes a stream. */
  listen(url: string, session: string, lastEventId?: string): Promise<Response>;
}

export function createWire(send: Fetch): Wire {
  const post: Wire['post'] = (url, message, session, more = {}) => {
    const headers = { ...ACCEPT, ...more, ...(session === undefined ? {} : { 'Mcp-Session-Id': session }) };
    return send(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  };
  return {
    post,
    openSession: async (url, capabilities = {}, more = {}) => {
      const message = { ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } };
      const answer = await post(url, message, undefined, more);
      expect(answer.status).toBe(200);
      await answer.text();
      return answer.headers.get('mcp-session-id') as string;
    },
    listen: (url, session, lastEventId) => {
      const resumed = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      return send(url, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session, ...resumed } });
    },
  };
}

export const { post, openSession, listen }: Wire = createWire(fetch);

export const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Reads a stream as long as it is open. */
export function reading(stream: Response): { text: string } {
  const read = { text: '' };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) read.text += decoder.decode(chunk as Uint8Array);
  })().catch(() => {});
  return read;
}

/** The result of a response, in JSON or in an event stream. */
export async function readResult(answer: Response): Promise<Record<string, unknown>> {
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
