/** Checks a file of entries against the official registry's format, with positions. */
import { DEFAULT_SCHEMA_DATE, type RegistryEntry, readSourceFile, type ServerProblem } from '#schemas';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type RelatedLocation } from '../../diagnostics/diagnostic.ts';
import { isMistake } from '../../diagnostics/is-error.ts';
import { formatField } from '../../resolve/tracker-findings.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { readJson } from '../../source/read-json.ts';
import type { Path, SourceDocument } from '../../source/source-document.ts';
import type { SourceText } from '../../source/source-text.ts';

export interface EntriesFileContent {
  /** The entries; none when the file has an error. */
  readonly entries: readonly RegistryEntry[];
  readonly findings: readonly Diagnostic[];
}

/** Reads a file of entries; its findings have no owner yet. */
export function readEntriesFile(source: SourceText): EntriesFileContent {
  // The reader with positions has limits that must not apply to files of entries.
  const { documents, diagnostics } = readJson(source);
  const [document] = documents;
  const reading = [...diagnostics, ...(document?.caveats ?? [])].filter(({ code }) => code !== 'LNT1017');
  if (reading.some(isMistake)) return { entries: [], findings: reading };
  const { entries, problems, newer } = readSourceFile(source.text);
  const findings = problems.map(problem => toFinding(source, document, problem));
  const notices = newer.map(index => createNotice(source, document, index));
  return { entries, findings: [...reading, ...findings, ...notices] };
}

/** Assigns the findings of a file to the configuration that reads it. */
export function attributeFindings(
  { object }: ResourceDocument,
  findings: readonly Diagnostic[],
  reader: RelatedLocation,
): Diagnostic[] {
  return findings.map(found => ({ ...found, object, related: [...(found.related ?? []), reader] }));
}

function toFinding(source: SourceText, document: SourceDocument | undefined, problem: ServerProblem): Diagnostic {
  const { pointer, message } = problem;
  const path = parsePointer(pointer);
  const range = document?.locate(toPlace(document, path), 'value') ?? source.range(0, 0);
  const text = path.length === 0 ? `the file ${message}` : `${formatField(path)} ${message}`;
  return createDiagnostic(chooseCode(problem), { file: source.file, pointer, range }, text);
}

/** An entry with a newer schema is accepted if it fits the known one. */
function createNotice(source: SourceText, document: SourceDocument | undefined, index: number): Diagnostic {
  const path = ['data', 'servers', index, '$schema'];
  const range = document?.locate(path, 'value') ?? source.range(0, 0);
  const text = `${formatField(path)} is newer than ${DEFAULT_SCHEMA_DATE}, by which the entry was checked`;
  return createDiagnostic('LNT8031', { file: source.file, pointer: `/${path.join('/')}`, range }, text);
}

function chooseCode({ kind, pointer }: ServerProblem): DiagnosticCode {
  if (kind === 'schema') return 'LNT8024';
  if (kind === 'repeated') return 'LNT8023';
  return pointer.startsWith('/data/servers/') ? 'LNT8022' : 'LNT8021';
}

/** A finding about a whole entry points at its name: an entry can have hundreds of lines. */
function toPlace(document: SourceDocument, path: Path): Path {
  const isEntry = path.length === 3 && path[1] === 'servers';
  return isEntry && hasName(document.value, path) ? [...path, 'name'] : path;
}

function hasName(value: unknown, path: Path): boolean {
  let at = value;
  for (const step of path) at = (at as { readonly [step: string | number]: unknown } | undefined)?.[step];
  return typeof at === 'object' && at !== null && Object.hasOwn(at, 'name');
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-4 */
function parsePointer(pointer: string): Path {
  const steps = pointer.split('/').slice(1);
  return steps.map(step => {
    return /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~');
  });
}
