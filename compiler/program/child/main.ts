/**
 * Runs one bundled program and tells what it gives, in a process of its own that may read the project and nothing else. What it is given
 * comes on standard input; the answer goes to a pipe of its own, since standard output is the program's.
 */
import { readFileSync, writeSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Outcome, RunRequest, RunResult } from './exchange.ts';
import { failedOf, type Phase, thrownOf } from './failed.ts';
import { findApps } from './find-apps.ts';
import { followBundle, framesHere } from './frames.ts';
import { hook } from './hooks.ts';
import { readIncludesHere } from './local-includes.ts';
import { note, notesSoFar } from './notes.ts';
import { refuseNetwork } from './refuse-network.ts';
import { renderApps } from './render.ts';
import { standStill } from './stand-still.ts';
import { watchEnvironment } from './watch-environment.ts';

const RESULT_FD = 3;
const STDIN_FD = 0;

const request: RunRequest = JSON.parse(readFileSync(STDIN_FD, 'utf8'));
const reallyExit = process.exit.bind(process);
let phase: Phase = 'loading';

/** Tells the outcome and ends the process; nothing of the program runs after it. */
function finish(outcome: Outcome): never {
  const result: RunResult = { outcome, notes: notesSoFar() };
  const bytes = Buffer.from(JSON.stringify(result));
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(RESULT_FD, bytes, at);
    } catch (error) {
      // The pipe is full; whoever reads it is at it.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
  return reallyExit(0);
}

function load(): Promise<{ program: Record<string, unknown> }> {
  const { url, bundle } = request;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === url ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
    load: (loaded, context, next) =>
      loaded === url ? { format: 'module', source: bundle, shortCircuit: true } : next(loaded, context),
  });
  return import(url);
}

followBundle(request.url);
Object.assign(globalThis, {
  // What the bundle calls; see `bundle.ts`.
  [Symbol.for('lintel.dev/program')]: {
    hook,
    file: (path: string) => {
      const filename = resolve(request.folder, path);
      return { url: pathToFileURL(filename).href, filename, dirname: dirname(filename), basename: basename(filename) };
    },
  },
});
process.exit = ((code?: number | string | null) =>
  finish({
    type: 'exited',
    exitCode: Number(code ?? process.exitCode ?? 0),
    frames: framesHere(),
  })) as typeof process.exit;
process.on('uncaughtException', error => finish(failedOf(error, phase)));
process.on('unhandledRejection', error => finish({ type: 'rejected', thrown: thrownOf(error) }));
process.on('beforeExit', () => finish({ type: 'pending' }));
if (!request.allowNetwork) refuseNetwork();
readIncludesHere();
standStill(request.now);
watchEnvironment();
// What is imported by name is what was replaced.
syncBuiltinESMExports();
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = ((...parameters: Parameters<typeof write>) => {
    if (stream === process.stdout) note('print', 'stdout');
    return write(...parameters);
  }) as typeof stream.write;
}

try {
  const { program } = await load();
  phase = 'calling';
  const found = await findApps(program);
  if (found.length === 0) finish({ type: 'nothing', exports: Object.keys(program) });
  phase = 'rendering';
  finish(renderApps(found));
} catch (error) {
  finish(failedOf(error, phase));
}
