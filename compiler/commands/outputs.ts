/** `--format F [--output FILE]`, repeatable: one analysis, one document for each format. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { FORMATS, type Format } from '../diagnostics/render/index.ts';
import { createWriteError } from '../emit/write-error.ts';
import { writeFiles } from '../emit/write-files.ts';
import { UsageError } from '../usage-error.ts';

/** Findings in one format. */
export interface Output {
  readonly format: Format;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

/** `--format` and `--output` in the order in which they were given. */
export type OutputArgument = { readonly format: Format } | { readonly file: string };

/**
 * Pairs formats with files. With as many files as formats, they pair in order; with fewer, a file belongs to the format directly before it, and
 * the one format without a file goes to standard output. The default is `pretty` to standard output.
 *
 * @throws UsageError for a file without a format, two formats for standard output, and a file given twice
 */
export function pairOutputs(outputArguments: readonly OutputArgument[]): readonly Output[] {
  const formats = outputArguments.flatMap(argument => ('format' in argument ? argument.format : []));
  const files = outputArguments.flatMap(argument => ('file' in argument ? argument.file : []));
  if (files.length > formats.length) {
    throw new UsageError(
      `${formatCount(files.length, '--output')} for ${formatCount(formats.length, '--format')}: each --output needs a --format`,
    );
  }
  if (formats.length === 0) return [{ format: 'pretty', file: undefined }];
  const twice = files.find((file, at) => files.findIndex(other => resolve(other) === resolve(file)) !== at);
  if (twice !== undefined) throw new UsageError(`two formats cannot be written to one file: ${twice}`);
  const outputs =
    files.length === formats.length
      ? formats.map((format, at) => ({ format, file: files[at] }))
      : pairAdjacent(outputArguments);
  const printed = outputs.filter(({ file }) => file === undefined).map(({ format }) => format);
  if (printed.length > 1) {
    throw new UsageError(`standard output takes one format, not ${printed.join(' and ')}: add --output <file>`);
  }
  return outputs;
}

function pairAdjacent(outputArguments: readonly OutputArgument[]): readonly Output[] {
  const outputs: Output[] = [];
  for (const argument of outputArguments) {
    if ('format' in argument) {
      outputs.push({ format: argument.format, file: undefined });
      continue;
    }
    const last = outputs.pop();
    if (last === undefined || last.file !== undefined) {
      throw new UsageError(`--output ${argument.file} has no --format right before it`);
    }
    outputs.push({ ...last, file: argument.file });
  }
  return outputs;
}

function formatCount(count: number, option: string): string {
  return `${count === 0 ? 'no' : count} ${option}`;
}

/**
 * Writes one document atomically.
 * @throws UsageError when the file cannot be written, or is of a type that must not be replaced
 */
export async function writeOutput(file: string, text: string): Promise<void> {
  try {
    // Writes to the target of a link; a device or pipe is never replaced.
    const target = await realpath(file).catch(() => file);
    const existing = await stat(target).catch(() => undefined);
    if (existing?.isDirectory()) throw new Error('it is a folder; give a file in it');
    if (existing !== undefined && !existing.isFile()) throw new Error('it is not a regular file');
    await writeFiles(dirname(target), [{ path: basename(target), text }]);
  } catch (error) {
    throw createWriteError(file, error);
  }
}

/** Whether a text names a format. */
export function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}
