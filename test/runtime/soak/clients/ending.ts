/** How a call ended for its client. */

export interface JsonRpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  readonly result?: any;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly backend?: string; readonly reason?: string };
  };
}

export type Ending =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly reason: string | undefined }
  /** The connection broke before the response was complete. */
  | { readonly kind: 'broken'; readonly message: string }
  /** A protocol violation: no response, two responses, the response for another client, or a request for another client. */
  | { readonly kind: 'violation'; readonly message: string };

/** A client that calls tools in sequence. */
export interface SoakClient {
  /** The name of the client in reports. */
  readonly name: string;
  open(): Promise<void>;
  /** Calls a tool with a mood and a nonce. Never rejects. */
  call(tool: string, echo: { readonly mood: string; readonly nonce: string }): Promise<Ending>;
  close(): Promise<void>;
}

/** The ending of a call, from the messages that answered it. */
export function classifyEnding(id: number, answers: readonly JsonRpcMessage[]): Ending {
  const [answer, second] = answers;
  if (answer === undefined) return { kind: 'violation', message: 'no answer' };
  if (second !== undefined) return { kind: 'violation', message: `two answers: ${JSON.stringify(answers)}` };
  if (answer.id !== id) return { kind: 'violation', message: `the answer to another: ${JSON.stringify(answer)}` };
  if (answer.error !== undefined) {
    const { code, message, data } = answer.error;
    return { kind: 'error', code, message, reason: data?.reason };
  }
  const text = answer.result?.content?.[0]?.text;
  if (typeof text !== 'string') return { kind: 'violation', message: `no result: ${JSON.stringify(answer)}` };
  return { kind: 'answer', text };
}
