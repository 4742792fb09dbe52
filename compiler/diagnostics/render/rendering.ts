import type { DiagnosticCode } from '../codes.ts';
import { type Diagnostic, type Severity, SYNTHESIZED } from '../diagnostic.ts';
import type { Findings } from '../report.ts';
import type { LineSource } from './frame.ts';
import type { Links } from './hyperlink.ts';
import type { CheckedCounts } from './summary.ts';
import type { TestResults } from './test-results.ts';

/** Which program speaks. */
export type Tool = { readonly name: string; readonly version: string };

/** All that a format may tell. No format needs all of it. */
export type Rendering = {
  readonly findings: Findings;
  readonly checked: CheckedCounts;
  /** Every file that was looked at, with findings or without, as shown; in the order of their names. */
  readonly files: readonly string[];
  readonly tool: Tool;
  /** The page about a code on a site; undefined where there is no site. */
  readonly findPage?: (code: DiagnosticCode) => string | undefined;
  /** The least severity that makes the exit code 1. */
  readonly failOn: Severity;
  /** For code frames. */
  readonly getLine: LineSource;
  /** Whether formats for people show every finding, and not the first of each code. */
  readonly all?: boolean;
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Columns of the terminal, where there is one. */
  readonly width?: number;
  /** What becomes a link, on a terminal that knows links. */
  readonly links?: Links | undefined;
  /** Whether formats for people say equal things of many places once. */
  readonly isGrouped?: boolean;
  /** The results of a run of tests. */
  readonly tests?: TestResults;
};

/** A whole document, with a line break at its end unless it is empty. The same rendering gives the same bytes. */
export type Renderer = (rendering: Rendering) => string;

/** What to do, on one line: the change that removes this very finding, or else the advice for its kind. */
export function formatAdvice({ fix, help }: { readonly fix?: string; readonly help?: string }): string | undefined {
  return fix === undefined ? help && `help: ${help}` : `fix: ${fix}`;
}

/** The sentence about findings beyond a limit. */
export function notShown(count: number): string {
  return count === 1 ? '1 more finding is not shown' : `${count} more findings are not shown`;
}

/** Lines about where a value came from: the construct, and the place in the YAML of a program. */
export function formatProvenance({ constructPath, related = [] }: Diagnostic): readonly string[] {
  if (constructPath === undefined) return [];
  const written = related.filter(({ message }) => message === SYNTHESIZED);
  return [
    `construct: ${constructPath}`,
    ...written.map(({ file, range: { start } }) => `synthesized: ${file}:${start.line}:${start.column}`),
  ];
}
