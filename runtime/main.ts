#!/usr/bin/env node
import './tuning/start-tiering.ts';

import { findNodeProblem, findTlsProblem, VERSION } from '#schemas';
import { endWithNpm, OptionError, wrapUsage } from '#shared/util';
import { BundleError } from './bundle/bundle-error.ts';
import { call } from './call.ts';
import { ListenError } from './http/listen.ts';
import { list } from './list-backends.ts';
import { AuditSettingError } from './observe/audit/settings.ts';
import { createLogger } from './observe/log.ts';
import { readOptions, USAGE } from './options.ts';
import { serve } from './serve.ts';
import { collectGarbageAfterStart } from './tuning/gc-after-start.ts';
import { pinTickObjects } from './tuning/pin-tick-objects.ts';

pinTickObjects();

const log = createLogger('info');

async function main(): Promise<void> {
  const problem = findNodeProblem(process.versions.node) ?? findTlsProblem(process.env);
  if (problem !== undefined) throw new OptionError(problem);
  if (process.argv[2] === 'list') {
    void waitForParent().then(() => process.exit(70));
    return await list(process.stdin, process.stdout);
  }
  if (process.argv[2] === 'call') {
    void waitForParent().then(() => process.exit(70));
    return await call(process.stdin, process.stdout);
  }
  if (process.argv[2] === 'rehearse') {
    void waitForParent().then(() => process.exit(70));
    const { rehearseAll } = await import('./rehearsal/command.ts');
    return await rehearseAll(process.stdin, process.stdout);
  }
  const isWorker = process.argv[2] === 'worker';
  const options = readOptions(process.argv.slice(isWorker ? 3 : 2));
  if (options === 'help' || options === 'version') {
    process.stdout.write(options === 'help' ? wrapUsage(USAGE, process.stdout.columns) : `${VERSION}\n`);
    return;
  }
  if (isWorker) {
    const { runWorker } = await import('./workers/worker.ts');
    return await runWorker(options, log);
  }
  using _npm = endWithNpm();
  const ended = Promise.race([waitForSignal('SIGTERM'), waitForSignal('SIGINT'), waitForParent()]);
  const runtime = await Promise.race([serve(options, log), ended.then(() => undefined)]);
  if (runtime === undefined) return;
  const { url, internalUrl, kind, name, digest, registries } = runtime;
  const listening = {
    url,
    internal: internalUrl,
    [kind]: name,
    digest,
    ...(kind === 'registry' ? { registries } : {}),
  };
  // One line for the parent process, which needs the address.
  process.stdout.write(`${JSON.stringify({ event: 'listening', ...listening })}\n`);
  log.info(listening, 'listening');
  collectGarbageAfterStart();
  const failed = runtime.failed?.then(failure => ({ failure }));
  const reason = await Promise.race([ended, failed ?? ended]);
  if (typeof reason !== 'string') {
    log.fatal(reason.failure);
    await runtime.stop();
    process.exit(70);
  }
  log.info({ reason }, 'draining');
  await runtime.stop();
}

function waitForSignal(signal: NodeJS.Signals): Promise<NodeJS.Signals> {
  return new Promise(resolve => process.once(signal, resolve));
}

/** Resolves when the parent process that started this one over a channel has died; never without a channel. */
function waitForParent(): Promise<string> {
  return new Promise(resolve => {
    if (process.connected === true) process.once('disconnect', () => resolve('the parent process is gone'));
  });
}

try {
  await main();
  process.exit(0);
} catch (error) {
  if (error instanceof OptionError || error instanceof AuditSettingError) {
    process.stderr.write(`lintel-runtime: ${error.message}\nTry 'lintel-runtime --help'.\n`);
    process.exit(2);
  }
  if (error instanceof BundleError || error instanceof ListenError) {
    process.stderr.write(`lintel-runtime: ${error.message}\n`);
    process.exit(2);
  }
  log.fatal({ err: error }, 'internal error');
  process.exit(70);
}
