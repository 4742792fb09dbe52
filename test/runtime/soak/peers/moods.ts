/** What a peer does with a call of its tool `echo`: the call itself says so, so that it is known what must become of it. */

export const MOODS = [
  /** Answers with a JSON body. */
  'plain',
  /** Answers on an event stream, after a notification. */
  'events',
  /** Answers twice on an event stream, the second time with something else. */
  'twice',
  /** Answers another request on the event stream first. */
  'foreign',
  /** Answers after a while, within the time limit. */
  'late',
  /** Answers when the time limit has passed. */
  'too-late',
  /** Never answers. */
  'stall',
  /** A body that is not JSON. */
  'garbage',
  /** An event that is not JSON. */
  'garbage-event',
  /** An event stream that ends without the answer. */
  'end-stream',
  /** A JSON body that breaks off with its connection. */
  'cut',
  /** An event stream that breaks off with its connection. */
  'cut-stream',
  /** An event stream that breaks off, and the answer for who asks for what came after its last event. */
  'resume',
  /** HTTP 500. */
  'refuse',
  /** Forgets the session: 404, and an answer to the repetition in another one. */
  'forget',
  /** 404 whatever the session. */
  'forget-always',
  /** 307 to another path of the same origin, which answers. */
  'redirect',
  /** 307 to another origin, which would answer. */
  'redirect-away',
  /** Asks the client first, and answers with what it said. */
  'ask',
] as const;

export type Mood = (typeof MOODS)[number];

/** The arguments of `echo`. */
export interface EchoArguments {
  readonly mood: Mood;
  readonly nonce: string;
}

/** `late` answers after this long. */
export const LATE_MS = 150;

/** The time limit of backends that stall; far more than an answer takes where 500 clients share a busy machine. */
export const STALL_LIMIT_MS = 10_000;

/** `too-late` answers after this long: time limits are noticed up to 3 % late, and later on a busy machine. */
export const TOO_LATE_MS: number = STALL_LIMIT_MS + 2_000;

/** What `echo` answers: who, to which call, and what the client said when it was asked. */
export function echoText(peer: string, nonce: string, said?: string): string {
  return said === undefined ? `${peer} ${nonce}` : `${peer} ${nonce} ${said}`;
}

/** The JSON text of a call's answer. */
export function answerText(id: unknown, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

/** The JSON text of the question before an answer. */
export function questionText(id: string, nonce: string): string {
  const requestedSchema = { type: 'object', properties: { said: { type: 'string' } } };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: { mode: 'form', message: nonce, requestedSchema },
  });
}

/** The result of a request that any peer answers in the same way; undefined for others. */
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
