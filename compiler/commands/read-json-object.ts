import { isObject } from '#schemas';
import { describeFileError } from '#shared/util';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { decode } from '../source/decode.ts';
import { STDIN_NAME, suggestFile } from '../source/find-files.ts';
import { JsonParser } from '../source/json-parser.ts';
import { toDiagnostic, UnreadableError } from '../source/problem.ts';
import { readBytes } from '../source/read-bytes.ts';
import { SourceText } from '../source/source-text.ts';
import { describeFound } from '../text/describe.ts';
import { UsageError } from '../usage-error.ts';

/** Maximum size of a file of claims or arguments, in bytes. */
export const MAX_JSON_OBJECT_BYTES: number = 1024 * 1024;

const STDIN_FD = 0;

/**
 * The object of a JSON file; `-` is standard input.
 *
 * @param what its content, for messages
 * @throws UsageError with the place of the mistake
 */
export function readJsonObject(
  file: string,
  what: string,
  maxBytes: number = MAX_JSON_OBJECT_BYTES,
): Readonly<Record<string, unknown>> {
  const shown = file === '-' ? STDIN_NAME : file;
  const decoded = decode(shown, readInput(file, what, maxBytes), maxBytes);
  if ('diagnostic' in decoded) throw toUsageError(decoded.diagnostic);
  return toObject(decoded.source, `${shown}: expected one JSON object with the ${what}, and the file`);
}

/** Whether the text is meant to be JSON itself, and not the name of a file. */
export function isJsonText(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/**
 * The object of a JSON text on the command line.
 *
 * @param what the meaning of the text, for messages
 * @param option the option that has the text
 * @throws UsageError with the place of the mistake
 */
export function parseJsonObject(text: string, what: string, option: string): Readonly<Record<string, unknown>> {
  return toObject(new SourceText(option, text), `${option}: expected one JSON object with the ${what}, and the text`);
}

function toObject(source: SourceText, complaint: string): Readonly<Record<string, unknown>> {
  const value = parse(source);
  if (isObject(value)) return value;
  throw new UsageError(`${complaint} ${value === undefined ? 'is empty' : `holds ${describeFound(value, false)}`}`);
}

function readInput(file: string, what: string, maxBytes: number): Buffer {
  let bytes: Buffer | undefined;
  try {
    bytes = readBytes(file === '-' ? STDIN_FD : file, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      code === 'ENOENT'
        ? `no such file of ${what}: ${file}${suggestFile(file)}`
        : `${file}: cannot be read: ${describeFileError(error)}`,
    );
  }
  if (bytes === undefined) throw new UsageError(`${file}: larger than ${maxBytes} bytes`);
  return bytes;
}

/** A duplicate member is refused, because it is unclear which one was meant. */
function parse(source: SourceText): unknown {
  const parser = new JsonParser(source.text);
  try {
    const root = parser.parse();
    const [problem] = parser.problems;
    if (problem !== undefined) throw toUsageError(toDiagnostic(problem, source));
    return root?.value;
  } catch (error) {
    if (error instanceof UnreadableError) throw toUsageError(toDiagnostic(error.problem, source));
    throw error;
  }
}

function toUsageError({ file, range, message }: Diagnostic): UsageError {
  return new UsageError(`${file}:${range.start.line}:${range.start.column}: ${message}`);
}
