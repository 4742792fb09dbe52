/** Queries the backends of the sources for their items. */
import {
  type BackendFailing,
  type BackendQuery,
  type BackendResponse,
  compareText,
  ENV_PREFIX,
  type ListQuery,
  type LockedBackendEntry,
  type PrivateDenial,
} from '#schemas';
import {
  createLockedEntry,
  type MissingVariable,
  prepareQuery,
  type SourceBackend,
} from '../analysis/catalog/index.ts';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { readRefusal } from '../client/index.ts';
import { formatList } from '../text/describe.ts';
import { findUrlProblem } from '../text/url-problem.ts';
import { UsageError } from '../usage-error.ts';
import { findBackendsNamed, mapValuesByBackend } from './backend-options.ts';
import { listBackends } from './list-backends.ts';
import { Programs } from './programs.ts';
import { Progress } from './progress.ts';
import { resolveToken } from './resolve-token.ts';
import type { BridgeAddress } from './serving/bridge-process.ts';
import { formatMissingPrograms, isMissing } from './serving/missing-programs.ts';

export interface QueryBackendsOptions {
  /** Backends to query, by name or key; default: all. */
  readonly backend?: readonly string[];
  /** Tokens as `<backend>=<token>`, where the token is an argument of `resolveToken`. */
  readonly token?: readonly string[];
  /** Environment variables that specs may name, besides those with Lintel's prefix. */
  readonly env?: readonly string[];
  /** Addresses as `<backend>=<url>`. */
  readonly url?: readonly string[];
  /** Refuses queries to private addresses. */
  readonly denial?: PrivateDenial | undefined;
  /** The bridge for stdio servers. */
  readonly bridge?: BridgeAddress | undefined;
  /** Timeout of one backend. */
  readonly timeoutMs: number;
}

/** The result of querying backends. */
export interface QueryResult {
  /** The new entries for the tool lock, by key of the backend. */
  readonly entries: ReadonlyMap<string, LockedBackendEntry>;
  /** The backends that get no new entry, and why; sorted by key. */
  readonly notLocked: readonly { readonly key: string; readonly reason: string }[];
  /** What was left out of the entries; each remark is one line. */
  readonly remarks: readonly string[];
  /** Environment variables whose absence prevented queries. */
  readonly missing: readonly MissingVariable[];
}

/**
 * Queries the backends whose credentials are known.
 * @throws UsageError for an option that names no backend, or has no token
 */
export async function queryBackends(
  backends: readonly SourceBackend[],
  options: QueryBackendsOptions,
): Promise<QueryResult> {
  await using programs = await Programs.prepare(backends);
  const { asked, notLocked, missing, denial } = prepareQueries(backends, { ...options, bridge: programs.address });
  await programs.run(asked);
  const answers = await listShowing({
    backends: asked.map(({ question }) => question),
    ...(denial && { denial }),
  });
  const byKey = new Map(answers.map(answer => [answer.key, answer]));
  const entries = new Map<string, LockedBackendEntry>();
  const remarks: string[] = [];
  for (const { backend, question, secrets } of asked) {
    const { key, plan } = backend;
    const answer = byKey.get(key);
    if (answer === undefined) throw new Error(`the runtime gave no answer for ${key}`);
    if (!answer.ok) {
      const { stdio, name } = plan;
      const isAbsent = stdio !== undefined && isMissing(stdio);
      const program = isAbsent ? formatMissingPrograms([{ command: stdio.command, server: name }]) : undefined;
      notLocked.push({ key, reason: program ?? `${redactUrl(question.url)}: ${formatFailure(answer, secrets)}` });
    } else if (repeats(answer, secrets)) {
      notLocked.push({ key, reason: 'what it offers repeats the credential that it was shown' });
    } else {
      const made = createLockedEntry(answer, plan);
      entries.set(key, made.entry);
      remarks.push(...made.remarks.map(remark => `${key}: ${remark}`));
    }
  }
  return { entries, notLocked: notLocked.sort((a, b) => compareText(a.key, b.key)), remarks, missing };
}

/** The message, and the server's own reason for a refusal unless it repeats a credential. */
function formatFailure({ message, challenge }: BackendFailing, secrets: readonly string[]): string {
  if (challenge === undefined || repeats(challenge, secrets)) return message;
  const { reason, scopes } = readRefusal(challenge);
  return `${message}${reason}${scopes}`;
}

/** Time between two progress updates; milliseconds. */
const PROGRESS_MS = 200;

/** Queries all backends, and shows on a terminal which of them have not answered yet: a stdio server may have to be installed first. */
async function listShowing(question: ListQuery): Promise<readonly BackendResponse[]> {
  using progress = new Progress();
  const waiting = new Set(question.backends.map(({ key }) => key));
  const total = waiting.size;
  const show = () => {
    const names = [...waiting].map(key => key.slice(key.lastIndexOf('/') + 1));
    progress.step('backends that answered', total - waiting.size, total, `waiting for ${formatList(names)}`);
  };
  const timer = setInterval(show, PROGRESS_MS);
  try {
    return await listBackends(question, ({ key }) => void waiting.delete(key));
  } finally {
    clearInterval(timer);
  }
}

/** An address on the command line means exactly that address, private or not. */
function withNamed({ denial, url = [] }: QueryBackendsOptions): PrivateDenial | undefined {
  if (denial === undefined) return undefined;
  const named = url.flatMap(text => URL.parse(text.slice(text.indexOf('=') + 1))?.hostname ?? []);
  return { except: [...denial.except, ...named.map(host => host.replace(/^\[|\]$/g, ''))] };
}

export interface PreparedQueries {
  readonly denial: PrivateDenial | undefined;
  readonly asked: readonly {
    readonly backend: SourceBackend;
    readonly question: BackendQuery;
    readonly secrets: readonly string[];
  }[];
  readonly notLocked: { readonly key: string; readonly reason: string }[];
  readonly missing: readonly MissingVariable[];
}

/**
 * The queries with their credentials, and the backends that cannot be queried.
 * @throws UsageError for an option that names no backend, or has no token
 */
export function prepareQueries(backends: readonly SourceBackend[], options: QueryBackendsOptions): PreparedQueries {
  const env = (name: string) => process.env[name];
  // The author of a spec chooses both the variable and the address that receives its value, so only allowed variables are read.
  const allowed = (name: string) =>
    name.startsWith(ENV_PREFIX) || options.env?.includes(name) === true ? env(name) : undefined;
  // All tokens are read before any is sent.
  const tokens = new Map(
    [...mapValuesByBackend(options.token ?? [], '--token', backends)].map(([key, text]) => [
      key,
      resolveToken(text, key, env),
    ]),
  );
  const urls = mapValuesByBackend(options.url ?? [], '--url', backends);
  for (const [key, url] of urls) {
    const problem = findUrlProblem(url);
    if (problem !== undefined)
      throw new UsageError(`--url: the value for ${key} is not an http or https URL: ${problem}`);
  }
  const chosen = options.backend?.flatMap(name => findBackendsNamed(name, '--backend', backends)) ?? backends;
  const prepared = backends
    .filter(backend => chosen.includes(backend))
    .map(backend => {
      const known = {
        token: tokens.get(backend.key),
        url: urls.get(backend.key),
        bridge: options.bridge,
        deadlineMs: options.timeoutMs,
        env: allowed,
      };
      return { backend, ...prepareQuery(backend, known) };
    });
  return {
    denial: withNamed(options),
    asked: prepared.flatMap(value => ('question' in value ? value : [])),
    notLocked: prepared.flatMap(value => ('reason' in value ? { key: value.backend.key, reason: value.reason } : [])),
    missing: prepared.flatMap(value => ('reason' in value ? (value.missing ?? []) : [])),
  };
}

/** Minimum length in characters of a credential that is looked for: a shorter one may also occur as an ordinary word. */
const LEAST_SECRET = 8;

/** Whether an answer contains a credential that was sent. */
export function repeats(answer: unknown, secrets: readonly string[]): boolean {
  const text = JSON.stringify(answer);
  return secrets.some(secret => secret.length >= LEAST_SECRET && text.includes(JSON.stringify(secret).slice(1, -1)));
}
