/** The log reports what the gateway withholds from clients, with the reason. It does not contain what clients send. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { RawClient } from '../../support/raw-client.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const inputSchema = { type: 'object' };
const LONG = 'x'.repeat(129);

/** A backend with these tools, which answers all calls alike. */
async function backendWith(tools: () => readonly object[]) {
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      const result = message.method === 'tools/list' ? { tools: tools() } : { content: [] };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    }, 's-1'),
  );
  onTestFinished(() => server.close());
  return `${server.origin}/mcp`;
}

test('the log names each withheld tool once with backend and reason, and contains no argument', async () => {
  let tools: readonly object[] = [
    { name: 'good', inputSchema },
    { name: 'no_schema', inputSchema: 'SECRET of a definition' },
    { name: 'odd schema', inputSchema },
    { name: LONG, inputSchema },
    { name: 'good', inputSchema, description: 'SECRET of a definition' },
    { description: 'SECRET of a definition' },
    { name: 'both', inputSchema },
  ];
  const bad = await backendWith(() => tools);
  const other = await backendWith(() => [{ name: 'both', inputSchema }]);
  const { log, lines } = listeningLog();
  const asIs = { tools: { prefix: '', advertise: { type: 'all' }, overrides: {} } } as const;
  const plans = [backendPlan('bad', bad, asIs), backendPlan('other', other, asIs)];
  const health = { intervalMs: 100, timeoutMs: 5_000, unhealthyThreshold: 3 };
  await using gateway = await startGateway({ backends: plans, operational: { health } }, log);
  await gateway.ready();

  const said = () => lines.filter(({ msg }) => msg.startsWith('withheld'));
  const expected = [
    ['bad', '#5', 'malformed', 'has no name'],
    ['bad', 'both', 'collision', undefined],
    ['bad', 'good', 'duplicate', 'is listed more than once: only the first is served'],
    ['bad', 'no_schema', 'invalid_schema', 'inputSchema must be a JSON Schema of type "object"'],
    ['bad', 'odd schema', 'unfit_name', 'the name has spaces, control characters or invisible ones'],
    ['bad', LONG, 'unfit_name', 'the name is longer than 128 characters'],
    ['other', 'both', 'collision', undefined],
  ];
  await eventually(() => said().length >= expected.length);
  const told = said().map(({ level, kind, backend, originalName, reason, detail }) => {
    expect([level, kind]).toEqual(['warn', 'tools']);
    return [backend, originalName, reason, detail];
  });
  expect(told.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual(expected);
  for (const { msg, originalName, backend, detail, reason } of said()) {
    expect(msg).toContain(`tool "${originalName}" of backend "${backend}"`);
    expect(msg).toContain(detail ?? reason);
  }

  // Calls of existing and of withheld tools; then a change, which is the only thing that is logged.
  const client = new RawClient(gateway.url);
  await client.open();
  for (const name of ['good', 'both', 'odd schema', LONG]) {
    await client.request('tools/call', { name, arguments: { password: 'SECRET of an argument' } });
  }
  tools = [...tools, { name: 'late', inputSchema: [] }];
  await eventually(() => said().length > expected.length);
  expect(said().slice(expected.length)).toMatchObject([{ originalName: 'late', reason: 'invalid_schema' }]);
  expect(JSON.stringify(lines)).not.toContain('SECRET');
});

test('a backend with new invalid tools at each reading gets 20 log lines a minute, and another backend still gets its log lines', async () => {
  let readings = 0;
  const bad = await backendWith(() => {
    readings++;
    return Array.from({ length: 5_000 }, (_, index) => ({ name: `r${readings}-${index}`, inputSchema: 'none' }));
  });
  const other = await backendWith(() => [
    { name: 'good', inputSchema },
    { name: 'odd one', inputSchema },
  ]);
  const { log, lines } = listeningLog();
  const health = { intervalMs: 50, timeoutMs: 5_000, unhealthyThreshold: 3 };
  const backends = [backendPlan('bad', bad), backendPlan('other', other)];
  await using gateway = await startGateway({ backends, operational: { health } }, log);
  await gateway.ready();
  await eventually(() => readings > 8);

  const said = (backend: string) => lines.filter(line => line.backend === backend && line.msg.startsWith('withheld'));
  await eventually(() => said('bad').length > 20 && said('other').length > 0);
  expect(said('other')).toMatchObject([{ originalName: 'odd one' }]);
  expect(
    said('bad')
      .slice(0, 20)
      .every(({ originalName }) => /^r\d+-\d+$/.test(String(originalName))),
  ).toBe(true);
  expect(said('bad').slice(20)).toMatchObject([
    { level: 'warn', count: 4_980, msg: 'withheld 4980 more of backend "bad": /status names some of them' },
  ]);
  expect((await gateway.status()).moreWithheld).toEqual([{ backend: 'bad', count: 4_900 }]);
  const client = new RawClient(gateway.url);
  await client.open();
  expect(await client.result('tools/list')).toEqual({ tools: [{ name: 'other_good', inputSchema }] });
});

test('the log shortens texts of a backend', async () => {
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      const error = { code: -32000, message: 'm'.repeat(5_000_000) };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
    }),
  );
  onTestFinished(() => server.close());
  const { log, lines } = listeningLog();
  await using gateway = await startGateway({ backends: [backendPlan('bad', `${server.origin}/mcp`)] }, log);
  const expected = `backend "bad": ${'m'.repeat(255)}…`;
  await eventually(async () => (await gateway.status()).backends[0]?.message === expected);
  expect(lines.filter(({ msg }) => msg.length > 1_000)).toEqual([]);
});
