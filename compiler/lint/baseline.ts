/**
 * The findings that an old repository starts with. They are counted by file, object, code and field, with the places in
 * lists left out: lines that move, items that are put in before others, another wording of a message or an upgrade of the
 * `apiVersion` make none of them new. The fingerprints for CI systems hold the message and the place in a list, so an
 * upgrade of Lintel could change them.
 */
import { compareText } from '#schemas';
import { CODES, type DiagnosticCode, FIXED_REASONS } from '../diagnostics/codes.ts';
import { type Diagnostic, diagnostic, type Range } from '../diagnostics/diagnostic.ts';

/** Findings of one kind. */
export interface BaselineEntry {
  /** Relative to the folder of the baseline, with forward slashes. */
  readonly file: string;
  /** Such as `VirtualMCPServer default/eng`; empty for findings of no object. */
  readonly object: string;
  readonly code: string;
  /** A JSON pointer with `*` for places in lists. */
  readonly field: string;
  readonly count: number;
}

/** A baseline that was read. */
export interface Baseline {
  /** As shown. */
  readonly file: string;
  readonly entries: readonly BaselineEntry[];
  /** Files of the entries that there are no more. */
  readonly gone: ReadonlySet<string>;
  /** Where an entry stands. */
  getRange(entry: BaselineEntry): Range;
  /** The name of a file in the baseline, of one as shown. */
  toName(file: string): string;
}

/** The findings of a baseline that did not occur, as numbers of findings missing. */
export type MissingFindings = ReadonlyMap<BaselineEntry, number>;

/** In the order in which they are written. */
export function sortedEntries(entries: readonly BaselineEntry[]): readonly BaselineEntry[] {
  return [...entries].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      compareText(a.object, b.object) ||
      compareText(a.code, b.code) ||
      compareText(a.field, b.field),
  );
}

/** The entries of findings. */
export function toBaselineEntries(found: readonly Diagnostic[], toName: Baseline['toName']): readonly BaselineEntry[] {
  const groups = Map.groupBy(found.filter(isTakeable), one => formatKey(readIdentity(one, toName)));
  return sortedEntries(
    [...groups.values()].flatMap(([first, ...more]) =>
      first ? { ...readIdentity(first, toName), count: 1 + more.length } : [],
    ),
  );
}

/**
 * The findings that a baseline knows. When there are more of a kind than it counts, all of them are new: which of them are
 * not is unknown.
 */
export function findKnown({ entries, toName }: Baseline, found: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const counts = new Map(entries.map(entry => [formatKey(entry), entry.count]));
  const groups = Map.groupBy(found.filter(isTakeable), one => formatKey(readIdentity(one, toName)));
  return new Set([...groups].flatMap(([key, group]) => (group.length <= (counts.get(key) ?? 0) ? group : [])));
}

/** What a baseline counts and is not there, of the files that were read or are gone. */
export function findMissing(
  { entries, gone, toName }: Baseline,
  found: readonly Diagnostic[],
  wasRead: (file: string) => boolean,
): MissingFindings {
  const counts = new Map(toBaselineEntries(found, toName).map(entry => [formatKey(entry), entry.count]));
  const missing = entries
    .filter(entry => !isRefused(entry))
    .map(entry => {
      const isJudged = gone.has(entry.file) || wasRead(entry.file);
      return [entry, isJudged ? entry.count - (counts.get(formatKey(entry)) ?? 0) : 0] as const;
    });
  return new Map(missing.filter(([, count]) => count > 0));
}

/** The finding about them. */
export function staleFinding({ file, getRange }: Baseline, missing: MissingFindings): Diagnostic[] {
  const [first] = missing.keys();
  if (first === undefined) return [];
  const count = [...missing.values()].reduce((sum, each) => sum + each, 0);
  const findings = count === 1 ? '1 finding of the baseline does' : `${count} findings of the baseline do`;
  return [diagnostic('LNT1035', { file, pointer: '', range: getRange(first) }, `${findings} not occur any more`)];
}

/**
 * Whether a baseline may know a finding. What is said about the configuration, suppressions and the baseline itself is
 * never taken for granted, and a fact stays a fact: a code that cannot be suppressed cannot be hidden by this file either.
 */
export function isTakeable({ code }: Diagnostic): boolean {
  return CODES[code].fixed === undefined && code !== 'LNT1036';
}

/** The findings about entries of a baseline whose codes cannot be turned down. */
export function refusedFindings({ file, entries, getRange }: Baseline): Diagnostic[] {
  return entries.flatMap(entry => {
    const reason = CODES[entry.code as DiagnosticCode]?.fixed;
    if (reason === undefined) return [];
    const location = { file, pointer: '', range: getRange(entry) };
    const fix = 'put right what the findings say, and run lintel baseline --prune';
    return [
      diagnostic('LNT1034', location, `${entry.code} has no effect in a baseline: ${FIXED_REASONS[reason]}`, { fix }),
    ];
  });
}

/** Entries that no baseline may have, such as those of one that an earlier version wrote. */
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
