/** GatewaySources: their state, and the findings in their repository. */
import { type HtmlCell, renderHtmlTable } from '#compiler';
import type { Condition, GatewaySourceStatus } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import { findCondition } from '../status/index.ts';
import { formatName, shortenDigest, shortenRevision, toCell, toWarning, type WaitingCause } from './waiting.ts';

const HEAD = [
  { name: 'source' },
  { name: 'state' },
  { name: 'applied revision' },
  { name: 'newest revision' },
  { name: 'gateways ready' },
  { name: 'digest' },
  { name: 'verified by' },
];

/** Conditions that report a deviation from the repository when True. */
const WARNINGS = ['DefinitionsOutdated', 'DriftDetected', 'ProgramsSkipped', 'RolledBack', 'Suspended'];

/** Reconcile steps whose failure may not be the cause that `Ready` names. */
const STEPS = ['SourceVerified', 'Compiled', 'Applied', 'Healthy'];

export function renderSourceTable(sources: readonly KubeObject[]): string {
  return renderHtmlTable({ title: 'Sources', id: 'sources', level: 2, head: HEAD, rows: sources.map(renderRow) });
}

function renderRow(source: KubeObject): readonly HtmlCell[] {
  const status = readStatus(source);
  const { lastAppliedRevision: applied, lastAttemptedRevision: attempted } = status;
  return [
    toCell(formatName(source)),
    renderState(status.conditions ?? []),
    toCell(shortenRevision(applied)),
    toWarning(attempted === applied ? '' : shortenRevision(attempted)),
    toCell(status.gatewaysReady),
    { text: shortenDigest(status.digest), tone: 'dim' },
    toCell(status.verifiedBy),
  ];
}

function renderState(conditions: readonly Condition[]): HtmlCell {
  const is = (type: string) => findCondition(conditions, type)?.status === 'True';
  if (is('Suspended')) return toWarning('suspended');
  if (is('Stalled')) return toWarning('stalled');
  if (is('Reconciling')) return toWarning('reconciling');
  if (is('Ready')) return toCell('ready');
  return toWarning(findCondition(conditions, 'Ready') === undefined ? 'not processed yet' : 'not ready');
}

export function listWaitingSources(sources: readonly KubeObject[]): readonly WaitingCause[] {
  return sources.flatMap(source => {
    const conditions = readStatus(source).conditions ?? [];
    const ready = findCondition(conditions, 'Ready');
    const causes = [
      ...(ready === undefined || ready.status === 'True' ? [] : [ready]),
      ...STEPS.flatMap(type => findCondition(conditions, type) ?? []).filter(({ status }) => status === 'False'),
      ...WARNINGS.flatMap(type => findCondition(conditions, type) ?? []).filter(({ status }) => status === 'True'),
    ];
    // The message of a failed step is omitted when `Ready` repeats it.
    const distinct = causes.filter(
      (cause, index) => causes.findIndex(({ reason, message }) => isSame(cause, { reason, message })) === index,
    );
    const subject = { kind: 'GatewaySource', name: formatName(source) };
    if (distinct.length === 0 && ready === undefined)
      return [{ ...subject, reason: 'Pending', message: 'the controller has not processed it yet' }];
    return distinct.map(({ reason = '', message = '', lastTransitionTime: since }) => ({
      ...subject,
      reason,
      message,
      since,
    }));
  });
}

function isSame(a: Condition, b: Pick<Condition, 'reason' | 'message'>): boolean {
  return a.reason === b.reason && a.message === b.message;
}

const FINDING_HEAD = [
  { name: 'source' },
  { name: 'severity' },
  { name: 'code' },
  { name: 'place' },
  { name: 'object' },
  { name: 'message' },
];

/** The compiler's findings in the newest revision of each source. */
export function renderFindingTable(sources: readonly KubeObject[]): string {
  const rows = sources.flatMap(source =>
    (readStatus(source).diagnostics ?? []).map(
      ({ severity, code, message, file, line, column, object }): HtmlCell[] => [
        toCell(formatName(source)),
        severity === 'hint' ? toCell(severity) : toWarning(severity),
        toCell(code),
        toCell([file, line, column].filter(part => part !== undefined).join(':')),
        toCell(object),
        toCell(message),
      ],
    ),
  );
  return rows.length === 0
    ? ''
    : renderHtmlTable({ title: 'Findings in the sources', id: 'findings', level: 2, head: FINDING_HEAD, rows });
}

export function readStatus({ status }: KubeObject): GatewaySourceStatus {
  return (status ?? {}) as GatewaySourceStatus;
}
