import { CODES, type DiagnosticCode, getArea } from '../codes.ts';
import type { Diagnostic, ObjectRef, Range } from '../diagnostic.ts';
import { computeFingerprints } from '../fingerprint.ts';
import { listHeaviest, type SuppressedFinding } from '../report.ts';
import type { Severity } from '../severity.ts';
import { formatJson } from './json-text.ts';
import { escapeUnprintable } from './printable.ts';
import { formatAdvice, formatNotShown, type Rendering } from './rendering.ts';
import { lockNote } from './summary.ts';

/** GitHub refuses a run with more results, and shows only the 5,000 most severe ones. */
const MAX_RESULTS = 25_000;

const LEVELS: { readonly [S in Severity]: string } = { error: 'error', warning: 'warning', hint: 'note' };

/** The name of the fingerprint; its number increases when its inputs change. */
const FINGERPRINT = 'lintel/v1';

const SOURCE_ROOT = '%SRCROOT%';

/**
 * A SARIF log of one run. Its rules are the codes that occur in results. Omitted findings are counted in `properties.notShown` and reported as
 * notifications.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function renderSarif({ findings, checked, tool, findPage }: Rendering): string {
  const { diagnostics, omitted } = findings;
  const counted = listHeaviest(diagnostics, MAX_RESULTS);
  // Suppressed findings come after the others, and only if there is room.
  const suppressed = findings.suppressed.slice(0, MAX_RESULTS - counted.length);
  const shown = [...counted, ...suppressed.map(({ finding }) => finding)];
  const codes = [...new Set(shown.map(({ code }) => code))].sort();
  const fingerprints = computeFingerprints(shown);
  const beyond = diagnostics.length - counted.length;
  const note = lockNote(findings, checked, true);
  const notifications = [
    ...omitted.map(({ file, count }) => toNotification(`${file}: ${formatNotShown(count)}`)),
    ...(beyond === 0 ? [] : [toNotification(formatNotShown(beyond))]),
    ...(note === undefined ? [] : [toNotification(note)]),
  ];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: tool.name,
            semanticVersion: tool.version,
            rules: codes.map(code => toSarifRule(code, findPage?.(code))),
          },
        },
        invocations: [
          {
            executionSuccessful: checked.complete,
            ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
          },
        ],
        columnKind: 'unicodeCodePoints',
        results: shown.map((found, index) => ({
          ...toSarifResult(found, codes.indexOf(found.code), fingerprints[index] ?? ''),
          ...(suppressed.length > 0 && { suppressions: listSuppressions(suppressed[index - counted.length]) }),
        })),
        properties: { notShown: omitted.reduce((sum, { count }) => sum + count, beyond) },
      },
    ],
  };
  return formatJson(log);
}

/** @param page address of the code's page */
function toSarifRule(code: DiagnosticCode, page: string | undefined): object {
  const { name, severity, meaning, fix, since } = CODES[code];
  return {
    id: code,
    name,
    shortDescription: { text: name },
    fullDescription: { text: meaning },
    help: { text: `${fix}. More: lintel explain ${code}` },
    ...(page !== undefined && { helpUri: page }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: [getArea(code)], since },
  };
}

function toSarifResult(found: Diagnostic, ruleIndex: number, fingerprint: string): object {
  const advice = formatAdvice(found);
  const { object, pointer, constructPath } = found;
  const logicalLocations = [
    ...(object === undefined ? [] : [toLogicalLocation(object, pointer)]),
    ...(constructPath === undefined ? [] : [toConstructLocation(constructPath)]),
  ];
  return {
    ruleId: found.code,
    ruleIndex,
    level: LEVELS[found.severity],
    message: { text: [found.message, ...(advice === undefined ? [] : [advice])].map(escapeUnprintable).join('\n') },
    locations: [
      {
        physicalLocation: toPhysicalLocation(found.file, found.range),
        ...(logicalLocations.length > 0 && { logicalLocations }),
      },
    ],
    ...(found.related && {
      relatedLocations: found.related.map(({ file, range, message }, id) => ({
        id,
        physicalLocation: toPhysicalLocation(file, range),
        message: { text: escapeUnprintable(message) },
      })),
    }),
    partialFingerprints: { [FINGERPRINT]: fingerprint },
  };
}

/** If one result of a run has suppressions, all must have the member; an empty list means not suppressed. */
function listSuppressions(suppressed: SuppressedFinding | undefined): readonly object[] {
  if (suppressed === undefined) return [];
  const { by, reason } = suppressed;
  const kind = by === 'baseline' ? 'external' : 'inSource';
  return [{ kind, status: 'accepted', ...(reason !== undefined && { justification: escapeUnprintable(reason) }) }];
}

/** Lintel's columns count code points from 1 with an exclusive end, as in SARIF. */
function toPhysicalLocation(file: string, { start, end }: Range): object {
  return {
    artifactLocation: file.startsWith('/')
      ? { uri: `file://${encodePath(file)}` }
      : { uri: encodePath(file), uriBaseId: SOURCE_ROOT },
    region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
  };
}

function encodePath(file: string): string {
  return file.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

function toLogicalLocation({ kind, namespace, name }: ObjectRef, pointer: string): object {
  const qualified = `${kind}/${namespace}/${name}${pointer && `#${pointer}`}`;
  return { name: escapeUnprintable(name), fullyQualifiedName: escapeUnprintable(qualified), kind: 'object' };
}

function toConstructLocation(path: string): object {
  return {
    name: escapeUnprintable(path.replace(/^.*\//s, '')),
    fullyQualifiedName: escapeUnprintable(path),
    kind: 'object',
  };
}

function toNotification(text: string): object {
  return { level: 'note', message: { text: escapeUnprintable(text) } };
}
