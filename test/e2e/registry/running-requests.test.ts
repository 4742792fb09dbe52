/** What a registry server answers to requests in progress when its bundle changes, or when it shuts down. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTrustedProvider, type TrustedProvider } from '../../runtime/registry-door/served-door.ts';
import { eventually, isListening } from '../../support/process.ts';
import { ISSUED_CERTIFICATE, ISSUED_KEY } from '../../support/tls-fixture.ts';
import {
  listServerNames,
  type Page,
  type RegistryServer,
  server,
  sourceFile,
  startRegistry,
  writeInto,
} from './registry-server.ts';

/** An introspection endpoint that answers when the test decides. */
let introspection: Server;
let asked: Promise<ServerResponse>;
let corp: TrustedProvider;

beforeEach(async () => {
  corp = await startTrustedProvider();
  const first = Promise.withResolvers<ServerResponse>();
  asked = first.promise;
  introspection = createServer({ cert: ISSUED_CERTIFICATE, key: ISSUED_KEY }, (req, res) => {
    req.resume();
    first.resolve(res);
  });
  introspection.listen(0, '127.0.0.1');
  await once(introspection, 'listening');
});

afterEach(async () => {
  introspection.closeAllConnections();
  introspection.close();
  await corp.close();
});

function config(realm: string): string {
  const { port } = introspection.address() as AddressInfo;
  const provider = corp.yaml({
    introspectionUrl: `https://localhost:${port}/`,
    clientId: 'registry',
    clientSecretFile: corp.folder.file('secret'),
  });
  return `registryName: demo
sources: [{ name: ours, file: { path: DIR/servers.json } }]
registries: [{ name: main, sources: [ours] }]
auth:
  oauth:
    resourceUrl: https://registry.example
    realm: ${realm}
    providers:
${provider}
`;
}

function startHeld(args: readonly string[]): Promise<RegistryServer> {
  return startRegistry({ 'registry.yaml': config('one'), 'servers.json': sourceFile([server('com.example/a')]) }, args);
}

const OPAQUE = { headers: { authorization: 'Bearer an-opaque-token' } };

function accept(res: ServerResponse): void {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const answer = { active: true, sub: 'ann', iss: corp.idp.issuer, aud: 'https://registry.example', exp };
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function expectListed(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  expect(response.status).toBe(200);
  expect(listServerNames((await response.json()) as Page)).toEqual(['com.example/a@1.0.0']);
}

test('a registry server answers a request that arrived before a new bundle by the former bundle', async () => {
  await using registry = await startHeld(['--watch']);
  const answer = fetch(registry.main, OPAQUE);
  const held = await asked;
  await writeInto(registry.folder, { 'registry.yaml': config('two') });
  await registry.build();
  await eventually(async () => {
    const challenge = (await fetch(registry.main)).headers.get('www-authenticate');
    return challenge?.includes('realm="two"');
  });
  accept(held);
  await expectListed(answer);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a registry server that gets %s answers the requests that it has received, accepts no more and exits with code 0',
  async signal => {
    await using registry = await startHeld([]);
    const answer = fetch(registry.main, OPAQUE);
    const held = await asked;
    registry.program.kill(signal);
    await eventually(async () => !(await isListening(registry.url)));
    // Probes are answered until the end.
    expect((await fetch(`${registry.internal}/health`)).status).toBe(200);
    const readiness = await fetch(`${registry.internal}/readiness`);
    expect([readiness.status, await readiness.json()]).toEqual([503, { error: 'service not ready' }]);
    accept(held);
    await expectListed(answer);
    expect(await registry.program.exitCode()).toBe(0);
  },
);

test('pipelined requests of a broken connection do not delay the shutdown of a registry server', async () => {
  await using registry = await startHeld([]);
  const { port, pathname } = new URL(registry.main);
  const socket = connect(Number(port), '127.0.0.1');
  const request = `GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${OPAQUE.headers.authorization}\r\n\r\n`;
  socket.write(request.repeat(3));
  await asked;
  socket.destroy();
  registry.program.kill('SIGTERM');
  expect(await registry.program.exitCode()).toBe(0);
});
