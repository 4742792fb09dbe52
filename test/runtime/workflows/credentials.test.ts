/** A step's call has the credential of its backend and the headers of its caller, like a direct call. */
import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { BackendPlan } from '#schemas';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const BOTH = workflow(`
name: both
description: Calls two backends
steps:
  - { id: one, tool: one_echo, arguments: { a: 1 } }
  - { id: two, tool: two_echo, dependsOn: [one], arguments: { a: 2 } }
`);

test('a backend gets the same credential and headers with workflow steps as with direct calls', async () => {
  await using folder = await temporaryFolder();
  const servers = new Map<string, StatelessServer>();
  const backends: BackendPlan[] = [];
  for (const name of ['one', 'two']) {
    const server = await startStatelessServer();
    onTestFinished(() => server.close());
    servers.set(name, server);
    const file = folder.file(`${name}.key`);
    await writeFile(file, `key-of-${name}`);
    const value = { env: `LINTEL_TEST_KEY_${name.toUpperCase()}`, file };
    backends.push(backendPlan(name, server.url, { auth: { type: 'header_injection', header: 'x-api-key', value } }));
  }
  await using gateway = await startGateway({ backends, workflows: [BOTH], passthroughHeaders: ['x-tenant'] });
  await servesWorkflows(gateway);
  const sent = (name: string) =>
    servers
      .get(name)
      ?.requests.filter(({ method }) => method === 'tools/call')
      .map(({ headers }) => [headers['x-api-key'], headers['x-tenant'], headers.authorization]);
  for (const tenant of ['blue', 'red']) {
    const client = new StatelessClient(gateway.url, {}, { 'x-tenant': tenant, authorization: 'Bearer of-the-caller' });
    await client.call('both', {});
    await client.call('one_echo', {});
    await client.call('two_echo', {});
  }
  for (const name of ['one', 'two']) {
    const of = (tenant: string) => [`key-of-${name}`, tenant, undefined];
    expect(sent(name), name).toEqual([of('blue'), of('blue'), of('red'), of('red')]);
  }
});
