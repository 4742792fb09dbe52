#!/usr/bin/env node
import { findNodeProblem, findTlsProblem, VERSION } from '#schemas';
import { endWithNpm, OptionError, wrapUsage } from '#shared/util';
import { KubeConfigError } from './kube/config-error.ts';
import { ListenError } from './observe/listen-error.ts';
import { createLogger } from './observe/log.ts';
import { readOptions, USAGE } from './options.ts';

async function main(): Promise<number> {
  const problem = findNodeProblem(process.versions.node) ?? findTlsProblem(process.env);
  if (problem !== undefined) throw new OptionError(problem);
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help' || options === 'version') {
    process.stdout.write(options === 'help' ? wrapUsage(USAGE, process.stdout.columns) : `${VERSION}\n`);
    return 0;
  }
  const log = createLogger(options.logLevel);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  using _npm = endWithNpm();
  // These modules are imported only here: their HTTP client fails to load on an old Node, before any message could be printed.
  if (options.mode === 'standalone') {
    const { runStandalone } = await import('./folder/standalone.ts');
    return await runStandalone(options, log, stop.signal);
  }
  const { runCluster } = await import('./cluster/manager.ts');
  await runCluster(options, log, stop.signal, urls => {
    // One line for the parent process, which needs the address of this one.
    const line = { event: 'listening', level: 'info', time: new Date().toISOString(), ...urls };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  });
  return 0;
}

try {
  process.exit(await main());
} catch (error) {
  const isOption = error instanceof OptionError;
  if (isOption || error instanceof KubeConfigError || error instanceof ListenError) {
    process.stderr.write(`lintel-controller: ${error.message}\n${isOption ? "Try 'lintel-controller --help'.\n" : ''}`);
    process.exit(2);
  }
  createLogger('info').fatal({ err: error }, 'internal error');
  process.exit(70);
}
