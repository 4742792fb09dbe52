/** The runtime's image, built here: it runs as in a strict cluster, and a second build is identical. */
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeStaticBase } from '../../build/images/bases.ts';
import { buildah } from '../../build/images/buildah.ts';
import { IMAGES, makeImage } from '../../build/images/make.ts';
import { runLintel } from '../support/lintel.ts';
import { asRoot } from '../support/peers.ts';
import { eventually, ROOT, temporaryFolder } from '../support/process.ts';
import { ImageRegistry, type Pushed } from './image-registry.ts';
import { runImage, startImage, unpackImage } from './running-image.ts';

const [RUNTIME] = IMAGES.filter(({ stage }) => stage === 'runtime');

/** Packages are downloaded, and the machine may be ten times busier than usual. */
const LONG_MS = 1_800_000;

asRoot('buildah', 'docker-registry', 'mmdebstrap').describe('the image of the runtime', () => {
  const storage = mkdtempSync(join(tmpdir(), 'lintel-storage-'));
  let registry: ImageRegistry;
  let bases: { readonly NODE_IMAGE: string; readonly STATIC_IMAGE: string };
  let pushed: Pushed;
  let root: string;
  const build = async () => {
    if (RUNTIME === undefined) throw new Error('there is no image of the runtime');
    return registry.push(storage, await makeImage(storage, RUNTIME, bases));
  };
  beforeAll(async () => {
    registry = await ImageRegistry.start();
    const STATIC_IMAGE = await makeStaticBase(storage);
    bases = { NODE_IMAGE: STATIC_IMAGE, STATIC_IMAGE };
    pushed = await build();
    const tag = await version();
    root = await unpackImage(storage, `docker://${registry.address}/lintel-runtime:${tag}`);
  }, LONG_MS);
  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]();
    await buildah(storage, ['umount', '--all']);
    await rm(storage, { recursive: true, force: true });
  });

  const version = async () => JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version as string;

  test('the configuration of the runtime image has its description, entry point and ports', async () => {
    expect(pushed.config).toMatchObject({
      created: '1970-01-01T00:00:00Z',
      config: {
        User: '65532:65532',
        Entrypoint: ['/nodejs/bin/node', '--max-semi-space-size=8', '/app/dist/lintel-runtime.js'],
        ExposedPorts: { '4483/tcp': {}, '8080/tcp': {}, '8081/tcp': {} },
        Labels: {
          'org.opencontainers.image.title': 'lintel-runtime',
          'org.opencontainers.image.version': await version(),
          'org.opencontainers.image.licenses': 'Apache-2.0',
        },
      },
    });
    // The base, and Lintel's own files.
    expect(pushed.manifest.layers).toHaveLength(2);
  });

  test('a second build of the runtime image gives the same digest', async () => {
    expect((await build()).digest).toBe(pushed.digest);
  });

  test('the runtime image has no shell and no writable files', async () => {
    const { config } = pushed.config;
    const node = { entrypoint: ['/nodejs/bin/node'] };
    const write = `try { fs.writeFileSync('/app/mark', '') } catch (error) { console.log(error.code) }`;
    expect(await runImage(root, config, ['-e', write], node)).toMatchObject({ code: 0, stdout: 'EROFS\n' });
    const shells = `console.log(['/bin/sh', '/bin/bash', '/usr/bin/apt-get'].filter(fs.existsSync))`;
    expect(await runImage(root, config, ['-e', shells], node)).toMatchObject({ code: 0, stdout: '[]\n' });
    const status = `console.log(fs.readFileSync('/proc/self/status', 'utf8'))`;
    const { stdout } = await runImage(root, config, ['-e', status], node);
    expect(stdout).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
    expect(stdout).toMatch(/^CapEff:\t0+$/m);
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
  });

  test('the runtime image serves a bundle and ends on SIGTERM', async () => {
    await using folder = await temporaryFolder();
    const built = await runLintel(['build', join(ROOT, 'examples/policies/specs'), '--out', folder.file('out')]);
    expect(built.code).toBe(0);
    const addresses = ['--port', '0', '--internal-address', '127.0.0.1:0'];
    const image = await startImage(root, pushed.config.config, ['--bundle', '/mnt/out', ...addresses], {
      mounts: { '/mnt/out': folder.file('out') },
    });
    try {
      const { internal } = JSON.parse(await image.stdout.next(/^.*\n/));
      await eventually(async () => (await fetch(`${internal}/health`)).ok);
      expect(await (await fetch(`${internal}/version`)).json()).toMatchObject({ version: await version() });
      process.kill(await image.pid(), 'SIGTERM');
      expect(await image.outcome()).toMatchObject({ code: 0 });
    } finally {
      await image[Symbol.asyncDispose]();
    }
  });
});
