/** Parses another program's file: JSON, JSON with comments, YAML, or TOML. */

import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import { describeFileError } from '#shared/util';
import { suggestFile } from '../source/find-files.ts';
import { MAX_FILE_BYTES } from '../source/limits.ts';
import { readBytes } from '../source/read-bytes.ts';
import { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';

/**
 * The documents of a file; only YAML can have several. JSON may have comments and trailing commas, as in clients.
 * @throws UsageError for an invalid file, with the position but without the text there, which may be secret
 */
export function readValues(file: string): readonly unknown[] {
  const text = readText(file);
  if (/\.toml$/i.test(file)) return [parseTomlFile(file, text)];
  if (/\.ya?ml$/i.test(file)) return parseYamlFile(file, text);
  return [parseJsonFile(file, text)];
}

function readText(file: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readBytes(file, MAX_FILE_BYTES);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(`cannot read ${file}: ${describeFileError(error)}${isAbsent ? suggestFile(file) : ''}`);
  }
  if (bytes === undefined) throw new UsageError(`${file} holds more than ${MAX_FILE_BYTES} bytes`);
  return new SourceText(file, bytes.toString('utf8')).text;
}

function parseJsonFile(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value = withNestingError(file, () => {
    const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
    // The package's `parse` loses a member named `__proto__`.
    return tree === undefined ? undefined : (getNodeValue(tree) as unknown);
  });
  const [first] = errors;
  if (first === undefined) return value;
  const { line, column } = new SourceText(file, text).position(first.offset);
  throw new UsageError(`${file}:${line}:${column}: this is no JSON: ${toWords(printParseErrorCode(first.error))}`);
}

function toWords(code: string): string {
  return code.replace(/(?<=.)[A-Z]/g, letter => ` ${letter}`).toLowerCase();
}

function parseTomlFile(file: string, text: string): unknown {
  try {
    return withNestingError(file, () => parseToml(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UsageError(`${file}:${error.line}:${error.column}: this is no TOML${explainTomlError(error)}`);
  }
}

/** The parser's message without its excerpt of the file, which may contain secrets. */
function explainTomlError({ message }: TomlError): string {
  const [, reason] = /^Invalid TOML document: ([a-z][a-z ,:-]*)\n/.exec(message) ?? [];
  return reason === undefined ? '' : `: ${reason}`;
}

function parseYamlFile(file: string, text: string): readonly unknown[] {
  return withNestingError(file, () => {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error !== undefined) {
      const { line, column } = new SourceText(file, text).position(error.pos[0]);
      throw new UsageError(
        `${file}:${line}:${column}: this is no YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`,
      );
    }
    // A few anchors can expand to more than a machine can hold.
    return documents.map(document => document.toJS({ maxAliasCount: 100 }) as unknown);
  });
}

/** @throws UsageError for excessive nesting */
function withNestingError<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${file}: it is nested too deeply`);
    if (error instanceof ReferenceError)
      throw new UsageError(`${file}: its aliases do not lead anywhere, or to too much`);
    throw error;
  }
}
