import { isObject } from '#schemas';

/** The `/status` of a running gateway, as far as `lintel top` shows it. Null for values that an older runtime does not report. */

export interface GatewayStatus {
  readonly name: string;
  readonly version: string;
  readonly healthy: boolean;
  readonly bundle: { readonly digest: string; readonly refused: string | null };
  readonly sessions: number;
  readonly counts: { readonly tools: number; readonly prompts: number; readonly resources: number };
  readonly unreadBytes: number | null;
  /** What a gateway needs besides its backends and cannot use now, and why: the session store, identity providers, and the like. */
  readonly problems: readonly string[];
  readonly backends: readonly BackendStatus[];
  /** Empty when the bundle has no workflows. */
  readonly workflows: readonly WorkflowStatus[];
  /** Null without rate limits. */
  readonly limits: LimitStatus | null;
}

export interface WorkflowStatus {
  readonly name: string;
  readonly listed: boolean;
  readonly running: number;
  /** Running calls that wait for a person's answer. */
  readonly asking: number;
  /** Suspended calls, whose clients return with an answer. */
  readonly waiting: number;
}

export interface BackendStatus {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly circuit: string | null;
  readonly calls: CallCounts | null;
}

export interface CallCounts {
  readonly open: number;
  readonly running: number;
  readonly waiting: number;
  readonly parked: number;
  /** Calls that were sent since the gateway connected to the backend; `refused` counts from the same time. */
  readonly sent: number;
  readonly refused: number;
}

export interface LimitStatus {
  readonly store: string;
  readonly allowed: number;
  readonly rejected: number;
  /** Why calls currently pass without a limit; null otherwise. */
  readonly failsOpen: string | null;
  readonly limits: readonly {
    readonly scope: string;
    readonly tool: string | null;
    readonly maxTokens: number;
    readonly refillPeriodMs: number;
    readonly rejected: number;
  }[];
}

type StatusMembers = { readonly [name: string]: unknown };

/** Undefined for anything but a gateway's status, such as a registry server's. */
export function parseGatewayStatus(page: unknown): GatewayStatus | undefined {
  if (!isObject(page) || !isObject(page.gateway) || !Array.isArray(page.backends)) return undefined;
  const { gateway, bundle, counts, streams } = page;
  return {
    name: `${toText(gateway.namespace)}/${toText(gateway.name)}`,
    version: toText(page.version),
    healthy: page.healthy === true,
    bundle: { digest: toText(getMember(bundle, 'digest')), refused: toTextOrNull(getMember(bundle, 'refused')) },
    sessions: count(page.sessions),
    counts: {
      tools: count(getMember(counts, 'tools')),
      prompts: count(getMember(counts, 'prompts')),
      resources: count(getMember(counts, 'resources')),
    },
    problems: listProblems(page),
    unreadBytes: isObject(streams) ? count(streams.unreadBytes) : null,
    backends: page.backends.filter(isObject).map(readBackend),
    workflows: (Array.isArray(page.workflows) ? page.workflows.filter(isObject) : []).map(workflow => ({
      name: toText(workflow.name),
      listed: workflow.listed === true,
      running: count(workflow.running),
      asking: count(workflow.asking),
      waiting: count(workflow.waiting),
    })),
    limits: isObject(page.rateLimiting) ? readLimits(page.rateLimiting) : null,
  };
}

function listProblems({
  sessionStorage,
  authentication,
  authServer,
  audit,
  optimizer,
}: StatusMembers): readonly string[] {
  const providers = getMember(authentication, 'providers');
  const problems: readonly (readonly [what: string, problem: unknown])[] = [
    ['the session store', getMember(sessionStorage, 'problem')],
    ...(Array.isArray(providers) ? providers.filter(isObject) : []).map(
      ({ name, message }) => [`identity provider "${toText(name)}"`, message] as const,
    ),
    ['the storage of the authorization server', getMember(authServer, 'storageProblem')],
    ['the audit log', getMember(audit, 'lastError')],
    ['the embedding service', getMember(getMember(optimizer, 'embeddings'), 'problem')],
  ];
  return problems.flatMap(([what, problem]) => (toText(problem) === '' ? [] : [`${what}: ${toText(problem)}`]));
}

function readBackend(backend: StatusMembers): BackendStatus {
  const { calls } = backend;
  return {
    name: toText(backend.name),
    status: toText(backend.status),
    message: toText(backend.message),
    circuit: toTextOrNull(backend.circuitBreakerState),
    calls: isObject(calls)
      ? {
          open: count(calls.open),
          running: count(calls.running),
          waiting: count(calls.waiting),
          parked: count(calls.parked),
          sent: count(calls.sent),
          refused: count(calls.refused),
        }
      : null,
  };
}

function readLimits({ store, allowed, rejected, failOpen, limits }: StatusMembers): LimitStatus {
  const isFailingOpen = getMember(failOpen, 'active') === true;
  return {
    store: toText(store),
    allowed: count(allowed),
    rejected: count(rejected),
    failsOpen: isFailingOpen ? (toTextOrNull(getMember(failOpen, 'reason')) ?? 'the buckets cannot be reached') : null,
    limits: (Array.isArray(limits) ? limits.filter(isObject) : []).map(limit => ({
      scope: toText(limit.scope),
      tool: toTextOrNull(limit.tool),
      maxTokens: count(limit.maxTokens),
      refillPeriodMs: count(limit.refillPeriodMs),
      rejected: count(limit.rejected),
    })),
  };
}

const getMember = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
