/** `lintel check --watch`: checks after each change. */
import { endWithNpm } from '#shared/util';
import { formatSummaryLine } from '../diagnostics/render/summary.ts';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { type CheckOptions, printFindings } from './check.ts';
import { type CompiledPaths, renderMistakes } from './compile-paths.ts';
import { isScreen } from './is-screen.ts';
import { isAbort, WatchedSources } from './watched-sources.ts';

/** Clears the screen and moves the cursor to its start. The scrollback stays. */
const CLEAR = '\u001B[2J\u001B[H';

/**
 * Checks at the start and after each change, until interrupted. On a terminal the current findings replace the previous ones. Elsewhere each
 * change prints one line, unless a format was requested. Returns the exit code: 0, because an interrupt is the normal end.
 *
 * @throws UsageError as `check`, for the first run; a later error is printed, and the command waits for the next change
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
  const show = async (compiled: CompiledPaths, isFirst: boolean) => {
    const { findings, checked } = compiled.compilation;
    if (isScreen(process.stdout)) process.stdout.write(CLEAR);
    else if (!isFirst && !isFormatGiven) {
      process.stdout.write(`${formatSummaryLine(findings, checked)}\n`);
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
      // A file may vanish between two reads, for example when branches are switched.
      const isOfFiles = (error as NodeJS.ErrnoException).syscall !== undefined;
      if (!(error instanceof UsageError || isOfFiles)) throw error;
      if (isScreen(process.stdout)) process.stdout.write(CLEAR);
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      process.stderr.write(`lintel: ${(error as Error).message}; waiting for a change\n`);
    }
  };

  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    // Watching starts before reading: a change during the first check triggers a second one.
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
