/** The other images, on a base built from Debian's packages: each works with its own content, and installs the same packages each time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { chown, copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveImage } from '../../build/images/archives.ts';
import { type Bases, debianRoot, makeBases } from '../../build/images/bases.ts';
import { buildah } from '../../build/images/buildah.ts';
import { IMAGES, makeImage } from '../../build/images/make.ts';
import { plan } from '../bridge/running-bridge.ts';
import { TestRepository } from '../support/git-repository.ts';
import { ASSETS, startRealApi } from '../support/kube-api/real.ts';
import { asRoot } from '../support/peers.ts';
import { eventually, ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { type ImageConfig, ImageRegistry, type Pushed } from './image-registry.ts';
import { type RunningImage, runImage, startImage, unpackImage } from './running-image.ts';
import { stdioPod } from './stdio-pod.ts';

/** All of Debian's packages take this long on a machine that is ten times busier than usual. */
const LONG_MS = 1_800_000;

/** The user in the images. */
const USER = 1000;

const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

type Unpacked = readonly [root: string, config: ImageConfig['config']];

asRoot('buildah', 'docker-registry', 'mmdebstrap').describe('images on Debian', () => {
  const storage = mkdtempSync(join(tmpdir(), 'lintel-storage-'));
  let registry: ImageRegistry;
  let bases: Bases;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [registry, folder] = [await ImageRegistry.start(), await temporaryFolder()];
    bases = await makeBases(storage);
  }, LONG_MS);
  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]();
    await buildah(storage, ['umount', '--all']);
    await folder?.[Symbol.asyncDispose]();
    await rm(storage, { recursive: true, force: true });
  });

  const named = (image: string) => {
    const target = IMAGES.find(one => one.image === image);
    if (target === undefined) throw new Error(`there is no image ${image}`);
    return makeImage(storage, target, bases);
  };
  const build = async (image: string): Promise<Pushed> => registry.push(storage, await named(image));

  /** As it comes from the registry. */
  const unpacked = async (image: string): Promise<Unpacked> => {
    const { config } = await build(image);
    return [await unpackImage(storage, `docker://${registry.address}/${image}:${VERSION}`), config.config];
  };

  /** A folder that the image's program may write to. */
  const writable = async (name: string) => {
    await mkdir(folder.file(name));
    await chown(folder.file(name), USER, USER);
    return folder.file(name);
  };

  test(
    'the image of the compiler checks a folder and builds bundles',
    async () => {
      const [root, config] = await unpacked('lintel');
      const mounts = { '/mnt/specs': join(ROOT, 'examples/policies/specs'), '/mnt/built': await writable('built') };
      expect(config).toMatchObject({ User: '1000:1000', Entrypoint: ['lintel'] });
      expect(await runImage(root, config, ['check', '/mnt/specs'], { mounts })).toMatchObject({ code: 0 });
      const outcome = await runImage(root, config, ['build', '/mnt/specs', '--out', '/mnt/built/out'], { mounts });
      expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('sha256:') });
      expect(await readFile(folder.file('built/out/index.json'), 'utf8')).toContain('sha256:');
    },
    LONG_MS,
  );

  describe('the controller', () => {
    let controller: Unpacked;
    beforeAll(async () => {
      controller = await unpacked('lintel-controller');
    }, LONG_MS);

    test('the image of the controller follows a repository with the git program that the image contains', async () => {
      const work = await writable('followed');
      const repository = new TestRepository(work, 'gateways.git');
      const spec = await readFile(join(ROOT, 'examples/quickstart/specs/quickstart.yaml'), 'utf8');
      repository.commit({ 'specs/gateway.yaml': spec });
      execFileSync('chown', ['-R', `${USER}:${USER}`, work]);
      const from = ['--standalone', '--repo', '/mnt/work/gateways.git', '--path', 'specs'];
      const args = [...from, '--out', '/mnt/work/out', '--once'];
      const outcome = await runImage(...controller, args, { mounts: { '/mnt/work': work }, env: { HOME: '/tmp' } });
      expect(outcome).toMatchObject({ code: 0 });
      expect(await readFile(folder.file('followed/out/index.json'), 'utf8')).toContain('sha256:');
    });

    test.skipIf(ASSETS === undefined)(
      `the image of the controller serves its probes and metrics, with a real API server${ASSETS === undefined ? ' (skipped: KUBEBUILDER_ASSETS not set)' : ''}`,
      async () => {
        await using api = await startRealApi();
        const definitions = join(ROOT, 'schemas/generated/crd');
        const env = { ...process.env, KUBECONFIG: folder.file('admin/kubeconfig') };
        await folder.write({ 'admin/kubeconfig': api.kubeconfig(api.token) });
        execFileSync(join(ASSETS ?? '', 'kubectl'), ['apply', '--server-side', '-k', definitions], { env });
        const mounts = { '/mnt/admin': folder.file('admin') };
        const args = ['--kubeconfig', '/mnt/admin/kubeconfig', '--metrics-address', '127.0.0.1:0'];
        await using image = await startImage(...controller, [...args, '--state-dir', '/tmp/state'], { mounts });
        const { internal } = JSON.parse(await image.stdout.next(/^.*\n/));
        await eventually(async () => (await fetch(`${internal}/readyz`)).ok);
        expect(await (await fetch(`${internal}/metrics`)).text()).toContain(
          'controller_runtime_max_concurrent_reconciles',
        );
        await ended(image);
      },
    );
  });

  describe('the bridge', () => {
    let bridge: Unpacked;
    beforeAll(async () => {
      bridge = await unpacked('lintel-bridge');
    }, LONG_MS);

    test('the bridge in its image starts a stdio server, relays a call to it, and stops cleanly with an init process', async () => {
      const server = plan('/mnt/servers/plain.mjs', { command: 'node' });
      await folder.write({ 'bridge/bridge.json': JSON.stringify({ servers: { 'default/plain': server } }) });
      const mounts = { '/mnt/config': folder.file('bridge'), '/mnt/servers': join(ROOT, 'test/bridge/servers') };
      const args = ['--config', '/mnt/config/bridge.json', '--port', '0'];
      await using image = await startImage(...bridge, args, { mounts, env: { HOME: '/tmp' } });
      const client = await connected(image, 'default/plain');
      const answer = await client.callTool({ name: 'echo', arguments: { text: 'through the image' } });
      expect(answer.content).toEqual([{ type: 'text', text: 'through the image' }]);
      await client.close();
      await ended(image);
    });

    test(
      'the commands of the pod of a stdio server copy the bridge out of its image and start it in an image without a C library',
      async () => {
        const { carry, start } = stdioPod({
          name: 'static',
          command: '/bin/busybox',
          args: ['sh', '/app/server.sh', '$5'],
        });
        // The volume that Kubernetes mounts into both containers.
        const volume = await writable('carried');
        const mounts = { '/lintel-bridge': volume };
        expect(await runImage(...bridge, [], { mounts, entrypoint: carry })).toMatchObject({ code: 0, stderr: '' });
        const [root, config] = await staticServer();
        await using image = await startImage(root, config, [], { mounts, entrypoint: start });
        const client = await connected(image, 'mcp/static');
        expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['look']);
        const { content } = await client.callTool({ name: 'look' });
        expect(content).toEqual([{ type: 'text', text: 'libraries: ; started with: $5; user: 65532' }]);
        await client.close();
        await ended(image);
      },
      LONG_MS,
    );

    test(
      'an archive of the bridge image has the digest of the image, and the same bytes each time it is made',
      async () => {
        const image = `localhost/lintel-bridge:${VERSION}`;
        const { digest: pushed } = await registry.push(storage, image);
        const { file, digest } = await archiveImage(storage, image, folder.file('bridge.tar'));
        expect(digest).toBe(pushed);
        const again = await archiveImage(storage, image, folder.file('again.tar'));
        expect((await readFile(again.file)).equals(await readFile(file))).toBe(true);
        const other = join(storage, 'other');
        await buildah(other, ['pull', `oci-archive:${file}`]);
        const [pulled] = JSON.parse(await buildah(other, ['images', '--json', '--digests']));
        expect(pulled.digest).toBe(pushed);
      },
      LONG_MS,
    );
  });

  /** An image with one statically linked program. */
  const staticServer = async (): Promise<Unpacked> => {
    const context = await writable('static-server');
    await debianRoot(join(context, 'root.tar'), ['--variant=extract', '--include=busybox-static']);
    const from = join(import.meta.dirname, 'static-server');
    for (const name of ['Containerfile', 'server.sh']) await copyFile(join(from, name), join(context, name));
    await buildah(storage, ['bud', '--tag', 'localhost/static-server:1', context]);
    const { config } = await registry.push(storage, 'localhost/static-server:1');
    return [await unpackImage(storage, `docker://${registry.address}/static-server:1`), config.config];
  };

  test(
    'the runtime image with git has git, runs, and has the same bytes when it is built again',
    async () => {
      const first = await build('lintel-runtime-with-git');
      const [root, config] = await unpacked('lintel-runtime-with-git');
      const git = await runImage(root, config, ['--version'], { entrypoint: ['git'] });
      expect(git).toMatchObject({ code: 0, stdout: expect.stringMatching(/^git version \d/) });
      expect(await runImage(root, config, ['--version'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d/),
      });
      const { digest } = await registry.push(storage, `localhost/lintel-runtime-with-git:${VERSION}`);
      expect(digest).toBe(first.digest);
    },
    LONG_MS,
  );
});

/** An official SDK client connected to a server behind a bridge. */
async function connected(image: RunningImage, server: string): Promise<Client> {
  const { url } = JSON.parse(await image.stdout.next(/^.*\n/));
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/${server}/mcp`)) as never);
  return client;
}

/** Stops it as a cluster does. */
async function ended(image: RunningImage): Promise<void> {
  process.kill(await image.pid(), 'SIGTERM');
  expect(await image.outcome()).toMatchObject({ code: 0 });
}
