/** The process that runs commands in sequence. Each command has a working directory, environment and output as in a process of its own. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { main } from '../../compiler/cli.ts';
import type { LintelCall } from './lintel.ts';
import type { Outcome } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'lintel-stdin-'));
const INPUT = join(folder, 'input');

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
// The worker has exited.
process.on('disconnect', () => process.exit());
process.on('message', (call: LintelCall) => {
  run(call).then(
    outcome => process.send?.(outcome),
    error => {
      throw error;
    },
  );
});

async function run({ args, cwd, env, input }: LintelCall): Promise<Outcome> {
  setStandardInput(input);
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdout = new Text();
  const stderr = new Text();
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true });
  process.exitCode = undefined;
  await main(args);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Commands read standard input by its number, and an opened file gets the lowest free number. */
function setStandardInput(text: string): void {
  writeFileSync(INPUT, text);
  closeSync(0);
  if (openSync(INPUT, 'r') !== 0) throw new Error('standard input was not free');
}

/** An output that is not a terminal, like a pipe. */
class Text extends Writable {
  readonly #parts: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.#parts.push(part);
    done();
  }
}
