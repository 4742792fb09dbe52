/** Reports results to forges. No failure of a forge fails or delays a reconcile. */

import pLimit from 'p-limit';
import { validateAuthorities } from '#schemas';
import { computeBackoffMs } from '#shared/util';
import type { YieldWorker } from '../kube/queue.ts';
import type { Events, ObservedSource, ReconcileReport, Forge as Reporter } from '../reconcile/index.ts';
import { parseRemoteHost, type SecretData } from '../source/index.ts';
import { createCommitReport } from './create-commit-report.ts';
import type { Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import type { ForgeOptions } from './forge-options.ts';
import { hashShort } from './posted.ts';
import { PROVIDERS } from './providers.ts';
import { type ForgeReport, isReported, type ReportOptions, reportToForge } from './report.ts';
import { parseRepositoryLocation } from './repository-location.ts';

/** How long the controller does not contact a forge that refused it, in milliseconds, unless the token, the settings or the commit change. */
const REFUSED_MS: number = 30 * 60 * 1000;

/** Wait after the first failure of a forge itself, in milliseconds; it doubles with each further one. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS: number = 10 * 60 * 1000;

/** Maximum number of sources whose results are posted to one forge at a time. */
const MAX_OF_FORGE = 8;

export interface ReporterOptions {
  /** The decoded content of a Secret in a source's namespace, read as the source's account; undefined when it does not exist. */
  readonly readSecret: (source: ObservedSource, name: string, signal: AbortSignal) => Promise<SecretData | undefined>;
  readonly events: Pick<Events, 'add'>;
  readonly log: (
    level: 'info' | 'warn',
    message: string,
    source: { readonly namespace: string; readonly name: string },
  ) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Counts reports; `result` is `ok` or the failure. */
  readonly onReport?: (provider: string, result: string) => void;
}

/** Prefix of messages about results that are not posted, permanently or until the token gets more permissions. */
const NO_COMMENT = 'no comment on pull requests: ';

/** The in-memory state of a source, by uid. It is lost in a restart, and then determined again from the forge. */
interface Memory {
  /** Changes when anything changes that the forge's answers depend on. */
  key: string;
  forge: Forge | undefined;
  /** The forge is not contacted before this time; milliseconds since 1970. */
  notBefore: number;
  failures: number;
  /** Logged messages, so that each is logged once. */
  readonly loggedMessages: Set<string>;
}

export interface ForgeReporter extends Reporter {
  /** Drops the state of a deleted source and closes its connections. Never fails. */
  forget(uid: string): void;
  close(): Promise<void>;
}

export function createReporter(options: ReporterOptions): ForgeReporter {
  const memories = new Map<string, Memory>();
  const turns = new ForgeTurns();
  return {
    async publish(reconcileReport, signal, yieldWorker = wait => wait()) {
      const { source, status } = reconcileReport;
      const settings = source.spec.commitStatus;
      const id = source.metadata.uid ?? `${source.metadata.namespace}/${source.metadata.name}`;
      if (settings === undefined) {
        await memories.get(id)?.forge?.close();
        memories.delete(id);
        return undefined;
      }
      const memory = memories.get(id) ?? {
        key: '',
        forge: undefined,
        notBefore: 0,
        failures: 0,
        loggedMessages: new Set(),
      };
      memories.set(id, memory);
      try {
        const yieldTurn: YieldWorker = call => yieldWorker(() => turns.runInTurn(getForgeHost(source), call));
        return await publishOne(reconcileReport, memory, options, signal, yieldTurn);
      } catch (error) {
        signal.throwIfAborted();
        noteRefused(reconcileReport, memory, asForgeError(error), options);
        return status.lastPosted;
      }
    },
    forget(uid) {
      // Running calls end by themselves; the result of closing does not matter.
      memories
        .get(uid)
        ?.forge?.close()
        .catch(() => {});
      memories.delete(uid);
    },
    async close() {
      await Promise.all([...memories.values()].map(({ forge }) => forge?.close()));
      memories.clear();
    },
  };
}

/** Limits concurrent posts per forge: a forge that hangs delays only the sources that post to it. */
class ForgeTurns {
  readonly #byHost = new Map<string, ReturnType<typeof pLimit>>();

  async runInTurn<T>(host: string, call: () => Promise<T>): Promise<T> {
    const ofHost = this.#byHost.get(host) ?? pLimit(MAX_OF_FORGE);
    this.#byHost.set(host, ofHost);
    try {
      return await ofHost(call);
    } finally {
      if (ofHost.activeCount + ofHost.pendingCount === 0) this.#byHost.delete(host);
    }
  }
}

function getForgeHost({ spec: { commitStatus, url } }: ObservedSource): string {
  return parseRemoteHost(commitStatus?.apiUrl ?? url);
}

async function publishOne(
  reconcileReport: ReconcileReport,
  memory: Memory,
  options: ReporterOptions,
  signal: AbortSignal,
  yieldWorker: YieldWorker,
): Promise<string | undefined> {
  const { source, status } = reconcileReport;
  const { commitStatus: settings, url } = source.spec;
  const commitReport = createCommitReport(reconcileReport);
  if (commitReport === undefined || settings === undefined) return status.lastPosted;
  const { provider, context = 'lintel', comment = true } = settings;
  const reportOptions: ReportOptions = { context, comment };
  if (isReported(commitReport, status.lastPosted, reportOptions)) return status.lastPosted;
  const secret = await options.readSecret(source, settings.secretRef.name, signal);
  const key = hashShort([settings, url, commitReport.commit, secret ?? null]);
  if (key !== memory.key) {
    await memory.forge?.close();
    Object.assign(memory, { key, forge: undefined, notBefore: 0, failures: 0 });
  }
  if (options.now() < memory.notBefore) return status.lastPosted;
  memory.forge ??= PROVIDERS[provider](toForgeOptions(reconcileReport, secret, options));
  const { forge } = memory;
  const reported = await yieldWorker(() =>
    reportToForge(commitReport, forge, status.lastPosted, reportOptions, signal),
  );
  settleReport(reconcileReport, memory, reported, options);
  return reported.posted;
}

/** @throws ForgeError */
function toForgeOptions(
  { source }: ReconcileReport,
  secret: SecretData | undefined,
  { now }: ReporterOptions,
): ForgeOptions {
  const { commitStatus: settings, url } = source.spec;
  const name = settings?.secretRef.name ?? '';
  if (secret === undefined)
    throw new ForgeError('unauthorized', `there is no Secret "${name}" with a token for the forge`);
  const token = secret.token?.trim() ?? '';
  // Nonprintable text is not a valid header value, or would end the header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ForgeError('unauthorized', `Secret "${name}" has no token for the forge under the key "token"`);
  const authorities = secret['ca.crt'];
  const problem = authorities === undefined ? undefined : validateAuthorities(authorities, new Date(now())).problem;
  if (problem !== undefined) throw new ForgeError('unauthorized', `ca.crt of Secret "${name}" ${problem}`);
  return { location: parseRepositoryLocation(url), apiUrl: settings?.apiUrl, token, authorities, now };
}

function settleReport(
  reconcileReport: ReconcileReport,
  memory: Memory,
  reported: ForgeReport,
  options: ReporterOptions,
): void {
  const { failure, commentFailure, remaining, written } = reported;
  if (failure !== undefined) {
    noteRefused(reconcileReport, memory, failure, options);
    return;
  }
  Object.assign(memory, { failures: 0, notBefore: 0 });
  for (const message of memory.loggedMessages)
    if (!message.startsWith(NO_COMMENT)) memory.loggedMessages.delete(message);
  if (written > 0) options.onReport?.(getProvider(reconcileReport), 'ok');
  if (remaining > 0)
    options.log('info', `${remaining} commit statuses will be written in the next run`, getName(reconcileReport));
  if (commentFailure !== undefined) report(reconcileReport, memory, `${NO_COMMENT}${commentFailure.message}`, options);
}

function noteRefused(
  reconcileReport: ReconcileReport,
  memory: Memory,
  failure: ForgeError,
  options: ReporterOptions,
): void {
  memory.failures += 1;
  const wait = computeBackoffMs(memory.failures, { firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS });
  memory.notBefore = options.now() + (failure.retryAfterMs ?? (failure.isLasting ? REFUSED_MS : wait));
  options.onReport?.(getProvider(reconcileReport), failure.failure);
  report(reconcileReport, memory, failure.message, options);
}

/** Logs each message once, until something succeeds. */
function report(
  reconcileReport: ReconcileReport,
  memory: Memory,
  message: string,
  { events, log }: ReporterOptions,
): void {
  if (memory.loggedMessages.has(message)) return;
  memory.loggedMessages.add(message);
  log('warn', message, getName(reconcileReport));
  events.add(reconcileReport.source, 'Warning', 'CommitStatusFailed', message);
}

function getProvider({ source }: ReconcileReport): string {
  return source.spec.commitStatus?.provider ?? '';
}

function getName({ source }: ReconcileReport) {
  return { namespace: source.metadata.namespace ?? 'default', name: source.metadata.name };
}

/** Converts other errors, such as those of reading the Secret: they count as passing, because the next reconcile may succeed. */
function asForgeError(error: unknown): ForgeError {
  if (error instanceof ForgeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ForgeError('unavailable', `the result cannot be written to the forge: ${message}`, { cause: error });
}
