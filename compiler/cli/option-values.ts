/** Parsers of option values that commands share. */
import { parseEnv } from 'node:util';
import { InvalidArgumentError } from 'commander';
import { describeFileError, OptionError, originOption, parseAddressOption, parsePortOption } from '#shared/util';
import { decode } from '../source/decode.ts';
import { suggestFile } from '../source/find-files.ts';
import { readBytes } from '../source/read-bytes.ts';
import { UsageError } from '../usage-error.ts';

/** Limit on a file of `--dotenv`, in bytes: more than any such file has. */
const MAX_VARIABLES_BYTES = 1_048_576;

/** An empty argument is an unset variable of a script, and does not mean the working directory. */
export function parseNotEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

/** A folder to write to. Commander would accept a following option as the value. */
export function parseFolderName(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('It is an option: put the folder before it.');
  return parseNotEmpty(text);
}

/** No image has white space in its name; anything else is checked when it is pulled. */
export function parseImageName(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError('It is not a valid image name.');
  return text;
}

export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), parseNotEmpty(text)];
}

/**
 * Sets the variables of a file while options are parsed, because later options read variables. Variables that are already set keep their values.
 */
export function loadVariables(file: string, before: readonly string[] | undefined): readonly string[] {
  const variables = parseEnv(readVariables(parseNotEmpty(file)));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  return [...(before ?? []), file];
}

/** Refuses a file in UTF-16, as some editors save it: read as UTF-8, it would define no variable, and there would be no error. */
function readVariables(file: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readBytes(file, MAX_VARIABLES_BYTES);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(
      `--dotenv: cannot read ${file}: ${describeFileError(error)}${isAbsent ? suggestFile(file) : ''}`,
    );
  }
  if (bytes === undefined)
    throw new UsageError(
      `--dotenv: ${file} is larger than ${MAX_VARIABLES_BYTES} bytes: give a file of NAME=value lines`,
    );
  const decoded = decode(file, bytes);
  if ('source' in decoded) return decoded.source.text;
  throw new UsageError(
    `--dotenv: ${file}: ${decoded.diagnostic.message}; save it as UTF-8, with a line NAME=value for each variable`,
  );
}

/** Refuses `NAME=value`: the process list would show the value. The message does not repeat it, because it may be secret. */
export function parseVariableNames(text: string, before: readonly string[] | undefined): readonly string[] {
  const [name = ''] = text.split('=');
  if (name !== text)
    throw new UsageError(`--env takes the name of a variable, ${name}, whose value comes from the environment`);
  return collect(text, before);
}

export function parseTimeout(text: string): string {
  if (!/^[1-9]\d{0,5}(?:ms|s|m)$/.test(text)) throw new InvalidArgumentError('Write it as 500ms, 30s or 2m.');
  return text;
}

/** A port as text: the runtime gets it as the command line has it. */
export function parsePort(text: string): string {
  return requireReadable(text, () => parsePortOption('--port', text), 'Write a port from 0 to 65535.');
}

export function parseAddress(text: string): string {
  const isRight = () => parseAddressOption('--internal-address', text);
  return requireReadable(
    text,
    isRight,
    'Write it as HOST:PORT, such as 127.0.0.1:8081, with an IPv6 address in brackets.',
  );
}

export function collectOrigins(text: string, before: readonly string[] | undefined): readonly string[] {
  const isRight = () => originOption('--allowed-origin', text);
  return [...(before ?? []), requireReadable(text, isRight, 'Write an origin, such as https://chat.example.com.')];
}

/** @param read the function with which the runtime, which has the same option, reads the text */
function requireReadable(text: string, read: () => unknown, advice: string): string {
  parseNotEmpty(text);
  try {
    read();
    return text;
  } catch (error) {
    if (error instanceof OptionError) throw new InvalidArgumentError(advice);
    throw error;
  }
}

export function parsePercent(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100)) throw new InvalidArgumentError('Write a whole number from 0 to 100.');
  return percent;
}

export function collectPaths(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), parseNotEmpty(path)];
}
