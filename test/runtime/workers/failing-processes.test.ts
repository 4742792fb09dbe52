/** Processes that cannot be started, and a listener that fails to accept. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import { SharedHosts } from '../../../runtime/workers/shared-hosts.ts';
import { WorkerProcess } from '../../../runtime/workers/worker-process.ts';
import { backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';

const bundle = gatewayBundle({ backends: [backendPlan('one', 'http://127.0.0.1:1/mcp')] });
const loaded = { file: 'bundle.json', bundle, digest: 'sha256:0' } as Parameters<typeof SharedHosts.open>[0];

test('a worker whose process cannot be started counts as ended', async () => {
  const hosts = await SharedHosts.open(loaded, {}, createLogger('silent'));
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  onTestFinished(() => {
    process.execPath = execPath;
  });
  const worker = new WorkerProcess(1, hosts);
  expect(await worker.ended).toMatch(/ENOENT/);
  expect(worker.hasEnded).toBe(true);
  expect(hosts.sessions.replicas.size).toBe(0);
  await expect(worker.channel.ask('ping', null)).rejects.toThrow('the other process is gone');
});

test('a listener that fails to accept a connection continues, and the log reports each failure', async () => {
  const { log, lines } = listeningLog();
  const { dispatcher } = await SharedHosts.open(loaded, {}, log);
  const servers: Server[] = [];
  const seen = (message: unknown) => void servers.push((message as { server: Server }).server);
  subscribe('tracing:net.server.listen:asyncStart', seen);
  onTestFinished(() => {
    unsubscribe('tracing:net.server.listen:asyncStart', seen);
    dispatcher.close();
  });
  await dispatcher.listen({ host: '127.0.0.1', port: 0 });
  const [server] = servers;
  for (const code of ['ENOBUFS', 'ENFILE']) server?.emit('error', Object.assign(new Error(`accept ${code}`), { code }));
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    'error the listener failed',
    'error the listener failed',
  ]);
});
