import { expect, test } from 'vitest';
import { PROGRAM, run } from '../../support/process.ts';

const REPORT = 'process.on("exit", () => process.stdout.write(JSON.stringify(process.moduleLoadList)))';

test('a start loads neither HTTP/2 nor what Node itself has of fetch', async () => {
  const nodeOptions = ['--import', `data:text/javascript,${REPORT}`];
  const { stdout } = await run(PROGRAM.runtime, ['--version'], { nodeOptions });
  const loaded = JSON.parse(stdout.split('\n')[1] ?? '') as string[];
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule http2');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
});
