/** Hand-written findings, so that changes of rules do not change what the formats are tested with. */
import type { DiagnosticCode } from '#compiler';
import {
  createDiagnostic,
  type Diagnostic,
  type DiagnosticDetails,
  type Range,
  SYNTHESIZED,
} from '../../../compiler/diagnostics/diagnostic.ts';
import type { Rendering } from '../../../compiler/diagnostics/render/rendering.ts';
import { Report } from '../../../compiler/diagnostics/report.ts';

export function createRange(line: number, column: number, endLine = line, endColumn = column + 4): Range {
  const offset = line * 100 + column;
  return { start: { line, column, offset }, end: { line: endLine, column: endColumn, offset: offset + 4 } };
}

export interface FindingOptions extends DiagnosticDetails {
  readonly file?: string;
  readonly range?: Range;
  readonly pointer?: string;
  readonly constructPath?: string;
}

const OBJECT = { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer', namespace: 'mcp', name: 'eng' };

export function finding(code: DiagnosticCode, message: string, options: FindingOptions = {}): Diagnostic {
  const { file = 'specs/gateway.yaml', range = createRange(7, 3), pointer = '/spec/config', ...more } = options;
  const { constructPath, ...details } = more;
  const made = constructPath !== undefined && {
    constructPath,
    related: [{ message: SYNTHESIZED, file: 'app.ts!Eng.yaml', range: createRange(28, 3), pointer }],
  };
  return createDiagnostic(code, { file, pointer, range, object: OBJECT, ...made }, message, details);
}

/** What a command passes to a format for these findings. */
export function createRendering(diagnostics: readonly Diagnostic[], more: Partial<Rendering> = {}): Rendering {
  const report = new Report();
  report.addAll(diagnostics);
  const findings = report.findings();
  const files = [...new Set(['specs/clean.yaml', ...diagnostics.map(({ file }) => file)])].sort();
  return {
    findings,
    checked: { files: files.length, objects: 4, foreign: 1, complete: true },
    files,
    tool: { name: 'lintel', version: '0.1.0' },
    failOn: 'error',
    getLine: () => undefined,
    color: false,
    ...more,
  };
}

export function times(count: number, make: (index: number) => Diagnostic): Diagnostic[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/**
 * Every feature once: each severity, a finding in a program, one that ends on another line, a related location, and characters that some format
 * has to escape.
 */
export const MIXED: readonly Diagnostic[] = [
  finding('LNT2001', 'no MCPGroup named "egn"', {
    file: 'teams/gateway.ts',
    constructPath: 'Eng/gateway/Resource',
    related: [{ message: 'a group of this name', file: 'other.yaml', range: createRange(2, 9) }],
  }),
  finding('LNT1003', 'unknown field "toolz"; allowed here: tools', { fix: 'did you mean "tools"?' }),
  finding('LNT2006', 'MCPGroup "tools" is defined twice', {
    file: 'specs/100%, a:b.yaml',
    range: createRange(3, 1, 5, 2),
    related: [
      {
        message: 'the first definition',
        file: 'specs/group.yaml',
        range: createRange(3, 19),
        pointer: '/metadata/name',
      },
    ],
  }),
  finding('LNT1008', 'found "a|b`<img src=x>` & \u001b[31m@team #12 https://example.com\r\n::error::x 50%"'),
  finding('LNT1009', 'the optimizer: not supported yet', { severity: 'hint' }),
];
