import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithNpm } from '#shared/util';
import type { Compilation } from '../compile/compilation.ts';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { writeBundles } from './build.ts';
import { type ChosenBundle, chooseBundle, listBackends } from './choose-bundle.ts';
import { type CompiledPaths, chooseServingExitCode, renderFindings, renderMistakes } from './compile-paths.ts';
import { parseDenial } from './denial.ts';
import { PrintedFindings } from './printed-findings.ts';
import type { ServeOptions } from './serve.ts';
import { type AbsentServers, listAbsentServers } from './serving/absent-servers.ts';
import { BridgeProcess, buildBridgeConfig } from './serving/bridge-process.ts';
import type { ListeningAddress } from './serving/client-snippet.ts';
import { DevCallers } from './serving/dev-callers.ts';
import { isLogText, listensForPerson, startRuntime, superviseRuntime } from './serving/runtime-process.ts';
import { withoutVerifiedSecrets } from './serving/verified-secrets.ts';
import { isAbort, WatchedSources } from './watched-sources.ts';

export interface DevOptions extends ServeOptions {
  /** Callers for whom the gateway accepts short-lived development tokens, in the form of `parseCallerClaims`. */
  readonly as?: readonly string[];
}

/**
 * Serves one gateway or registry server and compiles again whenever a source changes. A valid change is swapped in; an invalid one prints its
 * findings, and the running bundle stays. If the sources are invalid at the start, the command waits for a correction. Returns the exit code.
 */
export async function dev(paths: readonly string[], options: DevOptions): Promise<number> {
  if (paths.includes('-')) throw new UsageError('dev watches files and folders; standard input cannot change');
  const option = parseDenial(options);
  using _npm = endWithNpm();
  await using callers = await DevCallers.of(options.as, options.host);
  const folder = await mkdtemp(join(tmpdir(), 'lintel-dev-'));
  const bridge = await BridgeProcess.prepare(isLogText(options) ? 'text' : 'json');
  const sources = new WatchedSources(paths, { ...options, purpose: 'build', denial: option });
  const writtenFiles = new Set<string>();
  const printed = new PrintedFindings();
  const first = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  let served: ChosenBundle | undefined;
  let isServing = false;
  let isOver = false;
  const end = () => {
    isOver = true;
    sources.abort();
    first.resolve();
  };
  const interrupted = () => {
    end();
    ended.resolve(0);
  };

  let reportedAbsent = '';
  const reportAbsent = ({ needed, texts }: AbsentServers) => {
    // The environment of a running process never changes, so waiting for a missing variable is useless.
    if (needed.length > 0 && !isServing) throw new UsageError(texts.join('\nlintel: '));
    const text = texts.join('\n');
    // At the start, the text with the address shows these lines to a person. In all other cases they are printed here.
    if (text !== reportedAbsent && (isServing || !listensForPerson())) for (const value of texts) logLine(value);
    reportedAbsent = text;
  };

  let url: string | undefined;
  let newest: Compilation | undefined;
  const reportCallers = async () => {
    if (url === undefined || newest === undefined || served === undefined) return;
    const text = await callers?.issueTokens(newest, served, url);
    if (text !== undefined) logLine(text);
  };
  const onListening = (listening: ListeningAddress) => {
    url = listening.url;
    reportCallers().catch(ended.reject);
  };

  const cycle = async (compiled: CompiledPaths, tookMs: number) => {
    let { compilation } = compiled;
    const good = chooseServingExitCode(compilation) === 0;
    const unprinted = printed.findNew(withoutVerifiedSecrets(compiled));
    if (unprinted.compiled.compilation.findings.diagnostics.length > 0) {
      process.stderr.write(`${renderFindings(unprinted.compiled, 'pretty', { stream: process.stderr })}\n`);
    }
    if (served === undefined && good) served = chooseBundle(compilation, options);
    if (served !== undefined && callers !== undefined) compilation = callers.trustIn(compilation, served);
    const absent = served !== undefined && good ? listAbsentServers(compilation, served, options.dotenv) : undefined;
    if (absent !== undefined) reportAbsent(absent);
    const isRefused = absent !== undefined && absent.needed.length > 0;
    // The stdio servers start before the runtime gets the bundle that needs them. If the specs of the gateway have errors, the servers of its last
    // good bundle keep running.
    const backends = served === undefined || !compilation.checked.complete ? [] : listBackends(compilation, served);
    if (!isRefused && (good || backends.length > 0)) await bridge.use(buildBridgeConfig(backends));
    if (!isRefused && compilation.checked.complete) await writeBundles(folder, compilation, { written: writtenFiles });
    newest = compilation;
    await reportCallers();
    if (isOver) return;
    if (isServing) {
      const others = unprinted.others === '' ? '' : `; ${unprinted.others}`;
      logLine(
        isRefused
          ? 'the served bundle is unchanged'
          : good
            ? `compiled in ${Math.round(tookMs)} ms${others}`
            : 'there are errors; the last good bundle is still served',
      );
    } else if (served !== undefined) {
      isServing = true;
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      const denial = option ?? compiled.project.denial;
      const runtime = startRuntime(folder, served, options, {
        // If two `lintel dev` run on one machine, the second one cannot use the default port of the internal pages.
        ...{ watch: true, denial, bridge: bridge.address, isInternalFlexible: options.internalAddress === undefined },
        ...(absent !== undefined && { absent }),
        ...(callers !== undefined && { onListening }),
      });
      superviseRuntime(runtime, bridge).then(ended.resolve, ended.reject);
    } else {
      logLine('there are errors; waiting for a change');
    }
  };
  const recompile = async () => {
    if (isOver) return;
    try {
      const started = performance.now();
      const compiled = await sources.compile();
      await cycle(compiled, performance.now() - started);
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      // Editors leave files half-written for a moment; the served bundle stays.
      logLine(`${(error as Error).message}; waiting for a change`);
    }
  };

  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    // Watching starts before reading: a change during the first compilation triggers a second one.
    sources.watch(() => first.promise.then(recompile));
    try {
      await cycle(await sources.compile(), 0);
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
    first.resolve();
    return await ended.promise;
  } finally {
    end();
    await sources.close();
    await bridge.close();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}

function logLine(text: string): void {
  process.stderr.write(`lintel: ${text}\n`);
}
