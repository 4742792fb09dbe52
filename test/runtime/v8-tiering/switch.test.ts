/** `LINTEL_TUNING=off` turns off what only tunes V8, so that a benchmark can measure what it saves. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Writes a large chunk to a response that takes it at once, and prints whether the memory of the chunk is released. */
const PROGRAM = `
  import { writeAndRelease } from './runtime/tuning/release-buffer.ts';
  const chunk = new Uint8Array(64 * 1024);
  writeAndRelease({ write: (_chunk, onWritten) => { onWritten?.(); return true; } }, chunk);
  console.log(chunk.buffer.detached);
`;

test.each([
  ['unset', 'true', {}],
  ['on', 'true', { LINTEL_TUNING: 'on' }],
  ['off', 'false', { LINTEL_TUNING: 'off' }],
])('with LINTEL_TUNING %s, whether the memory of a written chunk is released is %s', async (_, released, env) => {
  const { LINTEL_TUNING, ...inherited } = process.env;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', PROGRAM];
  const { stdout } = await run(process.execPath, args, { env: { ...inherited, ...env } });
  expect(stdout.trim()).toBe(released);
});
