import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const RUNTIME = resolve(import.meta.dirname, '../../../runtime');

/** Objects that are created for each call; `runtime/README.md` explains why. */
const MADE_FOR_EACH_CALL = [
  'gateway/backends/messages/response-scanner.ts',
  'gateway/backends/messages/response-validator.ts',
  'gateway/backends/http/post-call/event-stream.ts',
  'gateway/backends/http/post-call/forwarded-body.ts',
  'gateway/backends/http/post-call/json-body.ts',
  'gateway/backends/http/post-call/post-call.ts',
  'gateway/backends/http/post-call/response-scan.ts',
  'gateway/backends/http/post-call/response-timeout.ts',
  'gateway/backends/stateless/input-rounds.ts',
  'gateway/sessions/relayed-call.ts',
  'gateway/backends/messages/response-rewriter.ts',
  'gateway/stateless/bridged-call.ts',
  'gateway/stateless/buffered-response.ts',
  'gateway/routing/forwarded-call.ts',
  'gateway/stateless/relay.ts',
  'http/exchange.ts',
  'mcp/abort-flag.ts',
  'mcp/event-stream-parser.ts',
  'mcp/http-responder.ts',
  'mcp/json/scan-bytes.ts',
  'mcp/stateless/caller.ts',
  'observe/metrics/histogram.ts',
  'observe/requests/response-error.ts',
  'observe/requests/observed-responder.ts',
];

test.each(MADE_FOR_EACH_CALL)(
  'the class in %s, of which each call has an instance, has no #private names',
  async file => {
    const source = await readFile(resolve(RUNTIME, file), 'utf8');
    expect(source).toContain('  private ');
    expect(source.match(/^ +(?:\w+ )*#\w+|\w\.#\w+/gm)).toBeNull();
  },
);
