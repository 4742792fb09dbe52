import { compareText } from '#schemas';
import type { Diagnostic, Severity } from './diagnostic.ts';

/** Findings given for one file; what goes beyond is counted. No person reads as many, and a report has to fit into memory. */
export const MAX_FINDINGS_PER_FILE = 20_000;

/** What was found, in the order in which it is shown. The same findings give the same value, whatever their order. */
export type Findings = {
  /** Sorted by file, offset and code. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many findings have each severity, shown or not. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** Findings left out, by file; only files that passed the limit. */
  readonly omitted: readonly { readonly file: string; readonly count: number }[];
  /** Suppressed findings, which do not count; sorted in the same way. */
  readonly suppressed: readonly Suppressed[];
  /** Every finding that counts, beyond the limit too. */
  readonly all: readonly Diagnostic[];
};

/** A finding that does not count. */
export type Suppressed = {
  readonly finding: Diagnostic;
  readonly by: 'comment' | 'annotation' | 'baseline';
  /** As it was given; a baseline gives none. */
  readonly reason?: string;
};

/** What is left to show of what was found. */
export type Reviewed = { readonly counted: readonly Diagnostic[]; readonly suppressed: readonly Suppressed[] };

const WEIGHT: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 };

/** Collects the findings of all stages. */
export class Report {
  readonly #found: Diagnostic[] = [];
  #complete = true;

  /** Adds a few findings; equal ones are kept once. */
  add(...diagnostics: readonly Diagnostic[]): void {
    this.addAll(diagnostics);
  }

  /** The same for any number: a call cannot have arbitrarily many arguments. */
  addAll(diagnostics: Iterable<Diagnostic>): void {
    for (const found of diagnostics) this.#found.push(found);
  }

  /** Something could not be checked at all, such as a file that cannot be read. Cannot be taken back. */
  markIncomplete(): void {
    this.#complete = false;
  }

  /** Whether everything was checked; when not, the exit code is 3, never 0 or 1. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether any error was found, shown or not. */
  get hasErrors(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  /**
   * What was found so far. Beyond the limit of a file, errors are kept before warnings and warnings before hints.
   *
   * @param review decides what counts, and how much; without it everything does
   */
  findings(review: (found: readonly Diagnostic[]) => Reviewed = countAll): Findings {
    const reviewed = review(withoutImplied(distinct(this.#found)));
    const all = sorted(reviewed.counted, found => found);
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
      return heaviest(list, MAX_FINDINGS_PER_FILE);
    });
    return { diagnostics, counts, omitted, suppressed: sorted(reviewed.suppressed, ({ finding }) => finding), all };
  }
}

/** The `most` findings that weigh most, still in their order. */
export function heaviest(list: readonly Diagnostic[], most: number): readonly Diagnostic[] {
  if (list.length <= most) return list;
  const order = list.map((found, index) => ({ index, weight: WEIGHT[found.severity] }));
  order.sort((a, b) => a.weight - b.weight || a.index - b.index);
  const shown = new Set(order.slice(0, most).map(({ index }) => index));
  return list.filter((_, index) => shown.has(index));
}

function countAll(counted: readonly Diagnostic[]): Reviewed {
  return { counted, suppressed: [] };
}

/** Each finding once. Whole texts are compared only where findings share a place. */
function distinct(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const order = byPlaceAndText();
  const inOrder = list.toSorted(order);
  return inOrder.filter((found, index) => {
    const before = inOrder[index - 1];
    return before === undefined || order(before, found) !== 0;
  });
}

/** Codes that say nothing at a place where the other code says the same and more, with advice that would contradict. */
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

function sorted<T>(list: readonly T[], findingOf: (item: T) => Diagnostic): readonly T[] {
  const order = byPlaceAndText();
  return list.toSorted((a, b) => order(findingOf(a), findingOf(b)));
}

/** By file, offset and code; the whole text, made at most once a finding, decides between those that share all three. */
function byPlaceAndText(): (a: Diagnostic, b: Diagnostic) => number {
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
