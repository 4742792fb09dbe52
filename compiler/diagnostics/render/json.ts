import { CODES, getArea } from '../codes.ts';
import type { Diagnostic, Range } from '../diagnostic.ts';
import { computeFingerprints } from '../fingerprint.ts';
import type { Findings } from '../report.ts';
import { formatJson } from './json-text.ts';
import type { Tool } from './rendering.ts';
import type { CheckedCounts } from './summary.ts';
import type { TestResults } from './test-results.ts';

/** The version of the document below. The minor number grows when members are added, the major one when any is removed. */
export const JSON_FORMAT_VERSION = '1.2';

/**
 * The findings as one JSON document with a line break at its end. The order of members is fixed, and the same findings give the same bytes.
 * Readers must accept unknown members and enum values.
 */
export function renderJson(findings: Findings, checked: CheckedCounts, tool: Tool, tests?: TestResults): string {
  const fingerprints = computeFingerprints(findings.diagnostics);
  const baselined = findings.suppressed.filter(({ by }) => by === 'baseline').length;
  const document = {
    formatVersion: JSON_FORMAT_VERSION,
    tool: { name: tool.name, version: tool.version },
    complete: checked.complete,
    valid: checked.complete && findings.counts.error === 0,
    summary: {
      error: findings.counts.error,
      warning: findings.counts.warning,
      hint: findings.counts.hint,
      suppressed: findings.suppressed.length - baselined,
      baselined,
      notShown: findings.omitted.reduce((sum, { count }) => sum + count, 0),
    },
    files: checked.files,
    objects: { checked: checked.objects, foreign: checked.foreign },
    notJudged: (checked.notChecked ?? []).map(({ because, codes, fix }) => ({
      because,
      rules: codes.map(code => ({ code, name: CODES[code].name })),
      fix,
    })),
    waiting: checked.open ?? { objects: 0, rules: 0, gateways: 0 },
    diagnostics: findings.diagnostics.map((found, index) => toJsonFinding(found, fingerprints[index] ?? '')),
    ...(tests && { tests: tests.tests, coverage: tests.coverage.map(toJsonCoverage) }),
  };
  return formatJson(document);
}

/** Members whose value is `undefined` are left out by `JSON.stringify`. */
function toJsonFinding(found: Diagnostic, fingerprint: string): object {
  const { object } = found;
  return {
    code: found.code,
    name: found.name,
    severity: found.severity,
    category: getArea(found.code),
    message: found.message,
    fingerprint,
    object: object && {
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: object.namespace,
      name: object.name,
    },
    pointer: found.pointer,
    constructPath: found.constructPath,
    range: toJsonPlace(found.file, found.range),
    related: found.related?.map(related => ({
      message: related.message,
      pointer: related.pointer,
      range: toJsonPlace(related.file, related.range),
    })),
    fix: found.fix,
    help: found.help,
  };
}

function toJsonCoverage({ missing, ...one }: TestResults['coverage'][number]): object {
  return {
    ...one,
    missing: missing.map(({ step, branch, location: { file, range } }) => ({
      step,
      branch,
      range: toJsonPlace(file, range),
    })),
  };
}

/** Columns count code points, offsets UTF-16 code units; `end` is exclusive. */
function toJsonPlace(file: string, { start, end }: Range): object {
  return {
    file,
    start: { line: start.line, column: start.column, offset: start.offset },
    end: { line: end.line, column: end.column, offset: end.offset },
  };
}
