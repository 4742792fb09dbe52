import type { DiagnosticCode } from '../codes.ts';
import { type Diagnostic, SYNTHESIZED } from '../diagnostic.ts';
import type { Findings } from '../report.ts';
import type { Severity } from '../severity.ts';
import type { LineSource } from './frame.ts';
import type { Links } from './hyperlink.ts';
import type { CheckedCounts } from './summary.ts';
import type { TestResults } from './test-results.ts';

/** The program that renders. */
export type Tool = { readonly name: string; readonly version: string };

/** The input of all formats. No format uses all of it. */
export type Rendering = {
  readonly findings: Findings;
  readonly checked: CheckedCounts;
  /** The paths, as messages show them, of all files that were read, with or without findings; sorted. */
  readonly files: readonly string[];
  readonly tool: Tool;
  /** The address of a code's page on the documentation site; undefined when there is no site. */
  readonly findPage?: (code: DiagnosticCode) => string | undefined;
  /** The lowest severity that makes the exit code 1. */
  readonly failOn: Severity;
  /** For code frames. */
  readonly getLine: LineSource;
  /** Whether text formats show every finding, rather than the first of each code. */
  readonly all?: boolean;
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Columns of the terminal, if there is one. */
  readonly width?: number;
  /** The texts that become links, on a terminal that supports links. */
  readonly links?: Links | undefined;
  /** Whether text formats group equal findings. */
  readonly isGrouped?: boolean;
  /** The results of a run of tests. */
  readonly tests?: TestResults;
};

/** Renders a whole document, with a final line break unless it is empty. The same input gives the same bytes. */
export type Renderer = (rendering: Rendering) => string;

/** The advice on one line: this finding's correction, otherwise the help for its code. */
export function formatAdvice({ fix, help }: { readonly fix?: string; readonly help?: string }): string | undefined {
  return fix === undefined ? help && `help: ${help}` : `fix: ${fix}`;
}

/** The sentence about omitted findings. */
export function formatNotShown(count: number): string {
  return count === 1 ? '1 more finding is not shown' : `${count} more findings are not shown`;
}

/** Lines about the origin of a value: the construct, and the location in the generated YAML. */
export function formatProvenance({ constructPath, related = [] }: Diagnostic): readonly string[] {
  if (constructPath === undefined) return [];
  const synthesized = related.filter(({ message }) => message === SYNTHESIZED);
  return [
    `construct: ${constructPath}`,
    ...synthesized.map(({ file, range: { start } }) => `synthesized: ${file}:${start.line}:${start.column}`),
  ];
}
