import { expect, test } from 'vitest';
import { eventually, isListening, PROGRAM, start } from '../../support/process.ts';
import { RawClient } from '../../support/raw-client.ts';
import { startHeldBackend } from '../held-backend.ts';
import { type Announcement, buildInto, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

const CALL = { name: 'backend_wait', arguments: {} };

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a gateway that gets %s ends its streams, waits for the answer of the running tool call and exits with code 0',
  async signal => {
    await using backend = await startHeldBackend();
    await using folder = await buildInto({ 'group.yaml': GROUP, 'gateway.yaml': inlineGateway('eng', backend.url) });
    await using runtime = start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...FREE_PORTS]);
    const { url, internal } = await runtime.announcement<Announcement>();
    const client = new RawClient(url);
    await client.open();
    await client.result('tools/list');
    const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId ?? '' };
    const stream = await fetch(url, { headers });
    expect(stream.status).toBe(200);
    const call = client.request('tools/call', CALL);
    await backend.called();

    runtime.kill(signal);
    // The stream ends while the call is still running.
    await stream.text();
    await eventually(async () => !(await isListening(url)));
    // Probes are answered until the end.
    expect((await fetch(`${internal}/health`)).status).toBe(200);
    backend.answer();
    const { status, text } = await call;
    expect([status, text]).toEqual([200, expect.stringContaining('at last')]);
    expect(await runtime.exitCode()).toBe(0);
  },
);
