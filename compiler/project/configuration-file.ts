/** Reads configuration files: parsed like sources, validated by a schema, and refused completely when anything is wrong. */

import type { StructuralSchema } from '#schemas';
import { describeFileError } from '#shared/util';
import type { DiagnoseDetails } from '../check/diagnose.ts';
import { findSchemaAt, getValueAt } from '../check/schema-at.ts';
import { checkStructure } from '../check/structural.ts';
import { CODE_OF, suggestRemedy } from '../check/violation-words.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { decode, reportTooLarge, reportUnreadable } from '../source/decode.ts';
import { MAX_FILE_BYTES } from '../source/limits.ts';
import { locateValue } from '../source/locate-finding.ts';
import { readBytes } from '../source/read-bytes.ts';
import { readText } from '../source/read-text.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { parsePointer } from '../text/pointer.ts';
import { ConfigurationError } from './configuration-error.ts';

export interface ConfigurationFile {
  readonly source: SourceText;
  /** Undefined for an empty file. */
  readonly document: SourceDocument | undefined;
}

/**
 * @param shown the file's name in findings
 * @throws ConfigurationError when the file cannot be read, or does not fit its schema
 */
export function readConfigurationFile(absolute: string, shown: string, schema: StructuralSchema): ConfigurationFile {
  const decoded = decodeFile(absolute, shown);
  if ('diagnostic' in decoded) throw new ConfigurationError(shown, [decoded.diagnostic], []);
  const { source } = decoded;
  const { documents, diagnostics } = readText(source);
  const [document, second] = documents;
  const found = [
    ...diagnostics,
    ...documents
      .flatMap(({ caveats, value }) => caveats.filter(caveat => !isAskedFor(caveat, schema, value)))
      .map(caveat => ({ ...caveat, severity: 'error' as const })),
    ...(document === undefined ? [] : checkSchema(document, schema)),
    ...(second === undefined
      ? []
      : [createConfigurationError(second, [], 'LNT1004', 'the file has more than one document; only one is expected')]),
  ];
  if (found.length > 0) throw new ConfigurationError(shown, found, [source]);
  return { source, document };
}

/** Only Lintel reads these files, so an unquoted `off` that the schema expects is unambiguous. */
function isAskedFor({ code, pointer }: Diagnostic, schema: StructuralSchema, value: unknown): boolean {
  if (code !== 'LNT1024') return false;
  const path = parsePointer(pointer);
  return findSchemaAt(schema, path)?.enum?.includes(getValueAt(value, path) as string) === true;
}

/** A finding in a configuration file is an error, because nothing is checked with an invalid configuration. */
export function createConfigurationError(
  document: SourceDocument,
  path: Path,
  code: DiagnosticCode,
  message: string,
  { at = 'value', ...details }: DiagnoseDetails = {},
): Diagnostic {
  return createDiagnostic(code, locateValue(document, path, at), message, { severity: 'error', ...details });
}

function decodeFile(absolute: string, shown: string) {
  try {
    const bytes = readBytes(absolute, MAX_FILE_BYTES);
    return bytes === undefined ? { diagnostic: reportTooLarge(shown) } : decode(shown, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { diagnostic: reportUnreadable(shown, describeFileError(error)) };
  }
}

function checkSchema(document: SourceDocument, schema: StructuralSchema): readonly Diagnostic[] {
  return checkStructure(schema, document.value).map(violation => {
    const { path, at, kind, message } = violation;
    return createConfigurationError(document, path, CODE_OF[kind], message, {
      at,
      ...suggestRemedy(violation, document.value),
    });
  });
}
