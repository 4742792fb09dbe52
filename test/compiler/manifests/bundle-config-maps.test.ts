/** The manifests put bundles of all sizes into ConfigMaps, and the runtime can load the files that pods mount from them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateManifests, type Manifest } from '#compiler';
import { createLogger, serve } from '#runtime';
import { computeDigest, DIGEST_ANNOTATION, formatCanonicalJson, type RegistryBundle } from '#schemas';
import { MAX_CONFIG_MAP_BYTES } from '../../../compiler/emit/manifests/bundle-config-maps.ts';
import { temporaryFolder } from '../../support/process.ts';
import { writeProjectedVolume } from '../../support/projected-volume.ts';
import { builtFrom, findTemplate, registryText } from './build.ts';

const { bundle: sample } = builtFrom(registryText()) as { readonly bundle: RegistryBundle };

/** Text that compression cannot reduce below three quarters. */
function noise(length: number): string {
  let text = '';
  for (let number = 0; text.length < length; number++) text += computeDigest(String(number)).slice(7);
  return text.slice(0, length);
}

function entryLines(count: number, description: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => {
    const name = `com.example/${String(index).padStart(6, '0')}`;
    const server = { name, version: '1.0.0', description: description(index) };
    return `${formatCanonicalJson({ server, status: 'active', publishedAt: null, updatedAt: null })}\n`;
  }).join('');
}

/** A registry server whose entries are in a file next to its bundle. */
function registryOf(text: string): {
  readonly bundle: RegistryBundle;
  readonly files: { path: string; text: string }[];
} {
  const path = 'entries/internal.ndjson';
  const entries = { path, digest: computeDigest(text), count: text.split('\n').length - 1, origin: 'test' };
  const [source] = sample.sources;
  if (source === undefined) throw new Error('the sample has no source');
  const sources = [{ ...source, from: { type: 'bundled', entries } as const, intervalMs: null }];
  return { bundle: { ...sample, requires: ['registry', 'registry-source-bundled'], sources }, files: [{ path, text }] };
}

const keysOf = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map(({ data = {}, binaryData = {} }) => [...Object.keys(data as object), ...Object.keys(binaryData as object)]);

test.each<[form: string, text: string, keys: readonly (readonly string[])[]]>([
  ['small', entryLines(3, () => 'x'), [['bundle.json', '1-entries-internal.ndjson']]],
  ['compressible', entryLines(5_000, () => 'x'), [['bundle.json.gz', '1-entries-internal.ndjson.gz']]],
  [
    'too large for one ConfigMap',
    entryLines(8_000, index => noise(90).slice(index % 7) + computeDigest(String(index)).slice(7)),
    [['bundle.json.gz'], ['1-entries-internal.ndjson.gz.000'], ['1-entries-internal.ndjson.gz.001']],
  ],
])(
  'lintel build --manifests mounts the bundle of a registry server from ConfigMaps, and the runtime reads it: %s',
  async (_, text, keys) => {
    const built = registryOf(text);
    const manifests = generateManifests(built);
    expect(keysOf(manifests)).toEqual(keys);
    const digest = computeDigest(formatCanonicalJson(built.bundle));
    for (const manifest of manifests.filter(({ kind }) => kind === 'ConfigMap')) {
      expect(manifest.metadata.annotations).toEqual({ [DIGEST_ANNOTATION]: digest });
      expect(Buffer.byteLength(JSON.stringify(manifest))).toBeLessThan(MAX_CONFIG_MAP_BYTES + 2_048);
    }

    const { containers, volumes } = findTemplate(manifests).spec;
    const args = containers[0]?.args as readonly string[];
    const mountPath = args[args.indexOf('--bundle') + 1] ?? '';
    const folder = await temporaryFolder({});
    onTestFinished(() => folder[Symbol.asyncDispose]());
    await mkdir(join(folder.path, mountPath), { recursive: true });
    const volume = volumes.find(({ name }) => name === 'lintel-bundle') as { projected?: { sources: object[] } };
    await writeProjectedVolume(join(folder.path, mountPath), volume.projected?.sources ?? [], manifests);
    const loopback = { host: '127.0.0.1', port: 0 };
    const options = { bundle: join(folder.path, mountPath), listen: loopback, internal: loopback, watch: false };
    const stateDir = join(folder.path, 'state');
    const runtime = await serve({ ...options, stateDir }, createLogger('silent'));
    onTestFinished(() => runtime.stop());
    expect(runtime.digest).toBe(digest);
    const page = await fetch(`${runtime.url}/registry/main/v0.1/servers?limit=1`);
    expect(((await page.json()) as { servers: unknown[] }).servers).toHaveLength(1);
  },
);

test('the names of several ConfigMaps of one bundle differ only by the number at the end', () => {
  const manifests = generateManifests(
    registryOf(entryLines(8_000, index => computeDigest(`${index}`) + computeDigest(`-${index}`))),
  );
  const names = manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
  expect(names.length).toBeGreaterThan(2);
  for (const [part, name] of names.entries())
    expect(name).toMatch(new RegExp(`^company-api-bundle-[0-9a-f]{16}-${part}$`));
});

test('the same bundle gives ConfigMaps with the same bytes each time', () => {
  const text = entryLines(5_000, () => 'x');
  expect(JSON.stringify(generateManifests(registryOf(text)))).toBe(JSON.stringify(generateManifests(registryOf(text))));
});

test('the size limit of a ConfigMap counts the bytes of a character as JSON escapes the character', () => {
  // Each character takes two in JSON, and the bundle itself would fit.
  const manifests = generateManifests(registryOf(entryLines(1, () => '"'.repeat(MAX_CONFIG_MAP_BYTES / 2 - 1_000))));
  expect(keysOf(manifests)).toEqual([['bundle.json.gz', '1-entries-internal.ndjson.gz']]);
});
