import { expect, test } from 'vitest';
import { renderJson } from '#compiler';
import { createDiagnostic } from '../../../compiler/diagnostics/diagnostic.ts';
import { formatSummaryLine } from '../../../compiler/diagnostics/render/summary.ts';
import { MAX_FINDINGS_PER_FILE, Report } from '../../../compiler/diagnostics/report.ts';
import { at, findings } from './finding.ts';

const tool = { name: 'lintel', version: '0.1.0' };
const range = { start: { line: 3, column: 5, offset: 20 }, end: { line: 3, column: 9, offset: 24 } };
const object = { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', namespace: 'n', name: 'eng' };

test('the JSON report of lintel check has the expected members in a stable order', () => {
  const full = createDiagnostic('LNT1003', { file: 'a.yaml', pointer: '/spec/x', range, object }, 'unknown field "x"', {
    fix: 'f',
    help: 'h',
    related: [{ message: 'r', file: 'b.yaml', range, pointer: '/y' }],
  });
  const plain = createDiagnostic('LNT1009', { file: 'a.yaml', pointer: '', range }, 'not yet', { severity: 'hint' });
  const checked = { files: 2, objects: 14, foreign: 5, complete: true };
  expect(renderJson(findings(plain, full), checked, tool)).toBe(`{
  "formatVersion": "1.2",
  "tool": {
    "name": "lintel",
    "version": "0.1.0"
  },
  "complete": true,
  "valid": false,
  "summary": {
    "error": 1,
    "warning": 0,
    "hint": 1,
    "suppressed": 0,
    "baselined": 0,
    "notShown": 0
  },
  "files": 2,
  "objects": {
    "checked": 14,
    "foreign": 5
  },
  "notJudged": [],
  "waiting": {
    "objects": 0,
    "rules": 0,
    "gateways": 0
  },
  "diagnostics": [
    {
      "code": "LNT1003",
      "name": "unknown-field",
      "severity": "error",
      "category": "input",
      "message": "unknown field \\"x\\"",
      "fingerprint": "66bf68a4811f43ba90a7f421092546181a751ebed184b2b1d0eaa286b78b3b1e",
      "object": {
        "apiVersion": "lintel.dev/v1beta1",
        "kind": "MCPGroup",
        "namespace": "n",
        "name": "eng"
      },
      "pointer": "/spec/x",
      "range": {
        "file": "a.yaml",
        "start": {
          "line": 3,
          "column": 5,
          "offset": 20
        },
        "end": {
          "line": 3,
          "column": 9,
          "offset": 24
        }
      },
      "related": [
        {
          "message": "r",
          "pointer": "/y",
          "range": {
            "file": "b.yaml",
            "start": {
              "line": 3,
              "column": 5,
              "offset": 20
            },
            "end": {
              "line": 3,
              "column": 9,
              "offset": 24
            }
          }
        }
      ],
      "fix": "f",
      "help": "h"
    },
    {
      "code": "LNT1009",
      "name": "not-supported-yet",
      "severity": "hint",
      "category": "input",
      "message": "not yet",
      "fingerprint": "8a300343693b5964a7df6d6ad116b2f5a8ad26867644bac204bef0fdbcb83526",
      "pointer": "",
      "range": {
        "file": "a.yaml",
        "start": {
          "line": 3,
          "column": 5,
          "offset": 20
        },
        "end": {
          "line": 3,
          "column": 9,
          "offset": 24
        }
      },
      "help": "Wait for a version that supports it. Remove the field only if the gateway works as intended without it"
    }
  ]
}
`);
});

test.each([
  [findings(), true, true],
  [findings(at('a.yaml', 0, 'LNT1008')), true, true],
  [findings(), false, false],
  [findings(at('a.yaml', 0)), true, false],
])(
  'the JSON report of lintel check is valid if the check is complete and has no errors (case %#)',
  (found, complete, valid) => {
    const checked = { files: 1, objects: 1, foreign: 0, complete };
    expect(JSON.parse(renderJson(found, checked, tool))).toMatchObject({ complete, valid });
  },
);

test('the JSON report of lintel check counts findings that it leaves out', () => {
  const report = new Report();
  report.addAll(Array.from({ length: MAX_FINDINGS_PER_FILE + 3 }, (_, offset) => at('a.yaml', offset)));
  const checked = { files: 1, objects: 0, foreign: 0, complete: true };
  const document = JSON.parse(renderJson(report.findings(), checked, tool));
  expect(document.summary).toEqual({ error: 20_003, warning: 0, hint: 0, suppressed: 0, baselined: 0, notShown: 3 });
  expect(document.diagnostics).toHaveLength(20_000);
  expect(formatSummaryLine(report.findings(), checked)).toBe(
    '20003 errors in 1 file (0 objects checked); 3 findings not shown',
  );
});

test.each<[codes: Parameters<typeof at>[2][], checked: Parameters<typeof formatSummaryLine>[1], line: string]>([
  [
    ['LNT1003', 'LNT1004', 'LNT1010', 'LNT1008'],
    { files: 2, objects: 14, foreign: 5, complete: true },
    '3 errors, 1 warning in 2 files (14 objects checked, 5 foreign objects left alone)',
  ],
  [
    ['LNT1003', 'LNT1008', 'LNT3020'],
    { files: 1, objects: 1, foreign: 1, complete: true },
    '1 error, 1 warning, 1 hint in 1 file (1 object checked, 1 foreign object left alone)',
  ],
  [[], { files: 12, objects: 3, foreign: 0, complete: true }, 'no findings in 12 files (3 objects checked)'],
  [
    ['LNT1018'],
    { files: 1, objects: 0, foreign: 0, complete: false },
    '1 error in 1 file (0 objects checked); not everything could be checked',
  ],
])('the summary line counts the findings, files and objects of a check with the codes %j', (codes, checked, line) => {
  expect(formatSummaryLine(findings(...codes.map((code, offset) => at('a.yaml', offset, code))), checked)).toBe(line);
});
