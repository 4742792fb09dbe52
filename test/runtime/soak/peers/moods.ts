/** The ways in which a peer can answer a call of its tool `echo`. The call itself names one, so that the expected outcome is known. */

export const MOODS = [
  /** Answers with a JSON body. */
  'plain',
  /** Answers on an event stream, after a notification. */
  'events',
  /** Answers twice on an event stream, the second time differently. */
  'twice',
  /** First answers another request on the event stream. */
  'foreign',
  /** Answers after a while, within the time limit. */
  'late',
  /** Answers after the time limit. */
  'too-late',
  /** Never answers. */
  'stall',
  /** Answers with a body that is not JSON. */
  'garbage',
  /** Answers with an event that is not JSON. */
  'garbage-event',
  /** Answers with an event stream that ends without a response. */
  'end-stream',
  /** Breaks the connection in the middle of a JSON body. */
  'cut',
  /** Breaks the connection in the middle of an event stream. */
  'cut-stream',
  /** Breaks an event stream off; a request for the events after its last one gets the response. */
  'resume',
  /** Answers with HTTP 500. */
  'refuse',
  /** Drops the session: answers with 404, and normally when the call is repeated in another session. */
  'forget',
  /** Answers with 404 in every session. */
  'forget-always',
  /** Redirects (307) to another path of the same origin, which responds. */
  'redirect',
  /** Redirects (307) to another origin, which would respond. */
  'redirect-away',
  /** Elicits first, and responds with the client's answer. */
  'ask',
] as const;

export type Mood = (typeof MOODS)[number];

/** The arguments of `echo`. */
export interface EchoArguments {
  readonly mood: Mood;
  readonly nonce: string;
}

/** The milliseconds after which `late` answers. */
export const LATE_MS = 150;

/** The time limit of backends that stall; much longer than a response takes when 500 clients share a busy machine. */
export const STALL_LIMIT_MS = 10_000;

/** The milliseconds after which `too-late` answers: timeouts fire up to 3 % late, and later on a busy machine. */
export const TOO_LATE_MS: number = STALL_LIMIT_MS + 2_000;

/** The result of `echo`: the peer, the call, and the client's answer if there was an elicitation. */
export function echoText(peer: string, nonce: string, said?: string): string {
  return said === undefined ? `${peer} ${nonce}` : `${peer} ${nonce} ${said}`;
}

/** The JSON text of a call's response. */
export function answerText(id: unknown, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

/** The JSON text of the elicitation before a response. */
export function questionText(id: string, nonce: string): string {
  const requestedSchema = { type: 'object', properties: { said: { type: 'string' } } };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: { mode: 'form', message: nonce, requestedSchema },
  });
}

/** The result of a request that all peers answer alike; undefined for others. */
export function commonResult(peer: string, method: string): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: peer, version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}
