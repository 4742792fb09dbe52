/** Changes behind a watched path, in all ways in which tools and clusters make them. */
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger, type StatusPage, serve } from '#runtime';
import { computeDigest, formatCanonicalJson } from '#schemas';
import { watchBundle } from '../../../runtime/bundle/watch.ts';
import { eventually, gatewayBundle } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';

const textOf = (name: string) => formatCanonicalJson({ ...gatewayBundle({ backends: [] }), name });
const indexOf = (name: string) => {
  const digest = computeDigest(Buffer.from(textOf(name)));
  const entry = { kind: 'gateway', namespace: 'default', name, digest, path: `bundles/${digest.replace(':', '-')}` };
  return { path: entry.path, text: JSON.stringify({ formatVersion: 1, bundles: [entry] }) };
};

async function folderOf(files: { readonly [path: string]: string }): Promise<string> {
  const folder = await temporaryFolder(files);
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** Serves and watches a path; reports the running gateway and why another one is refused. */
async function watching(bundle: string): Promise<() => Promise<{ name: string; refused: string | null }>> {
  const loopback = { host: '127.0.0.1', port: 0 };
  const runtime = await serve(
    { bundle, gateway: undefined, listen: loopback, internal: loopback, watch: true },
    createLogger('silent'),
  );
  onTestFinished(() => runtime.stop());
  return async () => {
    const page = (await (await fetch(`${runtime.internalUrl}/status`)).json()) as StatusPage;
    return { name: page.gateway.name, refused: page.bundle.refused };
  };
}

test('the runtime serves a new bundle in a mounted ConfigMap when Kubernetes replaces the symbolic link ..data', async () => {
  const folder = await folderOf({ '..one/bundle.json': textOf('one'), '..two/bundle.json': textOf('two') });
  await symlink('..one', join(folder, '..data'));
  await symlink('..data/bundle.json', join(folder, 'bundle.json'));
  const status = await watching(folder);
  expect((await status()).name).toBe('one');
  await symlink('..two', join(folder, '..tmp'));
  await rename(join(folder, '..tmp'), join(folder, '..data'));
  await eventually(async () => (await status()).name === 'two');
});

test('the runtime refuses a new index.json while the bundle that it names is missing, and serves this bundle once it exists', async () => {
  const [one, two] = [indexOf('one'), indexOf('two')];
  const folder = await folderOf({ 'index.json': one.text, [`${one.path}/bundle.json`]: textOf('one') });
  const status = await watching(folder);
  await writeFile(join(folder, 'index.json'), two.text);
  expect(await eventually(async () => (await status()).refused)).toContain('no such file');
  expect((await status()).name).toBe('one');
  await mkdir(join(folder, two.path), { recursive: true });
  await writeFile(join(folder, two.path, 'bundle.json'), textOf('two'));
  await eventually(async () => (await status()).name === 'two');
  expect((await status()).refused).toBeNull();
});

test('the runtime refuses a bundle in a folder whose name is the digest of another bundle', async () => {
  const digest = computeDigest(Buffer.from(textOf('one'))).replace(':', '-');
  const folder = await folderOf({ [`${digest}/bundle.json`]: textOf('two') });
  await symlink(digest, join(folder, 'current'));
  await expect(watching(join(folder, 'current'))).rejects.toThrow('was expected; build it again');
});

test('the runtime notices a bundle that changed after it was loaded and before the runtime watched it', async () => {
  const folder = await folderOf({ 'bundle.json': textOf('one') });
  let looks = 0;
  const stop = watchBundle(folder, async () => {
    looks++;
    return true;
  });
  await eventually(() => looks === 1);
  await stop();
});

test('the runtime notices and serves a new compressed bundle that replaces the served compressed bundle', async () => {
  const folder = await folderOf({ 'bundle.json.gz': '' });
  await writeFile(join(folder, 'bundle.json.gz'), gzipSync(textOf('one')));
  const status = await watching(folder);
  expect((await status()).name).toBe('one');
  await writeFile(join(folder, 'next'), gzipSync(textOf('two')));
  await rename(join(folder, 'next'), join(folder, 'bundle.json.gz'));
  await eventually(async () => (await status()).name === 'two');
});
