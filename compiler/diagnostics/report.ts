import { compareText } from '#schemas';
import type { Diagnostic, Severity } from './diagnostic.ts';

/** Findings shown for one file; what goes beyond is counted. */
export const MAX_FINDINGS_PER_FILE = 200;

/** What was found, in the order in which it is shown. The same findings give the same value, whatever their order. */
export type Findings = {
  /** Sorted by file, offset and code. */
  readonly diagnostics: readonly Diagnostic[];
  /** Of every finding, shown or not. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** Findings left out, by file; only files that passed the ceiling. */
  readonly suppressed: readonly { readonly file: string; readonly count: number }[];
};

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

  /** What was found so far. Beyond the ceiling of a file, errors are kept before warnings and warnings before hints. */
  findings(): Findings {
    const counts = { error: 0, warning: 0, hint: 0 };
    const byFile = new Map<string, Diagnostic[]>();
    for (const found of sortedAndDistinct(this.#found)) {
      counts[found.severity] += 1;
      const list = byFile.get(found.file);
      if (list) list.push(found);
      else byFile.set(found.file, [found]);
    }
    const suppressed: { file: string; count: number }[] = [];
    const diagnostics = [...byFile].flatMap(([file, list]) => {
      if (list.length <= MAX_FINDINGS_PER_FILE) return list;
      suppressed.push({ file, count: list.length - MAX_FINDINGS_PER_FILE });
      return heaviest(list, MAX_FINDINGS_PER_FILE);
    });
    return { diagnostics, counts, suppressed };
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

/** In the order of {@link byPlace}; its whole text decides between findings that share a place, and tells equal ones. */
function sortedAndDistinct(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const texts = new Map<Diagnostic, string>();
  const textOf = (found: Diagnostic): string => {
    const text = texts.get(found) ?? JSON.stringify(found);
    texts.set(found, text);
    return text;
  };
  const order = (a: Diagnostic, b: Diagnostic) => byPlace(a, b) || compareText(textOf(a), textOf(b));
  const sorted = list.toSorted(order);
  return sorted.filter((found, index) => {
    const before = sorted[index - 1];
    return before === undefined || order(before, found) !== 0;
  });
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.file, b.file) || a.range.start.offset - b.range.start.offset || compareText(a.code, b.code);
}
