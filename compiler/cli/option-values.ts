/** Parsers of option values that commands share. */
import { InvalidArgumentError } from 'commander';
import { describeFileError, suggestFile } from '../source/find-files.ts';
import { UsageError } from '../usage-error.ts';

/** An empty argument is an unset variable of a script, and does not mean the working directory. */
export function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

/** A folder to write to. Commander would accept a following option as the value. */
export function folderName(text: string): string {
  if (text.startsWith('--')) throw new InvalidArgumentError('It is an option: put the folder before it.');
  return notEmpty(text);
}

/** No image has white space in its name; anything else is checked when it is pulled. */
export function imageName(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError('It is not a valid image name.');
  return text;
}

export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), notEmpty(text)];
}

/** Loaded while options are parsed, because later options read variables. */
export function loadVariables(file: string, before: readonly string[] | undefined): readonly string[] {
  try {
    process.loadEnvFile(notEmpty(file));
  } catch (error) {
    throw new UsageError(`--dotenv: cannot read ${file}: ${describeFileError(error)}${suggestFile(file)}`);
  }
  return [...(before ?? []), file];
}

/** The value would appear in the process list, and is not repeated here either. */
export function variableNames(text: string, before: readonly string[] | undefined): readonly string[] {
  const [name = ''] = text.split('=');
  if (name !== text)
    throw new UsageError(`--env takes the name of a variable, ${name}, whose value comes from the environment`);
  return collect(text, before);
}

export function timeoutText(text: string): string {
  if (!/^[1-9]\d{0,5}(?:ms|s|m)$/.test(text)) throw new InvalidArgumentError('Write it as 500ms, 30s or 2m.');
  return text;
}

export function percentText(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100)) throw new InvalidArgumentError('Write a whole number from 0 to 100.');
  return percent;
}

export function pathList(path: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), notEmpty(path)];
}
