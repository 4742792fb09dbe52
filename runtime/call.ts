/** `lintel-runtime call`: sends one tool call to a backend in the same way as a gateway does. It serves nothing. */
import type { Readable, Writable } from 'node:stream';
import type { CallQuery, CallResponse } from '#schemas';
import { OptionError } from '#shared/util';
import { collect } from './gateway/backends/collect.ts';
import { RpcError } from './gateway/backends/rpc-error.ts';
import { createLogger } from './observe/log.ts';
import { describeFailure, openBackend } from './queried-backend.ts';
import { readAll, writeLine } from './standard-streams.ts';

/**
 * Reads the request from `input` to its end and writes the response to `output` as one line.
 * @throws OptionError for an invalid request
 */
export async function call(input: Readable, output: Writable): Promise<void> {
  await writeLine(output, JSON.stringify(await answerTo(parseQuery(await readAll(input)))));
}

async function answerTo({ backend: query, tool, arguments: args }: CallQuery): Promise<CallResponse> {
  const backend = await openBackend(query, undefined, createLogger('silent'));
  const late = AbortSignal.timeout(query.deadlineMs);
  const giveUp = () => void backend.session.close();
  late.addEventListener('abort', giveUp);
  try {
    const method = 'tools/call';
    const params = JSON.stringify({ name: tool, arguments: args });
    const text = `{"jsonrpc":"2.0","id":"lintel-call","method":"${method}","params":${params}}`;
    const request = { text, id: '"lintel-call"', method, name: tool };
    const result = await collect(query.key, request, { signal: late }, (sent, sink) =>
      backend.session.request(sent, sink),
    );
    return { ok: true, result };
  } catch (error) {
    if (error instanceof RpcError) return { ok: false, message: error.message, code: error.code };
    const message = late.aborted
      ? `did not finish within ${query.deadlineMs / 1000}s`
      : describeFailure(error, 'the call');
    return { ok: false, message, ...(backend.challenge !== undefined && { challenge: backend.challenge }) };
  } finally {
    late.removeEventListener('abort', giveUp);
    await backend.close();
  }
}

function parseQuery(text: string): CallQuery {
  try {
    const query = JSON.parse(text) as CallQuery;
    if (typeof query.tool === 'string') return query;
  } catch {
    // The error is reported below, without the text, which may contain credentials.
  }
  throw new OptionError('call reads {"backend": …, "tool": …} from standard input; `lintel call` writes it');
}
