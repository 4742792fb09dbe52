import { StringDecoder } from 'node:string_decoder';
import { AbortableResponder } from '../../mcp/abortable-responder.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { WireError } from '../../mcp/wire-error.ts';
import type { ToolResult } from './engine/index.ts';
import { WorkflowError } from './engine/workflow-error.ts';

/** Limit on the answer to one call, in bytes, because the answer is parsed and stored for the steps that follow. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The answer to a step's call: it collects the result, and sends messages to the workflow's client. */
export class StepResponder extends AbortableResponder implements ClientResponder {
  readonly result$: Promise<ToolResult>;
  private readonly _client: ClientResponder;
  /** Decodes texts in which two chunks share a character. */
  private _decoder: StringDecoder | undefined;
  private _text = '';
  private _bytes = 0;
  private readonly _resolve: (result: ToolResult) => void;
  private readonly _reject: (error: unknown) => void;

  constructor(client: ClientResponder) {
    super();
    this._client = client;
    const { promise, resolve, reject } = Promise.withResolvers<ToolResult>();
    this.result$ = promise;
    this._resolve = resolve;
    this._reject = reject;
  }

  /** Called when the run no longer waits for the response; the backend gets a cancellation. */
  stop(reason: unknown): void {
    this._reject(reason);
    this.raise();
  }

  result(json: string | Buffer): void {
    this._settle(JSON.parse(json.toString()));
  }

  error(error: WireError): void {
    const { reason } = (error.data ?? {}) as { reason?: unknown };
    this._reject(new WorkflowError(error.message, typeof reason === 'string' ? reason : 'call_failed'));
  }

  message(json: string): boolean {
    return this._client.message(json);
  }

  hold(): void {
    this._client.hold();
  }

  start(): void {}

  /** A chunk is decoded at once, because its owner may reuse the memory. */
  data(chunk: Uint8Array): boolean {
    this._bytes += chunk.length;
    if (this._bytes <= MAX_ANSWER_BYTES) this._text += this._decode(chunk);
    else this.stop(new WorkflowError('the answer of the tool is too large', 'too_large'));
    return true;
  }

  onDrain(resume: () => void): void {
    queueMicrotask(resume);
  }

  end(): void {
    try {
      const { result, error } = JSON.parse(this._decoder === undefined ? this._text : this._text + this._decoder.end());
      if (result !== undefined) this._settle(result);
      else this._reject(new WorkflowError(`the backend refused the call: ${error?.message}`, 'refused'));
    } catch {
      this._reject(new WorkflowError('the answer of the backend is not a JSON-RPC response', 'protocol_error'));
    }
  }

  cancel(): void {
    this.stop(new WorkflowError('the call was cancelled', 'stopped'));
  }

  private _decode(chunk: Uint8Array): string {
    const endsWithAscii = (chunk.at(-1) ?? 0) < 0x80;
    if (this._decoder === undefined && endsWithAscii) return toBuffer(chunk).toString('utf8');
    this._decoder ??= new StringDecoder('utf8');
    return this._decoder.write(chunk);
  }

  private _settle(result: unknown): void {
    if (typeof result !== 'object' || result === null || Array.isArray(result))
      this._reject(new WorkflowError('the result of the tool is not an object', 'protocol_error'));
    else this._resolve(requireSoundResult(result as ToolResult));
  }
}

/** The result without invalid content blocks. */
function requireSoundResult(result: ToolResult): ToolResult {
  const { content } = result;
  if (content === undefined) return result;
  const blocks: NonNullable<ToolResult['content']> = Array.isArray(content) ? content : [];
  if (blocks === content && blocks.every(isBlock)) return result;
  return { ...result, content: blocks.filter(isBlock) };
}

function isBlock(block: { readonly type?: unknown } | null): boolean {
  return typeof block?.type === 'string';
}

/** A buffer on the memory of the chunk, without a copy. */
function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
