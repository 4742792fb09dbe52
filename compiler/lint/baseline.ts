/**
 * The known findings of an existing repository. They are counted by file, object, code and field, ignoring list indices: moved lines, inserted
 * items, a reworded message or another `apiVersion` make no finding new. Fingerprints for CI systems are unsuitable, because they contain the
 * message and the list index, which may change with an upgrade of Lintel.
 */
import { compareText } from '#schemas';
import { CODES, type DiagnosticCode, FIXED_REASONS } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type Range } from '../diagnostics/diagnostic.ts';

/** Findings with the same properties, and their count. */
export interface BaselineEntry {
  /** Relative to the baseline's folder, with forward slashes. */
  readonly file: string;
  /** Such as `VirtualMCPServer default/eng`; empty for findings without an object. */
  readonly object: string;
  readonly code: string;
  /** A JSON pointer with `*` for list indices. */
  readonly field: string;
  readonly count: number;
}

/** A parsed baseline. */
export interface Baseline {
  /** The path of the baseline, as messages show it. */
  readonly file: string;
  readonly entries: readonly BaselineEntry[];
  /** Files of entries that no longer exist. */
  readonly gone: ReadonlySet<string>;
  /** The position of an entry. */
  getRange(entry: BaselineEntry): Range;
  /** Converts the path of a file from the form in messages to the form in the baseline. */
  toName(file: string): string;
}

/** Findings of a baseline that did not occur, with counts. */
export type MissingFindings = ReadonlyMap<BaselineEntry, number>;

/** In the order of the file. */
export function sortEntries(entries: readonly BaselineEntry[]): readonly BaselineEntry[] {
  return [...entries].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      compareText(a.object, b.object) ||
      compareText(a.code, b.code) ||
      compareText(a.field, b.field),
  );
}

/** Creates entries from findings. */
export function toBaselineEntries(found: readonly Diagnostic[], toName: Baseline['toName']): readonly BaselineEntry[] {
  const groups = Map.groupBy(found.filter(isTakeable), diagnostic => formatKey(readIdentity(diagnostic, toName)));
  return sortEntries(
    [...groups.values()].flatMap(([first, ...more]) =>
      first ? { ...readIdentity(first, toName), count: 1 + more.length } : [],
    ),
  );
}

/**
 * The findings that a baseline contains. If a kind of finding occurs more often than the baseline counts, all findings of that kind are
 * new, because it is unknown which of them are old.
 */
export function findKnown({ entries, toName }: Baseline, found: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const counts = new Map(entries.map(entry => [formatKey(entry), entry.count]));
  const groups = Map.groupBy(found.filter(isTakeable), diagnostic => formatKey(readIdentity(diagnostic, toName)));
  return new Set([...groups].flatMap(([key, group]) => (group.length <= (counts.get(key) ?? 0) ? group : [])));
}

/** Baseline findings that did not occur, for files that were read or no longer exist. */
export function findMissing(
  { entries, gone, toName }: Baseline,
  found: readonly Diagnostic[],
  wasRead: (file: string) => boolean,
): MissingFindings {
  const counts = new Map(toBaselineEntries(found, toName).map(entry => [formatKey(entry), entry.count]));
  const missing = entries
    .filter(entry => !isRefused(entry))
    .map(entry => {
      const isChecked = gone.has(entry.file) || wasRead(entry.file);
      return [entry, isChecked ? entry.count - (counts.get(formatKey(entry)) ?? 0) : 0] as const;
    });
  return new Map(missing.filter(([, count]) => count > 0));
}

/** The finding about outdated entries. */
export function reportStale({ file, getRange }: Baseline, missing: MissingFindings): Diagnostic[] {
  const [first] = missing.keys();
  if (first === undefined) return [];
  const count = [...missing.values()].reduce((sum, each) => sum + each, 0);
  const findings = count === 1 ? '1 finding of the baseline does' : `${count} findings of the baseline do`;
  return [createDiagnostic('LNT1035', { file, pointer: '', range: getRange(first) }, `${findings} not occur any more`)];
}

/**
 * Whether a baseline may contain a finding. Findings about the configuration, suppressions and the baseline itself are excluded. So are
 * findings with a fixed severity: a code that cannot be suppressed cannot be hidden by a baseline either.
 */
export function isTakeable({ code }: Diagnostic): boolean {
  return CODES[code].fixed === undefined && code !== 'LNT1036';
}

/** Findings about entries with codes that no baseline may contain. */
export function reportRefused({ file, entries, getRange }: Baseline): Diagnostic[] {
  return entries.flatMap(entry => {
    const reason = CODES[entry.code as DiagnosticCode]?.fixed;
    if (reason === undefined) return [];
    const location = { file, pointer: '', range: getRange(entry) };
    const fix = 'put right what the findings say, and run lintel baseline --prune';
    return [
      createDiagnostic('LNT1034', location, `${entry.code} has no effect in a baseline: ${FIXED_REASONS[reason]}`, {
        fix,
      }),
    ];
  });
}

/** Entries that no baseline may contain, such as entries that an earlier version wrote. */
export function isRefused({ code }: BaselineEntry): boolean {
  return CODES[code as DiagnosticCode]?.fixed !== undefined;
}

function readIdentity({ file, object, code, pointer }: Diagnostic, toName: Baseline['toName']) {
  return {
    file: toName(file),
    object: object === undefined ? '' : `${object.kind} ${object.namespace}/${object.name}`,
    code,
    field: pointer.replace(/\/\d+(?=\/|$)/g, '/*'),
  };
}

function formatKey({ file, object, code, field }: Omit<BaselineEntry, 'count'>): string {
  return JSON.stringify([file, object, code, field]);
}
