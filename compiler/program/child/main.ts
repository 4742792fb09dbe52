/**
 * Runs one bundled program and reports its result, in a process that may only read the project. The request comes on standard input; the answer
 * goes to a separate pipe, because standard output belongs to the program.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blockKeyGeneration } from './block-key-generation.ts';
import { blockNetwork } from './block-network.ts';
import { blockPermissionEscapes } from './block-permission-escapes.ts';
import { waitUntilIdle, watchIdle } from './detect-idle.ts';
import { freezeGlobals } from './deterministic-globals.ts';
import type { ChildOutcome, RunRequest } from './exchange.ts';
import { findApps, listUselessExports } from './find-apps.ts';
import { captureFrames, followBundle } from './frames.ts';
import { hook } from './hooks.ts';
import { readIncludesHere } from './local-includes.ts';
import { getNotes, note } from './observations.ts';
import { findPendingHandle, watchPendingHandles } from './pending-handles.ts';
import { describeThrown, type Phase, toFailedOutcome } from './program-error.ts';
import { renderApps } from './render.ts';
import { sendMessage } from './send-message.ts';
import { watchEnvironment } from './watch-environment.ts';

const STDIN_FD = 0;

const request: RunRequest = JSON.parse(readFileSync(STDIN_FD, 'utf8'));
const reallyExit = process.exit.bind(process);
let phase: Phase = 'loading';

/** Sends the result and ends the process; no code of the program runs afterwards. */
function finish(outcome: ChildOutcome): never {
  sendMessage({ outcome, notes: getNotes() }, request.mark);
  return reallyExit(0);
}

/**
 * Reports at intervals which pending operation keeps this process alive. If the time is up, the parent process ends this process and shows the last
 * report.
 */
function reportOpenHandles(): void {
  let sent = 'null';
  const sendIfNew = () => {
    const message = { stillOpen: findPendingHandle() ?? null };
    const text = JSON.stringify(message.stillOpen);
    if (text !== sent) sendMessage(message, request.mark);
    sent = text;
  };
  setInterval(sendIfNew, request.reportEveryMs).unref();
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
  // Called by the bundle; see `bundle.ts`.
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
    frames: captureFrames(),
  })) as typeof process.exit;
process.on('uncaughtException', error => finish(toFailedOutcome(error, phase)));
process.on('unhandledRejection', error => finish({ type: 'rejected', thrown: describeThrown(error) }));
watchIdle(() => finish({ type: 'pending' }));
reportOpenHandles();
blockPermissionEscapes();
if (!request.allowNetwork) blockNetwork();
readIncludesHere();
freezeGlobals(request.now);
blockKeyGeneration();
watchEnvironment();
// Updates named imports to the replaced functions.
syncBuiltinESMExports();
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = ((...parameters: Parameters<typeof write>) => {
    if (stream === process.stdout) note('print', 'stdout');
    return write(...parameters);
  }) as typeof stream.write;
}

try {
  watchPendingHandles();
  const { program } = await load();
  await waitUntilIdle();
  phase = 'calling';
  const found = await findApps(program);
  const exitCode = Number(process.exitCode ?? 0);
  if (exitCode !== 0) finish({ type: 'failed', exitCode });
  if (found.length === 0) finish({ type: 'nothing', ...listUselessExports(program) });
  phase = 'rendering';
  const outcome = renderApps(found);
  await waitUntilIdle();
  finish(outcome);
} catch (error) {
  finish(toFailedOutcome(error, phase));
}
