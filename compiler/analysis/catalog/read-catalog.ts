/** Reads the lock file into the catalog. Every mistake becomes a diagnostic; a backend with a mistake counts as not locked. */

import {
  type CatalogItem,
  type CatalogLock,
  compareText,
  FILE_SCHEMAS,
  getMember,
  isObject,
  LOCK_VERSION,
  type LockedBackendEntry,
} from '#schemas';
import { computeItemDigest } from '#shared/plan';
import { checkStructure } from '../../check/structural.ts';
import { CODE_OF, suggestRemedy } from '../../check/violation-words.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type DiagnosticDetails } from '../../diagnostics/diagnostic.ts';
import { locateValue } from '../../source/locate-finding.ts';
import { readJson } from '../../source/read-json.ts';
import type { Path, SourceDocument } from '../../source/source-document.ts';
import type { SourceText } from '../../source/source-text.ts';
import { quote } from '../../text/describe.ts';
import { formatPointer } from '../../text/pointer.ts';
import { isBackendKey } from './backend-key.ts';
import type { Catalog, LockedBackend } from './catalog.ts';
import { ITEM_KINDS } from './item-kinds.ts';
import { lockText } from './lock-text.ts';

export interface ReadCatalog {
  readonly catalog: Catalog;
  /** The parsed file, without its invalid parts. */
  readonly lock: CatalogLock;
  readonly diagnostics: readonly Diagnostic[];
}

export const EMPTY_LOCK: CatalogLock = { lockfileVersion: LOCK_VERSION, backends: {} };

export function readCatalog(source: SourceText): ReadCatalog {
  const lockFile = asWritten(source);
  if (lockFile !== undefined) return { catalog: createCatalog(source.file, lockFile), lock: lockFile, diagnostics: [] };
  const { documents, diagnostics } = readJson(source);
  const [document] = documents;
  const foundViolations = document === undefined ? [] : findViolations(document);
  const empty = document === undefined && diagnostics.length === 0 ? [reportEmptyLock(source)] : [];
  const lock = document === undefined ? EMPTY_LOCK : withoutBroken(document.value, foundViolations);
  const problems = [...diagnostics, ...empty, ...foundViolations];
  const whose = document !== undefined && problems.every(isInBackend) ? 'this backend' : 'any backend';
  const found = problems.map(problem => withConsequence(problem, whose));
  return { catalog: createCatalog(source.file, lock, found.length === 0), lock, diagnostics: found };
}

/** The catalog of valid data, for example of what `lintel lock` is about to write. */
export function createCatalog(file: string, { backends }: CatalogLock, isWhole = true): Catalog {
  const known = new Map<string, LockedBackend>();
  return {
    file,
    isWhole,
    backend: key => {
      const entry = Object.hasOwn(backends, key) ? backends[key] : undefined;
      if (entry === undefined) return undefined;
      const made = known.get(key) ?? toLockedBackend(entry);
      known.set(key, made);
      return made;
    },
  };
}

function toLockedBackend(entry: LockedBackendEntry): LockedBackend {
  const definitions = (items: LockedBackendEntry['tools'] = {}): readonly CatalogItem[] =>
    Object.entries(items)
      .sort(([a], [b]) => compareText(a, b))
      .map(([, { definition }]) => definition);
  return {
    protocolVersion: entry.protocolVersion,
    tools: definitions(entry.tools),
    prompts: definitions(entry.prompts),
    resources: definitions(entry.resources),
    resourceTemplates: definitions(entry.resourceTemplates),
  };
}

/**
 * The data of a file whose text is exactly what Lintel would write, which is the usual case: then no positions are needed. Comparing the text
 * also excludes what `JSON.parse` hides, such as duplicate keys.
 */
function asWritten(source: SourceText): CatalogLock | undefined {
  try {
    const value: unknown = JSON.parse(source.text);
    const isSound = listViolations(value).next().done === true;
    return isSound && lockText(value as CatalogLock) === source.text ? (value as CatalogLock) : undefined;
  } catch {
    // The text is not JSON, or not representable in canonical JSON. The reader with positions reports why.
    return undefined;
  }
}

/** A mistake at a path, before its position in the text is known. */
interface Violation {
  readonly code: DiagnosticCode;
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly details?: DiagnosticDetails;
}

function findViolations(document: SourceDocument): Diagnostic[] {
  const foundViolations = [...listViolations(document.value)].map(({ code, path, at, message, details }) => {
    return createDiagnostic(code, locateValue(document, path, at), message, details);
  });
  return [...document.caveats, ...foundViolations];
}

function* listViolations(value: unknown): Generator<Violation, void> {
  const version = getMember(value, 'lockfileVersion');
  if (Number.isInteger(version) && version !== LOCK_VERSION) {
    const message = `the tool lock has format ${version}; this version of Lintel reads format ${LOCK_VERSION}`;
    yield { code: 'LNT1051', path: ['lockfileVersion'], at: 'value', message };
    return;
  }
  const violations = checkStructure(FILE_SCHEMAS.CatalogLock, value);
  for (const violation of violations) {
    const { path, at, message } = violation;
    yield { code: CODE_OF[violation.kind], path, at, message, details: suggestRemedy(violation, value) };
  }
  const broken = new Set(violations.map(({ path }) => path[1]));
  for (const [key, entry] of listEntries(getMember(value, 'backends'))) {
    if (!isBackendKey(key)) yield createNameViolation(['backends', key], `${quote(key)} is not the key of a backend`);
    if (!broken.has(key)) yield* listEntryViolations(key, entry as LockedBackendEntry);
  }
}

function* listEntryViolations(backend: string, entry: LockedBackendEntry): Generator<Violation, void> {
  for (const { list, key, noun } of ITEM_KINDS) {
    for (const [name, { digest, definition }] of listEntries(entry[list]) as [string, LockedItem][]) {
      const path = ['backends', backend, list, name];
      if (getMember(definition, key) !== name) {
        yield createNameViolation(path, `the ${noun} ${quote(name)} has another "${key}" in its definition`);
      } else if (digest !== computeItemDigest(definition)) {
        const message = `the definition of the ${noun} ${quote(name)} does not match its digest: it was edited`;
        yield { code: 'LNT1050', path: [...path, 'digest'], at: 'value', message };
      }
    }
  }
}

type LockedItem = NonNullable<LockedBackendEntry['tools']>[string];

function createNameViolation(path: Path, message: string): Violation {
  return { code: 'LNT1052', path, at: 'key', message };
}

function reportEmptyLock(source: SourceText): Diagnostic {
  const location = { file: source.file, pointer: '', range: source.range(0, 0) };
  return createDiagnostic('LNT1010', location, 'the file is empty: a tool lock has "lockfileVersion" and "backends"');
}

/** Says which checks a mistake disables, so that a reader does not take a missing finding for a correct lock. */
function withConsequence(found: Diagnostic, whose: string): Diagnostic {
  const advice = found.help === undefined ? '' : `${found.help}. `;
  return { ...found, help: `${advice}Until then nothing that depends on the tools of ${whose} is checked` };
}

function isInBackend({ pointer }: Diagnostic): boolean {
  return pointer.startsWith('/backends/');
}

/** The valid part of the lock: empty if a mistake is outside of the backends, otherwise all backends without mistakes. */
function withoutBroken(value: unknown, found: readonly Diagnostic[]): CatalogLock {
  if (!found.every(isInBackend)) return EMPTY_LOCK;
  const pointers = found.map(({ pointer }) => pointer);
  const isSound = ([key]: readonly [string, unknown]) => {
    const own = formatPointer(['backends', key]);
    return !pointers.some(pointer => pointer === own || pointer.startsWith(`${own}/`));
  };
  const sound = listEntries(getMember(value, 'backends')).filter(isSound);
  return { lockfileVersion: LOCK_VERSION, backends: Object.fromEntries(sound) as CatalogLock['backends'] };
}

function listEntries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
