import { compareText } from '#schemas';
import type { Diagnostic } from './diagnostic.ts';
import type { Severity } from './severity.ts';

/** Maximum number of findings per file; the rest is counted. No person reads more, and a report has to fit into memory. */
export const MAX_FINDINGS_PER_FILE = 20_000;

/** Findings in display order. The same set of findings gives the same value, regardless of input order. */
export type Findings = {
  /** Sorted by file, offset and code. */
  readonly diagnostics: readonly Diagnostic[];
  /** Number of findings of each severity, shown or not. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** Number of omitted findings by file; only files beyond the limit. */
  readonly omitted: readonly { readonly file: string; readonly count: number }[];
  /** Suppressed findings, which do not count; sorted in the same way. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Every finding that counts, including those beyond the limit. */
  readonly all: readonly Diagnostic[];
};

/** A finding that does not count. */
export type SuppressedFinding = {
  readonly finding: Diagnostic;
  readonly by: 'comment' | 'annotation' | 'baseline';
  /** As written in the comment; a baseline has no reasons. */
  readonly reason?: string;
};

/** The findings that remain after the review. */
export type ReviewedFindings = {
  readonly counted: readonly Diagnostic[];
  readonly suppressed: readonly SuppressedFinding[];
};

const SEVERITY_ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 };

/** Collects the findings of all stages. */
export class Report {
  readonly #found: Diagnostic[] = [];
  #complete = true;

  /** Adds a few findings; duplicates are dropped. */
  add(...diagnostics: readonly Diagnostic[]): void {
    this.addAll(diagnostics);
  }

  /** Adds any number of findings, see `add`: a call cannot have arbitrarily many arguments. */
  addAll(diagnostics: Iterable<Diagnostic>): void {
    for (const found of diagnostics) this.#found.push(found);
  }

  /** Records that something could not be checked at all, such as an unreadable file. Irrevocable. */
  markIncomplete(): void {
    this.#complete = false;
  }

  /** Whether everything was checked; if not, the exit code is 3, never 0 or 1. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether any error was found, shown or not. */
  get hasErrors(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  /**
   * The findings so far. Beyond a file's limit, errors are kept before warnings and warnings before hints.
   * @param review decides which findings count, and with which severity; by default all do
   */
  findings(review: (found: readonly Diagnostic[]) => ReviewedFindings = countAll): Findings {
    const reviewed = review(withoutImplied(deduplicate(this.#found)));
    const all = sortByPlace(reviewed.counted, found => found);
    const counts = { error: 0, warning: 0, hint: 0 };
    const byFile = new Map<string, Diagnostic[]>();
    for (const found of all) {
      counts[found.severity] += 1;
      const list = byFile.get(found.file);
      if (list) list.push(found);
      else byFile.set(found.file, [found]);
    }
    const omitted: { file: string; count: number }[] = [];
    const diagnostics = [...byFile].flatMap(([file, list]) => {
      if (list.length <= MAX_FINDINGS_PER_FILE) return list;
      omitted.push({ file, count: list.length - MAX_FINDINGS_PER_FILE });
      return listHeaviest(list, MAX_FINDINGS_PER_FILE);
    });
    return {
      diagnostics,
      counts,
      omitted,
      suppressed: sortByPlace(reviewed.suppressed, ({ finding }) => finding),
      all,
    };
  }
}

/** The `most` most severe findings, in their original order. */
export function listHeaviest(list: readonly Diagnostic[], most: number): readonly Diagnostic[] {
  if (list.length <= most) return list;
  const order = list.map((found, index) => ({ index, rank: SEVERITY_ORDER[found.severity] }));
  order.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const shown = new Set(order.slice(0, most).map(({ index }) => index));
  return list.filter((_, index) => shown.has(index));
}

function countAll(counted: readonly Diagnostic[]): ReviewedFindings {
  return { counted, suppressed: [] };
}

/** Removes duplicates. Whole texts are compared only for findings at the same location. */
function deduplicate(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const order = compareByPlaceAndText();
  const inOrder = list.toSorted(order);
  return inOrder.filter((found, index) => {
    const before = inOrder[index - 1];
    return before === undefined || order(before, found) !== 0;
  });
}

/** A code, and the code that replaces it: if both are found at the same location, only the second one is reported, which has the right advice. */
const IMPLIED_BY: { readonly [code: string]: string } = { LNT2004: 'LNT2010' };

function withoutImplied(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const formatSortKey = (code: string, { file, range }: Diagnostic) => `${code} ${range.start.offset} ${file}`;
  const implying = new Set(Object.values(IMPLIED_BY));
  const places = new Set(list.flatMap(found => (implying.has(found.code) ? formatSortKey(found.code, found) : [])));
  if (places.size === 0) return list;
  return list.filter(found => {
    const by = IMPLIED_BY[found.code];
    return by === undefined || !places.has(formatSortKey(by, found));
  });
}

function sortByPlace<T>(list: readonly T[], findingOf: (item: T) => Diagnostic): readonly T[] {
  const order = compareByPlaceAndText();
  return list.toSorted((a, b) => order(findingOf(a), findingOf(b)));
}

/** Compares by file, offset and code, then by the whole text, which is computed at most once per finding. */
function compareByPlaceAndText(): (a: Diagnostic, b: Diagnostic) => number {
  const texts = new Map<Diagnostic, string>();
  const getText = (found: Diagnostic): string => {
    const text = texts.get(found) ?? JSON.stringify(found);
    texts.set(found, text);
    return text;
  };
  return (a, b) =>
    compareText(a.file, b.file) ||
    a.range.start.offset - b.range.start.offset ||
    compareText(a.code, b.code) ||
    compareText(getText(a), getText(b));
}
