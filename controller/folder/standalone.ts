/** The reconcile loop without a cluster: from a repository to a folder that `lintel-runtime --watch` serves. */
import { createHash } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  API_GROUP,
  type GatewaySourceSpec,
  type GatewaySourceStatus,
  type PrivateDenial,
  STORAGE_VERSION,
} from '#schemas';
import { makeFolder } from '#shared/util';
import { type CompileLimits, CompileService } from '../compile/index.ts';
import {
  asFolderError,
  createReconcileCache,
  type ObservedSource,
  type ReconcileContext,
  ReconcileError,
  reconcileSource,
} from '../reconcile/index.ts';
import { GitRepository, OPTION_NAMES } from '../source/index.ts';
import { findCondition } from '../status/index.ts';
import { createFolderDestination, type FolderChange } from './folder-destination.ts';
import { refuseSubfolder } from './local-repository.ts';
import { readSecretFolder } from './secret-folder.ts';
import { readStatusFile, writeStatusFile } from './status-file.ts';

export interface StandaloneSettings {
  /** URL of a repository, or a path on this machine. */
  readonly repo: string;
  readonly ref: NonNullable<GatewaySourceSpec['ref']>;
  /** Folder in the repository. */
  readonly path: string;
  /** Folder with the credentials for the repository; absolute. */
  readonly gitSecret?: string | undefined;
  /** Absolute. */
  readonly out: string;
  /** Refuses private addresses. Undefined: the checkout decides. */
  readonly denial?: PrivateDenial | undefined;
  /** Absolute folder for data that can be fetched again. */
  readonly stateDir: string;
  readonly intervalMs: number;
  /** Whether to run once and exit. */
  readonly isOnce: boolean;
  readonly compile?: CompileLimits;
}

/** The methods of a logger such as pino's. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The default namespace, as in `lintel build`. */
const NAMESPACE = 'default';

/**
 * Follows a repository until the signal is aborted.
 *
 * @returns 0 after the signal; after a single run 0, or 1 when the newest revision is not served
 * @throws OptionError for a subfolder of a repository
 */
export async function runStandalone(settings: StandaloneSettings, to: Log, signal: AbortSignal): Promise<0 | 1> {
  const { out, intervalMs, isOnce } = settings;
  const { log, lastMessage } = rememberLastMessage(to);
  const followed = createFollowedSource(settings);
  if (isAbsolute(followed.url)) refuseSubfolder(followed.url, followed.path);
  await makeFolder(out);
  using compiler = new CompileService(settings.compile === undefined ? {} : { limits: settings.compile });
  const access = settings.gitSecret === undefined ? {} : { secretRef: { name: settings.gitSecret } };
  const memory = createReconcileCache();
  const around = createContext(settings, compiler, log);
  log.info({}, `following ${followed.url}, folder ${followed.path}, into ${out}`);
  while (!signal.aborted) {
    const { status, generation } = await readStatusFile(out, followed);
    const source: ObservedSource = {
      apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
      kind: 'GatewaySource',
      metadata: { name: 'standalone', namespace: NAMESPACE, generation },
      // The operator owns both the repository and the folder: a revision that drops a gateway is not an accident, but a repository without any
      // gateway may be one.
      spec: { ...followed, ...access, interval: `${intervalMs}ms`, deletion: { maxPercent: 100 } },
      status,
    };
    let failure: ReconcileError | undefined;
    const waitMs = await reconcileSource(source, around, memory, signal).catch(error => {
      if (!signal.aborted && !(error instanceof ReconcileError)) throw error;
      failure = error instanceof ReconcileError ? error : undefined;
      return intervalMs;
    });
    if (isOnce) {
      const { status: after } = await readStatusFile(out, followed);
      const ready = findCondition(after.conditions ?? [], 'Ready');
      // The status file may be outdated, if it could not be written.
      const isReady = failure === undefined && ready?.status === 'True';
      const message = failure?.message ?? ready?.message ?? 'the repository was not read';
      // Printed even when nothing changed: an operator who runs it once wants to see the result. A result that is new was already logged as an event.
      if (!lastMessage().endsWith(message)) {
        if (isReady) log.info({}, message);
        else log.warn({ reason: failure?.reason ?? ready?.reason }, message);
      }
      return isReady ? 0 : 1;
    }
    await wait(Math.min(waitMs ?? intervalMs, intervalMs), undefined, { signal }).catch(() => {});
  }
  return 0;
}

/** A log with the message that was logged last. An event about a revision begins with the revision. */
function rememberLastMessage(to: Log): { readonly log: Log; readonly lastMessage: () => string } {
  let last = '';
  const write = (level: keyof Log) => (fields: object, message: string) => {
    last = message;
    to[level](fields, message);
  };
  return { log: { info: write('info'), warn: write('warn') }, lastMessage: () => last };
}

function createContext(settings: StandaloneSettings, compiler: CompileService, log: Log): ReconcileContext {
  const { out, stateDir, denial } = settings;
  const followedBy = createHash('sha256').update(out).digest('hex').slice(0, 16);
  const repository = new GitRepository({
    // Only one process may use a cache, and several may follow repositories on one machine.
    stateDir: join(stateDir, followedBy),
    isLocalAllowed: true,
    names: OPTION_NAMES,
    readSecret: (_, folder) => readSecretFolder(folder),
  });
  const followed = createFollowedSource(settings);
  let last: GatewaySourceStatus = {};
  const destination = createFolderDestination(out, change => log.info({}, changeText(change)));
  return {
    repository,
    compile: (request, signal) => compiler.compile(request, signal),
    clusterInputs: () => NO_INPUTS,
    destination: () => destination,
    output: { withExposure: true, denial },
    store: {
      write: async (_, status) => {
        for (const line of listNewDiagnostics(last, status)) log.warn({}, line);
        last = status;
        try {
          await writeStatusFile(out, followed, status);
        } catch (error) {
          const failure = asFolderError(error, out);
          // The failure cannot be written to the status file, so it is logged.
          if (failure instanceof ReconcileError) log.warn({ reason: failure.reason }, failure.message);
          throw failure;
        }
      },
      setFinalizer: async () => {},
    },
    forge: { publish: async () => undefined },
    events: {
      add: (_, type, reason, message) =>
        type === 'Normal' ? log.info({ reason }, message) : log.warn({ reason }, message),
    },
    metrics: { stage: () => {}, observeReconcile: () => {} },
    approvalInstructions: () => `to allow the deletions, remove ${out} and start again`,
    now: () => Date.now(),
    monotonicNow: () => performance.now(),
  };
}

const NO_INPUTS = { digest: '', texts: new Map<string, string>() };

function createFollowedSource({ repo, ref, path }: StandaloneSettings) {
  const isElsewhere = /^[a-z]+:\/\//i.test(repo) || /^[^/]+@[^/]+:/.test(repo);
  const url = isElsewhere || isAbsolute(repo) ? repo : resolve(repo);
  return { url, ...(Object.keys(ref).length > 0 && { ref }), path };
}

function changeText({ kind, namespace, name, action, digest }: FolderChange): string {
  return `${kind} ${namespace}/${name}: ${digest} ${action}`;
}

/** Findings that the previous status did not have, in compiler format. */
function listNewDiagnostics(before: GatewaySourceStatus | undefined, now: GatewaySourceStatus): readonly string[] {
  const formatDiagnostics = ({ diagnostics = [] }: GatewaySourceStatus) =>
    diagnostics.map(({ file, line, column, severity, code, message }) => {
      const location = [file, line, column].filter(part => part !== undefined).join(':');
      return `${location}: ${severity} ${code}: ${message}`;
    });
  const known = new Set(formatDiagnostics(before ?? {}));
  return formatDiagnostics(now).filter(text => !known.has(text));
}
