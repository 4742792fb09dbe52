/** `lintel check --watch`: checks again after each change. */
import { summaryLine } from '../diagnostics/render/summary.ts';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { type CheckOptions, printFindings } from './check.ts';
import { type Compiled, renderMistakes } from './compile-paths.ts';
import { isScreen } from './is-screen.ts';
import { endWithNpm } from './serving/end-with-npm.ts';
import { isAbort, WatchedSources } from './watched-sources.ts';

/** Erases the screen and goes to its first place. What scrolled out of it stays. */
const CLEAR = '\u001B[2J\u001B[H';

/**
 * Checks, and checks again after each change until it is interrupted. On a terminal the current findings take the place of the former ones.
 * Elsewhere a change is one line, unless a format was asked for. Returns the exit code: 0, since being interrupted is how it ends.
 *
 * @throws UsageError as `check`, the first time; later it is printed, and the next change waited for
 */
export async function watchCheck(
  paths: readonly string[],
  options: CheckOptions & { readonly isFormatGiven: boolean },
): Promise<number> {
  using _npm = endWithNpm();
  const { languageOnly = false, isFormatGiven } = options;
  const sources = new WatchedSources(paths, { ...options, purpose: languageOnly ? 'language' : 'check' });
  const first = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const interrupted = () => {
    sources.abort();
    first.resolve();
    ended.resolve(0);
  };
  const show = async (compiled: Compiled, isFirst: boolean) => {
    const { findings, checked } = compiled.compilation;
    if (isScreen(process.stdout)) process.stdout.write(CLEAR);
    else if (!isFirst && !isFormatGiven) {
      process.stdout.write(`${summaryLine(findings, checked)}\n`);
      return;
    }
    await printFindings(compiled, options);
    if (isScreen(process.stdout)) process.stdout.write('\nwaiting for a change; Ctrl-C ends this\n');
  };
  const checkAgain = async () => {
    try {
      await show(await sources.compile(), false);
    } catch (error) {
      if (isAbort(error)) return;
      // A checkout of another branch may take a file away between two looks.
      const isOfFiles = (error as NodeJS.ErrnoException).syscall !== undefined;
      if (!(error instanceof UsageError || isOfFiles)) throw error;
      if (isScreen(process.stdout)) process.stdout.write(CLEAR);
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      process.stderr.write(`lintel: ${(error as Error).message}; waiting for a change\n`);
    }
  };

  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    // Watched before they are read: a change in the meantime brings the second check, after the first.
    sources.watch(() => first.promise.then(checkAgain).catch(ended.reject));
    try {
      await show(await sources.compile(), true);
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
    first.resolve();
    return await ended.promise;
  } finally {
    first.resolve();
    await sources.close();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}
