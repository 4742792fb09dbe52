/** The display of `lintel top`: lines of text from the current and the previous status. */
import { styleText } from 'node:util';
import { renderTable, type TableCell, type TableColumn } from '../analysis/exposure/render/table.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import type { BackendStatus, CallCounts, GatewayStatus, LimitStatus, WorkflowStatus } from './gateway-status.ts';

export interface StatusSample {
  readonly status: GatewayStatus;
  /** The time of reading; milliseconds since 1970. */
  readonly at: number;
}

export interface FrameOptions {
  readonly color: boolean;
  /** Width of the terminal in columns; undefined for unlimited lines. */
  readonly width: number | undefined;
  /** Why there is no newer status; undefined when there is one. */
  readonly problem: string | undefined;
}

type Paint = (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string) => string;

/** Characters that suffice to distinguish digests. */
const DIGEST_LENGTH = 'sha256:'.length + 12;

/** Lines without line breaks. Backend text cannot move the cursor or change colors. */
export function renderFrame(
  now: StatusSample,
  before: StatusSample | undefined,
  { color, width, problem }: FrameOptions,
): readonly string[] {
  const paint: Paint = (format, text) => (color ? styleText(format, text, { validateStream: false }) : text);
  const { status } = now;
  return [
    ...formatHead(now, paint),
    ...(problem === undefined ? [] : [paint('yellow', `no newer status: ${escapeUnprintable(problem)}`)]),
    ...(status.bundle.refused === null
      ? []
      : [paint('yellow', `the newest bundle is refused: ${escapeUnprintable(status.bundle.refused)}`)]),
    ...status.problems.map(text => paint('red', escapeUnprintable(text))),
    '',
    ...formatBackends(now, before, paint, width),
    ...(status.workflows.length === 0 ? [] : ['', ...formatWorkflows(status.workflows, paint, width)]),
    ...(status.limits === null ? [] : ['', ...limitLines(status.limits, createRate(now, before), paint)]),
  ].map(line => line.trimEnd());
}

function formatHead({ status, at }: StatusSample, paint: Paint): readonly string[] {
  const { name, version, healthy, bundle, sessions, counts, unreadBytes } = status;
  const first = [
    paint('bold', escapeUnprintable(name)),
    healthy ? paint('green', 'healthy') : paint('red', 'not healthy'),
    escapeUnprintable(`lintel ${version}`),
    ...(bundle.digest === '' ? [] : [escapeUnprintable(`bundle ${bundle.digest.slice(0, DIGEST_LENGTH)}`)]),
    new Date(at).toTimeString().slice(0, 8),
  ];
  const second = [
    `sessions ${sessions}`,
    ...Object.entries(counts).map(([what, many]) => `${what} ${many}`),
    ...(unreadBytes === null ? [] : [`unread by clients ${formatBytes(unreadBytes)}`]),
  ];
  return [first.join('  '), second.join('  ')];
}

/** The increase of a counter per second; undefined when unknown. */
type RateOf = (count: (status: GatewayStatus) => number | undefined) => number | undefined;

function createRate(now: StatusSample, before: StatusSample | undefined): RateOf {
  return count => {
    const [after, previous] = [count(now.status), before && count(before.status)];
    if (before === undefined || after === undefined || previous === undefined || now.at <= before.at) return undefined;
    // A restarted gateway counts from zero.
    return after < previous ? undefined : ((after - previous) * 1_000) / (now.at - before.at);
  };
}

const COUNTS: readonly (readonly [head: string, count: keyof CallCounts])[] = [
  ['OPEN', 'open'],
  ['RUNNING', 'running'],
  ['WAITING', 'waiting'],
  ['PARKED', 'parked'],
  ['REFUSED', 'refused'],
];

function formatBackends(
  now: StatusSample,
  before: StatusSample | undefined,
  paint: Paint,
  width: number | undefined,
): readonly string[] {
  const { left, right, plain } = createColumns(paint);
  const rate = createRate(now, before);
  const columns = [
    left('BACKEND'),
    left('STATUS'),
    left('CIRCUIT'),
    right('CALLS/S'),
    ...COUNTS.map(([head]) => right(head)),
    left('MESSAGE'),
  ];
  const rows = now.status.backends.map(({ name, status, circuit, calls, message }) => {
    const sent = rate(({ backends }) => findCalls(backends, name)?.sent);
    return [
      plain(name),
      { text: escapeUnprintable(status), paint: (text: string) => paintStatus(status, text, paint) },
      {
        text: escapeUnprintable(circuit ?? ''),
        paint: (text: string) => (circuit === 'closed' ? text : paint('red', text)),
      },
      plain(sent === undefined ? '' : formatRate(sent)),
      ...COUNTS.map(([, count]) => plain(calls === null ? '' : String(calls[count]))),
      // The row already contains the backend's name.
      plain(message.replaceAll(`backend "${name}": `, '').replace(/\s*\n\s*/g, ' ')),
    ];
  });
  return rows.length === 0 ? ['no backends'] : renderTable(columns, rows, width, false);
}

/** `ASKING` workflows are running and hold a stream of a session. `WAITING` workflows are suspended until their client returns. */
function formatWorkflows(
  workflows: readonly WorkflowStatus[],
  paint: Paint,
  width: number | undefined,
): readonly string[] {
  const { left, right, plain } = createColumns(paint);
  const columns = [left('WORKFLOW'), left('LISTED'), right('RUNNING'), right('ASKING'), right('WAITING')];
  const rows = workflows.map(({ name, listed, running, asking, waiting }) => [
    plain(name),
    { text: listed ? 'yes' : 'no', paint: (text: string) => (listed ? text : paint('yellow', text)) },
    ...[running, asking, waiting].map(count => plain(String(count))),
  ]);
  return renderTable(columns, rows, width, false);
}

function limitLines(limits: LimitStatus, rate: RateOf, paint: Paint): readonly string[] {
  const { left, right, plain } = createColumns(paint);
  const total = (what: 'allowed' | 'rejected') => {
    const grows = rate(status => status.limits?.[what]);
    return `${what} ${limits[what]}${grows === undefined ? '' : ` (${formatRate(grows)}/s)`}`;
  };
  const columns = [left('LIMIT'), left('TOOL'), right('TOKENS'), right('PER'), right('REJECTED')];
  const rows = limits.limits.map(({ scope, tool, maxTokens, refillPeriodMs, rejected }) =>
    [scope, tool ?? 'all', String(maxTokens), `${refillPeriodMs / 1_000}s`, String(rejected)].map(plain),
  );
  return [
    `rate limits in ${escapeUnprintable(limits.store)}  ${total('allowed')}  ${total('rejected')}`,
    ...(limits.failsOpen === null
      ? []
      : [paint('red', `calls are let through without a limit: ${escapeUnprintable(limits.failsOpen)}`)]),
    ...renderTable(columns, rows, undefined),
  ];
}

function createColumns(paint: Paint) {
  const head =
    (align: TableColumn['align']) =>
    (text: string): TableColumn => ({
      head: { text, paint: part => paint('dim', part) },
      align,
    });
  const plain = (text: string): TableCell => ({ text: escapeUnprintable(text), paint: part => part });
  return { left: head('left'), right: head('right'), plain };
}

function paintStatus(status: string, text: string, paint: Paint): string {
  if (status === 'ready') return paint('green', text);
  return paint(status === 'unavailable' ? 'red' : 'yellow', text);
}

const findCalls = (backends: readonly BackendStatus[], name: string) =>
  backends.find(backend => backend.name === name)?.calls ?? undefined;

const formatRate = (perSecond: number): string => (perSecond < 100 ? perSecond.toFixed(1) : perSecond.toFixed(0));

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
