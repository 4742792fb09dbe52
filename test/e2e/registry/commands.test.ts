/** `lintel serve` and `lintel dev` with registry servers. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { eventually, PROGRAM, run, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';
import {
  anonymousConfig,
  listAllServers,
  type RegistryAnnouncement,
  server,
  sourceFile,
  writeInto,
} from './registry-server.ts';

const CONFIG = anonymousConfig('{ name: ours, file: { path: DIR/data/servers.json }, syncPolicy: { interval: 1s } }');
const DATA = { 'data/servers.json': sourceFile([server('a/a'), server('a/b')]) };

test.each(['serve', 'dev'])('`lintel %s` serves the entries of a registry server until Ctrl-C', async command => {
  await using folder = await temporaryFolder();
  await writeInto(folder, { 'registry.yaml': CONFIG, ...DATA });
  const state = ['--state-dir', folder.file('state')];
  await using lintel = start(PROGRAM.lintel, [command, folder.file('registry.yaml'), ...FREE_PORTS, ...state], {
    ownGroup: true,
  });
  const { registry, registries, internal } = await lintel.announcement<RegistryAnnouncement>();
  expect(registry).toBe('default/demo');
  await eventually(async () => (await fetch(`${internal}/readiness`)).ok);
  expect(await listAllServers(registries.main ?? '')).toEqual(['a/a@1.0.0', 'a/b@1.0.0']);
  lintel.killGroup('SIGINT');
  expect(await lintel.exitCode()).toBe(0);
});

test('`lintel dev` serves a good edit of a registry configuration and reports a mistake', async () => {
  await using folder = await temporaryFolder();
  await writeInto(folder, { 'registry.yaml': CONFIG, ...DATA });
  const state = ['--state-dir', folder.file('state')];
  await using lintel = start(PROGRAM.lintel, ['dev', folder.file('registry.yaml'), ...FREE_PORTS, ...state]);
  const { registries } = await lintel.announcement<RegistryAnnouncement>();
  const main = registries.main ?? '';
  await eventually(async () => (await listAllServers(main)).length === 2);
  const edited = CONFIG.replace('interval: 1s }', 'interval: 1s }, filter: { names: { include: [a/b] } }');
  await writeInto(folder, { 'registry.yaml': edited });
  await eventually(async () => (await listAllServers(main)).join() === 'a/b@1.0.0');
  await writeInto(folder, { 'registry.yaml': edited.replace('sources: [ours]', 'sources: [theirs]') });
  await lintel.stderr.next(/LNT\d{4}[\s\S]*the last good bundle is still served/);
  expect(await listAllServers(main)).toEqual(['a/b@1.0.0']);
});

test('`lintel dev` serves edits of a bundled file of entries and reports its mistakes', async () => {
  await using folder = await temporaryFolder({
    'registry.yaml': anonymousConfig('{ name: ours, file: { path: servers.json } }'),
    'servers.json': sourceFile([server('a/a')]),
  });
  const state = ['--state-dir', folder.file('state')];
  await using lintel = start(PROGRAM.lintel, ['dev', folder.file('registry.yaml'), ...FREE_PORTS, ...state]);
  const { registries } = await lintel.announcement<RegistryAnnouncement>();
  const main = registries.main ?? '';
  // The entries are served from the first request on.
  expect(await listAllServers(main)).toEqual(['a/a@1.0.0']);
  await folder.write({ 'servers.json': sourceFile([server('a/a'), server('a/b', '2.0.0')]) });
  await eventually(async () => (await listAllServers(main)).join() === 'a/a@1.0.0,a/b@2.0.0');
  await folder.write({ 'servers.json': sourceFile([server('no name of a server')]) });
  await lintel.stderr.next(/servers\.json[\s\S]*the last good bundle is still served/);
  expect(await listAllServers(main)).toEqual(['a/a@1.0.0', 'a/b@2.0.0']);
});

test('`lintel serve` asks the user to choose between a registry server and a gateway of the same name', async () => {
  await using folder = await temporaryFolder();
  await writeInto(folder, { ...CLEAN, 'registry.yaml': CONFIG.replace('demo', 'eng'), ...DATA });
  const state = ['--state-dir', folder.file('state')];
  const serve = ['serve', folder.path, ...FREE_PORTS, ...state];
  const refusals = {
    '': 'gateways and registry servers: choose one with --gateway: default/eng; or with --registry: default/eng',
    '--registry demo':
      'no registry server is named "demo"; choose one with --gateway: default/eng; or with --registry: default/eng',
    '--registry eng --gateway eng': '--gateway and --registry: choose one, a process serves one of them',
  };
  for (const [choice, message] of Object.entries(refusals)) {
    const args = [...serve, ...choice.split(' ').filter(Boolean)];
    expect(await runLintel(args)).toEqual({ code: 2, stdout: '', stderr: `lintel: ${message}\n` });
  }
  for (const kind of ['gateway', 'registry'] as const) {
    await using lintel = start(PROGRAM.lintel, [...serve, `--${kind}`, 'default/eng']);
    expect(await lintel.announcement()).toMatchObject({ [kind]: 'default/eng' });
  }
});

test('`lintel serve` asks the user to choose one of several registry servers', async () => {
  await using folder = await temporaryFolder();
  const other = CONFIG.replace('demo', 'other');
  await writeInto(folder, { 'a.yaml': CONFIG, 'b.yaml': other, ...DATA });
  expect(await run(PROGRAM.lintel, ['serve', folder.path])).toMatchObject({
    code: 2,
    stderr: 'lintel: several registry servers: choose one with --registry: default/demo, default/other\n',
  });
});

test('the runtime asks the operator to choose between a gateway and a registry server of one build', async () => {
  await using folder = await temporaryFolder();
  await writeInto(folder, { ...CLEAN, 'registry.yaml': CONFIG.replace('demo', 'eng'), ...DATA });
  await runLintel(['build', folder.path, '--out', folder.file('out')]);
  const args = ['--bundle', folder.file('out'), ...FREE_PORTS, '--state-dir', folder.file('state')];
  expect(await run(PROGRAM.runtime, args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'choose one with --gateway or --registry: gateway default/eng, registry default/eng',
    ),
  });
  await using runtime = start(PROGRAM.runtime, [...args, '--registry', 'eng']);
  expect(await runtime.announcement()).toMatchObject({ registry: 'default/eng' });
});

test.each([
  [
    '--gateway and --registry together',
    ['--gateway', 'a', '--registry', 'a'],
    '--gateway and --registry: choose one, a process serves one bundle',
  ],
  ['an empty --state-dir', ['--state-dir', ''], '--state-dir is empty: name a folder'],
])('the runtime of a registry server exits with code 2 for %s', async (_, args, message) => {
  expect(await run(PROGRAM.runtime, ['--bundle', 'out', ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lintel-runtime: ${message}\nTry 'lintel-runtime --help'.\n`,
  });
});
