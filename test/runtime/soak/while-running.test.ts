import { expect, onTestFinished, test } from 'vitest';
import { start, temporaryFolder } from '../../support/process.ts';
import { whileRunning } from './while-running.ts';

async function program(text: string) {
  const folder = await temporaryFolder({ 'program.mjs': text });
  const started = start(folder.file('program.mjs'), []);
  onTestFinished(async () => {
    await started[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  return started;
}

const never = new Promise<never>(() => {});
const FOREVER = 'setInterval(() => {}, 1_000);';

test.each([
  [
    'exit code 7',
    'console.error("no memory"); process.exitCode = 7;',
    /the gateway ended by itself with exit code 7: no memory/,
  ],
  [
    'signal SIGKILL',
    `process.kill(process.pid, 'SIGKILL'); ${FOREVER}`,
    /the gateway ended by itself with signal SIGKILL/,
  ],
])('the soak test fails when the gateway ends with %s', async (_, text, message) => {
  await expect(whileRunning({ gateway: await program(text) }, never)).rejects.toThrow(message);
});

test('a gateway that is stopped after the soak test does not count as ended by itself', async () => {
  const running = await program(FOREVER);
  expect(await whileRunning({ gateway: running }, Promise.resolve('done'))).toBe('done');
  await running[Symbol.asyncDispose]();
  expect(await running.ending).toBe('signal SIGTERM');
});
