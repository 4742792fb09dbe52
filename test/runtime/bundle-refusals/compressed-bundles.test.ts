/** Bundles that were split for small cluster objects: compressed, and cut into parts. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { loadBundle } from '#runtime';
import { computeDigest, formatCanonicalJson, toDigestDirectory } from '#schemas';
import { backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';

const TEXT = formatCanonicalJson(gatewayBundle({ backends: [backendPlan('a', 'http://127.0.0.1:1/mcp')] }));
const DIGEST = computeDigest(TEXT);
const PACKED = gzipSync(TEXT);
const CUT = [PACKED.subarray(0, 100), PACKED.subarray(100, 200), PACKED.subarray(200)];

/** Larger than any bundle may be, compressed into few bytes. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1));

type Files = { readonly [name: string]: string | Uint8Array };

const parts = (all: readonly Uint8Array[]): Files =>
  Object.fromEntries(all.map((part, index) => [`bundle.json.gz.00${index}`, part]));

/** A directory with the digest as its name, as it is mounted. */
async function mounted(files: Files): Promise<string> {
  const folder = await temporaryFolder({ [`${toDigestDirectory(DIGEST)}/.keep`]: '' });
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, toDigestDirectory(DIGEST));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

test.each<[form: string, files: Files]>([
  ['not compressed', { 'bundle.json': TEXT }],
  ['compressed', { 'bundle.json.gz': PACKED }],
  ['compressed and split into parts', parts(CUT)],
  ['not compressed, next to a broken compressed bundle', { 'bundle.json': TEXT, 'bundle.json.gz': 'x' }],
])('the runtime loads a bundle that is %s', async (_, files) => {
  const path = await mounted(files);
  const { digest, bundle } = await loadBundle(path);
  expect({ digest, name: bundle.name }).toEqual({ digest: DIGEST, name: 'test' });
});

test.each(['bundle.json.gz', 'bundle.json.gz.000'])(
  'the runtime loads a compressed bundle by the file name %s',
  async name => {
    const path = await mounted(name.endsWith('0') ? parts(CUT) : { [name]: PACKED });
    expect((await loadBundle(join(path, name))).digest).toBe(DIGEST);
  },
);

test.each<[what: string, files: Files, problem: string]>([
  ['a part is missing at the end', parts(CUT.slice(0, 2)), 'cannot be decompressed (unexpected end of file)'],
  ['a part is missing in the middle', parts([PACKED.subarray(0, 100)]), 'a part of it may be missing'],
  ['the file is not compressed', { 'bundle.json.gz': TEXT }, 'cannot be decompressed (incorrect header check)'],
  ['it has another digest', { 'bundle.json.gz': gzipSync(`${TEXT} `) }, `but ${DIGEST} was expected`],
  ['it is too large when decompressed', { 'bundle.json.gz': BOMB }, 'has more than 67108864 bytes when decompressed'],
  [
    'its parts are too large when decompressed',
    parts([BOMB.subarray(0, 99), BOMB.subarray(99)]),
    'bytes when decompressed',
  ],
  ['the file is missing', {}, 'found neither index.json nor bundle.json'],
])('the runtime refuses a compressed bundle when %s', async (_, files, problem) => {
  const path = await mounted(files);
  await rm(join(path, '.keep'));
  await expect(loadBundle(path)).rejects.toThrow(problem);
});
