import { expect, test } from 'vitest';
import { PROGRAM, run, start } from '../../support/process.ts';
import { type Announcement, buildInto, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const REPORT = 'process.on("exit", () => process.stdout.write(JSON.stringify(process.moduleLoadList)))';

test('the runtime loads neither HTTP/2 nor the fetch of Node at its start', async () => {
  const nodeOptions = ['--import', `data:text/javascript,${REPORT}`];
  const { stdout } = await run(PROGRAM.runtime, ['--version'], { nodeOptions });
  const loaded = JSON.parse(stdout.split('\n')[1] ?? '') as string[];
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule http2');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
});

/** The modules of Node that a program has loaded by its exit; SIGTERM ends it once it listens. */
async function loadedBy(bundle: string): Promise<readonly string[]> {
  const nodeOptions = ['--import', `data:text/javascript,${REPORT}`];
  await using runtime = start(PROGRAM.runtime, ['--bundle', bundle, ...FREE_PORTS], { nodeOptions });
  const { internal } = await runtime.announcement<Announcement>();
  // Once it responds, it also handles signals.
  await fetch(`${internal}/health`);
  runtime.kill('SIGTERM');
  await runtime.exitCode();
  return JSON.parse(runtime.stdout.text.split('\n')[1] ?? '') as string[];
}

/** Only a registry server compresses responses. */
const OF_REGISTRIES = 'NativeModule zlib';

test('the runtime of a gateway does not load the code of registry servers', async () => {
  await using gateway = await buildInto(CLEAN);
  await using registry = await buildInto({
    'registry.yaml':
      'sources: [{ name: a, file: { path: /srv/none.json } }]\nregistries: [{ name: main, sources: [a] }]\nauth: { mode: anonymous }\n',
  });
  expect(await loadedBy(gateway.file('out'))).not.toContain(OF_REGISTRIES);
  expect(await loadedBy(registry.file('out'))).toContain(OF_REGISTRIES);
});
