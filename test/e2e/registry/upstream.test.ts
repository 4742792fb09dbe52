/** A registry server that reads from another one through its API. */
import { expect, test } from 'vitest';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { anonymousConfig, listAllServers, server, sourceFile, startRegistry, writeInto } from './registry-server.ts';

const NAMES = Array.from({ length: 120 }, (_, index) => `com.example/s${String(index).padStart(3, '0')}`);

const UPSTREAM = {
  'registry.yaml': anonymousConfig('{ name: ours, file: { path: DIR/servers.json } }'),
  'servers.json': sourceFile(NAMES.map(name => server(name))),
};

const reading = (url: string) =>
  anonymousConfig(`{ name: ours, api: { endpoint: "${url}/registry/main" }, syncPolicy: { interval: 1s } }`);

test('a registry server lists all entries of its upstream registry, over all pages', async () => {
  await using upstream = await startRegistry(UPSTREAM);
  await using registry = await startRegistry({ 'registry.yaml': reading(upstream.url) });
  expect(await listAllServers(registry.main)).toEqual(await listAllServers(upstream.main));
  expect(await listAllServers(registry.main)).toEqual(NAMES.map(name => `${name}@1.0.0`));
});

test('a registry server updates its entries from the upstream registry', async () => {
  await using upstream = await startRegistry({
    ...UPSTREAM,
    'registry.yaml': anonymousConfig('{ name: ours, file: { path: DIR/servers.json }, syncPolicy: { interval: 1s } }'),
  });
  await using registry = await startRegistry({ 'registry.yaml': reading(upstream.url) });
  await upstream.folder.write({ 'servers.json': sourceFile([server('com.example/only', '2.0.0')]) });
  await eventually(async () => (await listAllServers(registry.main)).join() === 'com.example/only@2.0.0');
});

test('a registry server that restarts while its upstream is unavailable lists the former entries and reports the failure', async () => {
  await using folder = await temporaryFolder();
  let listed: readonly string[];
  let address: string;
  {
    await using upstream = await startRegistry(UPSTREAM);
    address = upstream.url;
    await writeInto(folder, { 'registry.yaml': reading(address) });
    await using registry = await startRegistry(folder);
    listed = await listAllServers(registry.main);
    expect(listed).toHaveLength(NAMES.length);
  }
  {
    await using again = await startRegistry(folder);
    expect(await listAllServers(again.main)).toEqual(listed);
    const { sources, ready } = await eventually(async () => {
      const status = await again.status();
      return status.sources[0]?.phase === 'failed' ? status : undefined;
    });
    expect(ready).toBe(true);
    expect(sources).toMatchObject([
      { name: 'ours', phase: 'failed', servers: NAMES.length, isFromDisk: true, message: expect.stringMatching(/./) },
    ]);
    await using _upstream = await startRegistry(UPSTREAM, ['--port', new URL(address).port]);
    await eventually(async () => (await again.status()).sources[0]?.isFromDisk === false);
    expect(await listAllServers(again.main)).toEqual(listed);
  }
});

test('a registry server whose upstream was never available is ready, lists no entries and reports the reason', async () => {
  // A port without a listener: it was bound and released just before.
  const { url } = await startRegistry(UPSTREAM).then(async upstream => {
    await upstream[Symbol.asyncDispose]();
    return upstream;
  });
  await using registry = await startRegistry({ 'registry.yaml': reading(url) });
  expect(await listAllServers(registry.main)).toEqual([]);
  expect(await registry.status()).toMatchObject({
    ready: true,
    sources: [{ name: 'ours', phase: 'failed', servers: 0, isFromDisk: false }],
  });
});
