/** `lintel build --manifests`: what it writes, leaves unchanged, and refuses. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { computeDigest } from '#schemas';
import { ENTRY, GROUP, gatewayText } from '../../compiler/manifests/build.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

type Folder = Awaited<ReturnType<typeof temporaryFolder>>;

const gateway = (name: string) => gatewayText({ name }).split('---\n').at(-1) ?? '';

const SPECS = { 'specs/shared.yaml': `${GROUP}---\n${ENTRY}`, 'specs/eng.yaml': gateway('eng') };

const build = (folder: Folder, ...more: readonly string[]) =>
  runLintel(['build', 'specs', '--out', 'out', '--manifests', 'manifests', ...more], { cwd: folder.path });

const written = async (folder: Folder) =>
  (await readdir(folder.file('manifests'), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.file('manifests').length + 1))
    .sort();

const objectsIn = async (folder: Folder, path = 'mcp/gateway-eng.yaml') =>
  parseAllDocuments(await readFile(folder.file(`manifests/${path}`), 'utf8')).map(document => document.toJS());

const listed = async (folder: Folder) => (await objectsIn(folder, 'kustomization.yaml'))[0].resources;

test('`lintel build --manifests` writes a file for each gateway, and a kustomization', async () => {
  await using folder = await temporaryFolder({ ...SPECS, 'specs/ops.yaml': gateway('ops') });
  const { code, stderr } = await build(folder);
  expect([code, stderr.split('\n').at(-2)]).toEqual([
    0,
    '2 manifest files in manifests, listed in manifests/kustomization.yaml',
  ]);
  expect(await written(folder)).toEqual(['kustomization.yaml', 'mcp/gateway-eng.yaml', 'mcp/gateway-ops.yaml']);
  expect(await listed(folder)).toEqual(['mcp/gateway-eng.yaml', 'mcp/gateway-ops.yaml']);
  const kinds = (await objectsIn(folder)).map(({ kind }) => kind);
  expect(kinds).toEqual(['ServiceAccount', 'ConfigMap', 'NetworkPolicy', 'Service', 'Deployment']);
});

test('`lintel build --manifests` warns of a backend on the machine of a developer', async () => {
  await using folder = await temporaryFolder({});
  const specs = join(import.meta.dirname, '../../../examples/quickstart/specs');
  const build = (...more: readonly string[]) =>
    runLintel(['build', specs, '--out', 'out', '--format', 'compact', ...more], { cwd: folder.path });
  const { code, stdout } = await build('--manifests', 'manifests');
  expect(code).toBe(0);
  expect(stdout).toContain('LNT6020');
  expect(stdout).toContain('in a pod "127.0.0.1" is the pod itself');
  expect((await build()).stdout).not.toContain('LNT6020');
});

test('`lintel build --manifests` writes the same bytes for the same specs', async () => {
  await using one = await temporaryFolder(SPECS);
  await using two = await temporaryFolder(SPECS);
  await build(one);
  await build(two);
  for (const path of await written(one))
    expect(await readFile(one.file(`manifests/${path}`))).toEqual(await readFile(two.file(`manifests/${path}`)));
});

test('`lintel build --manifests` uses the values of --image and --no-network-policy', async () => {
  await using folder = await temporaryFolder(SPECS);
  await build(folder, '--image', 'registry.example.com/lintel@sha256:0123', '--no-network-policy');
  const objects = await objectsIn(folder);
  expect(objects.map(({ kind }) => kind)).not.toContain('NetworkPolicy');
  expect(objects.at(-1).spec.template.spec.containers[0].image).toBe('registry.example.com/lintel@sha256:0123');
});

test('`lintel build --manifests` preserves characters that YAML readers fold or drop', async () => {
  const ODD = 'a\u2028b\u2029c\u0085d\u007fe\ufefff\ud83d\ude00';
  const spec = `podTemplateSpec: { metadata: { annotations: { text: ${JSON.stringify(ODD)} } } }`;
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayText({ spec }) });
  expect(await build(folder)).toMatchObject({ code: 0 });
  const text = await readFile(folder.file('manifests/mcp/gateway-eng.yaml'), 'utf8');
  expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
  const objects = await objectsIn(folder);
  const { binaryData, metadata } = objects.find(({ kind }) => kind === 'ConfigMap');
  const bundle = gunzipSync(Buffer.from(binaryData['bundle.json.gz'], 'base64'));
  expect(computeDigest(bundle)).toBe(metadata.annotations['lintel.dev/bundle-digest']);
  expect(bundle.toString()).toContain(ODD);
  expect(objects.at(-1).spec.template.metadata.annotations.text).toBe(ODD);
});

describe('files of an earlier build', () => {
  test('a second `lintel build --manifests` removes only the files of removed gateways', async () => {
    await using folder = await temporaryFolder({ ...SPECS, 'specs/ops.yaml': gateway('ops') });
    await build(folder);
    await folder.write({ 'manifests/mcp/own.yaml': 'kind: Secret\n', 'manifests/README.md': 'hello' });
    await folder.write({ 'specs/ops.yaml': gateway('third') });
    await build(folder);
    expect(await written(folder)).toEqual([
      'README.md',
      'kustomization.yaml',
      'mcp/gateway-eng.yaml',
      'mcp/gateway-third.yaml',
      'mcp/own.yaml',
    ]);
  });

  test('a second `lintel build --manifests` leaves all files unchanged while specs have errors', async () => {
    await using folder = await temporaryFolder({ ...SPECS, 'specs/ops.yaml': gateway('ops') });
    await build(folder);
    await folder.write({ 'specs/ops.yaml': gateway('ops').replace('incomingAuth', 'incomming') });
    expect(await build(folder)).toMatchObject({ code: 1 });
    expect(await listed(folder)).toEqual(['mcp/gateway-eng.yaml', 'mcp/gateway-ops.yaml']);
  });

  test('a second `lintel build --manifests` neither removes a file whose content a person has replaced, nor lists it in the kustomization', async () => {
    await using folder = await temporaryFolder({ ...SPECS, 'specs/ops.yaml': gateway('ops') });
    await build(folder);
    await folder.write({ 'manifests/mcp/gateway-ops.yaml': 'kind: Secret\n', 'specs/ops.yaml': gateway('third') });
    await build(folder);
    expect(await written(folder)).toContain('mcp/gateway-ops.yaml');
    expect(await listed(folder)).toEqual(['mcp/gateway-eng.yaml', 'mcp/gateway-third.yaml']);
  });

  test('a second `lintel build --manifests` removes no file outside of its output folder', async () => {
    await using folder = await temporaryFolder({
      ...SPECS,
      'outside.yaml': '# Written by `lintel build --manifests`\n',
    });
    await build(folder);
    const file = folder.file('manifests/kustomization.yaml');
    await writeFile(file, `${await readFile(file, 'utf8')}  - ../outside.yaml\n  - mcp/../../outside.yaml\n`);
    await build(folder);
    expect(await readdir(folder.path)).toContain('outside.yaml');
  });

  test.each(['kustomization.yaml', 'mcp/gateway-eng.yaml'])(
    '`lintel build --manifests` refuses to replace a %s that it has not written, and writes no file',
    async path => {
      await using folder = await temporaryFolder({ ...SPECS, [`manifests/${path}`]: 'kind: Secret\n' });
      const { code, stderr } = await build(folder);
      expect([code, stderr.split('\n').at(-2)]).toEqual([
        2,
        `lintel: cannot write to manifests: manifests/${path} was not written by \`lintel build --manifests\`; move it away, or give another folder`,
      ]);
      expect(await written(folder)).toEqual([path]);
    },
  );
});

test.each<[what: string, args: readonly string[], message: string]>([
  [
    '--image without --manifests',
    ['--image', 'x'],
    'lintel: --image, --bridge-image and --no-network-policy need --manifests <dir>: add it',
  ],
  [
    '--bridge-image without --manifests',
    ['--bridge-image', 'x'],
    'lintel: --image, --bridge-image and --no-network-policy need --manifests <dir>: add it',
  ],
  ['--no-network-policy without --manifests', ['--no-network-policy'], '--manifests <dir>: add it'],
  ['an invalid image name', ['--manifests', 'm', '--image', 'a b'], 'It is not a valid image name.'],
  ['an empty name of a folder', ['--manifests', ''], 'It is empty.'],
])('`lintel build` refuses %s with exit code 2', async (_, args, message) => {
  await using folder = await temporaryFolder(SPECS);
  const { code, stderr } = await runLintel(['build', 'specs', '--out', 'out', ...args], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
