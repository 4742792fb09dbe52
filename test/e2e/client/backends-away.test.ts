/** `lintel ls` and `lintel call` at a gateway whose backends are unavailable: the commands report that the list is incomplete. */
import { expect, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { runLintel } from '../../support/lintel.ts';
import { startSdkServer } from '../../support/sdk-server.ts';

/** Backends at ports without a listener. */
const DOCS = backendPlan('docs', 'http://127.0.0.1:9/mcp');
const WIKI = backendPlan('wiki', 'http://127.0.0.1:9/mcp');

const WHY = 'is missing here, and the log and /status of the gateway say why';
const DOCS_ALONE = `a backend of this gateway does not answer: docs; what it offers ${WHY}`;

test('`lintel ls` names the backends and exits with code 3 when no backend answers', async () => {
  await using gateway = await startGateway({ backends: [WIKI, DOCS] });
  expect(await runLintel(['ls', gateway.url], {})).toEqual({
    code: 3,
    stdout: '',
    stderr: `lintel: ${gateway.url}: 2 backends of this gateway do not answer: docs, wiki; what they offer ${WHY}\n`,
  });
  const { code, stdout } = await runLintel(['ls', gateway.url, '--format', 'json'], {});
  expect([code, JSON.parse(stdout)]).toMatchObject([
    3,
    { tools: [], unavailable: { count: 2, names: ['docs', 'wiki'] } },
  ]);
});

test('`lintel ls` lists the tools of available backends, and `lintel call` of a missing tool names the unavailable backend', async () => {
  const notes = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'find_notes' }] });
  try {
    await using gateway = await startGateway({ backends: [DOCS, backendPlan('notes', notes.url)] });
    const listed = await runLintel(['ls', gateway.url], {});
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('notes_find_notes') });
    expect(listed.stderr).toBe(`lintel: ${gateway.url}: ${DOCS_ALONE}\n`);
    const called = await runLintel(['call', 'search', '--url', gateway.url], {});
    expect(called).toMatchObject({ code: 3, stderr: expect.stringContaining(DOCS_ALONE) });
  } finally {
    await notes.close();
  }
});

test('`lintel ls` names the unavailable backend of a gateway that refuses to list tools', async () => {
  await using gateway = await startGateway({ backends: [DOCS], operational: { partialFailure: 'fail' } });
  expect(await runLintel(['ls', gateway.url], {})).toEqual({
    code: 3,
    stdout: '',
    stderr: `lintel: ${gateway.url}: refused to list what it offers (JSON-RPC error -32603)\nlintel: ${gateway.url}: ${DOCS_ALONE}\n`,
  });
});
