/** Fetches a GatewaySource's repository to a verified checkout on disk. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDurationMs } from '#compiler';
import { findGitRefProblem } from '#schemas';
import {
  type CommitInfo,
  collectGarbage,
  createGitSourceRemote,
  exportFiles,
  fetchCommit,
  formatSigner,
  GitError,
  type GitFailure,
  type GitLimits,
  type GitRemote,
  hasCommit,
  type Mirror,
  Mirrors,
  openKeyring,
  readCommit,
  readRevision,
  type SigningKeys,
  type TreeLimits,
  verifyCommit,
  verifyHistory,
  Workspace,
  type WorkspaceOptions,
} from '#shared/git';
import {
  asFolderError,
  type Checkout,
  type FetchOptions,
  type ObservedSource,
  type Repository,
} from '../reconcile/index.ts';
import { type ConnectionCounts, ConnectionScheduler, QUERY_LIMITS, TRANSFER_LIMITS } from './connection-scheduler.ts';
import { type DesiredRef, findCommit, formatRevision, type ResolvedRef, readDesiredRef } from './desired-ref.ts';
import { readAccess, readSigningKeys, type SecretData } from './secret-data.ts';
import { hasPath, resolveRepositoryPath, selectFiles } from './selected-files.ts';
import { asReconcileError } from './source-error.ts';
import { FIELD_NAMES, type SourceNames } from './source-names.ts';

export interface GitRepositoryOptions {
  /** Absolute folder for mirrors and checkouts, which may be deleted at any time. Only one process may use it. */
  readonly stateDir: string;
  /**
   * The decoded content of a Secret in the source's namespace.
   *
   * @throws ReconcileError
   */
  readonly readSecret: (source: ObservedSource, name: string, signal: AbortSignal) => Promise<SecretData>;
  /** Whether repositories on this machine may be read, as without a cluster. */
  readonly isLocalAllowed?: boolean;
  /** Names of a source's settings in messages; default: its fields. */
  readonly names?: SourceNames;
  /** Default: 768 MiB per repository, 5 minutes for local operations. */
  readonly limits?: Partial<GitLimits>;
  readonly treeLimits?: TreeLimits;
  /** Called with the cause of each failure of git. */
  readonly onFailure?: (cause: GitFailure) => void;
}

/** Limit on a mirror, in bytes: a mirror has many commits, and files other than specs. */
const MIRROR_BYTES = 768 * 1024 * 1024;

/** Removes recursively, and ignores a missing path. */
const REMOVED = { recursive: true, force: true } as const;

const DEFAULT_TIMEOUT_MS = 60_000;

/** A transfer that receives fewer bytes than this between two checks counts as stalled. */
const MOVING_BYTES = 16 * 1024;

interface Verification {
  readonly isEvery: boolean;
  readonly keys: SigningKeys;
}

/** A parsed source. */
interface Request {
  readonly remote: GitRemote;
  readonly owner: string;
  /** Identifies the source's folder, and its data in mirrors. */
  readonly id: string;
  readonly path: string;
  readonly target: DesiredRef;
  readonly verification: Verification | null;
  readonly timeoutMs: number;
  /** Changes with every input of a checkout except the commit. */
  readonly inputs: string;
}

/** The signals of one waiting call. */
interface WaitingCall {
  readonly signal: AbortSignal;
  readonly yieldWorker: NonNullable<FetchOptions['yieldWorker']>;
}

interface CachedCheckout {
  readonly inputs: string;
  readonly tree: Checkout;
}

export class GitRepository implements Repository {
  readonly #options: GitRepositoryOptions;
  readonly #mirrors: Mirrors;
  readonly #questions = new ConnectionScheduler(QUERY_LIMITS);
  readonly #transfers = new ConnectionScheduler(TRANSFER_LIMITS);
  /** The checkouts of each source that are in use: the newest one and the previous one. */
  readonly #newest = new Map<string, CachedCheckout>();
  readonly #earlier = new Map<string, CachedCheckout>();
  #cleared: Promise<unknown> | undefined;

  constructor(options: GitRepositoryOptions) {
    this.#options = options;
    this.#mirrors = new Mirrors(join(options.stateDir, 'mirrors'));
  }

  /** Numbers of connections to servers: queries and transfers together. */
  get conversations(): ConnectionCounts {
    const [questions, transfers] = [this.#questions.counts, this.#transfers.counts];
    return {
      moving: questions.moving + transfers.moving,
      still: questions.still + transfers.still,
      waiting: questions.waiting + transfers.waiting,
    };
  }

  /**
   * The source's current revision; the same checkout as in the last call if nothing changed, after one connection. It makes no connection for a
   * commit given by id, and when no query is due.
   *
   * @throws ReconcileError, and the reason of the signal
   */
  async fetchLatest(
    source: ObservedSource,
    verified: string | undefined,
    signal: AbortSignal,
    { isDue = true, yieldWorker = wait => wait() }: FetchOptions = {},
  ): Promise<Checkout> {
    return this.#explainErrors(async () => {
      const request = await this.#read(source, signal);
      const known = this.#newest.get(request.id);
      const isKnown = (commit: string) =>
        known?.inputs === request.inputs && known.tree.commit === commit && existsSync(known.tree.folder);
      if (!isDue && known !== undefined && isKnown(known.tree.commit)) return known.tree;
      if (request.target.type === 'commit' && isKnown(request.target.name)) return (known as CachedCheckout).tree;
      const waiting = { signal, yieldWorker };
      const found = await this.#ask(request, waiting);
      // A tag that was renamed has the same commit: the files are the same, but the name of the revision differs.
      if (isKnown(found.commit) && known?.tree.revision === formatRevision(found)) return known.tree;
      const since = this.#chooseSince(source, request, found, verified);
      const tree = await this.#withMirror(request, waiting, async mirror => {
        const commit = await this.#fetch(mirror, request, found, waiting);
        if (since.mayLeave) await this.#fetchVerified(mirror, request, since, waiting);
        const read = (mayBeEmpty: boolean) =>
          this.#readLocally(mirror, request, signal, async workspace => {
            const info = await readCommit(workspace, commit);
            const signer = await this.#verify(workspace, request, info, since);
            return this.#export(workspace, request, { ...found, commit }, info, signer, mayBeEmpty);
          });
        try {
          return await read(false);
        } catch (error) {
          // Git has no empty folders: a commit that deletes the last file is an empty revision, and not a mistake in the path.
          if (!isNothing(error) || !(await this.#wasApplied(mirror, request, source, waiting))) throw error;
          return await read(true);
        }
      });
      this.#newest.set(request.id, { inputs: request.inputs, tree });
      await this.#removeOthers(request.id);
      return tree;
    });
  }

  /**
   * A previously applied and verified revision. Connects to the server only when the mirror lacks the commit.
   * @throws ReconcileError, and the reason of the signal
   */
  async checkoutPrevious(
    source: ObservedSource,
    revision: string,
    signal: AbortSignal,
    { yieldWorker = wait => wait() }: Pick<FetchOptions, 'yieldWorker'> = {},
  ): Promise<Checkout | undefined> {
    const parts = readRevision(revision);
    if (parts === undefined) return undefined;
    return this.#explainErrors(async () => {
      const request = await this.#read(source, signal);
      for (const { inputs, tree } of [this.#newest.get(request.id), this.#earlier.get(request.id)].filter(isKept))
        if (inputs === request.inputs && tree.revision === revision && existsSync(tree.folder)) return tree;
      const found: ResolvedRef = { ...parts, ref: { type: 'commit', name: parts.commit } };
      const waiting = { signal, yieldWorker };
      try {
        const tree = await this.#withMirror(request, waiting, async mirror => {
          const commit = await this.#fetch(mirror, request, found, waiting);
          return this.#readLocally(mirror, request, signal, async workspace =>
            this.#export(workspace, request, found, await readCommit(workspace, commit), undefined),
          );
        });
        this.#earlier.set(request.id, { inputs: request.inputs, tree });
        await this.#removeOthers(request.id);
        return tree;
      } catch (error) {
        if (error instanceof GitError && (error.reason === 'no_ref' || error.reason === 'no_file')) return undefined;
        throw error;
      }
    });
  }

  async evict(source: ObservedSource): Promise<void> {
    const id = getSourceId(source);
    this.#newest.delete(id);
    this.#earlier.delete(id);
    await rm(this.#getTreesFolder(id), REMOVED);
  }

  async #explainErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      // Leftovers of a killed process: unknown checkouts, and perhaps a private key.
      this.#cleared ??= Promise.all([this.#workFolder, this.#trees].map(path => rm(path, REMOVED)));
      await this.#cleared.catch(error => {
        this.#cleared = undefined;
        throw error;
      });
      return await work();
    } catch (error) {
      if (error instanceof GitError) this.#options.onFailure?.(error.reason);
      throw asFolderError(asReconcileError(error, this.#names), this.#options.stateDir);
    }
  }

  async #read(source: ObservedSource, signal: AbortSignal): Promise<Request> {
    const { spec, metadata } = source;
    const { readSecret, isLocalAllowed } = this.#options;
    // The URL is checked before any Secret is read, and not shown, because it may contain credentials.
    const namespace = metadata.namespace ?? '';
    const location = this.#names.source(namespace, metadata.name);
    const path = resolveRepositoryPath(spec.path ?? '.', location, this.#names);
    const target = readDesiredRef(spec, location, this.#names);
    const secret = spec.secretRef?.name;
    const access =
      secret === undefined
        ? {}
        : readAccess(await readSecret(source, secret, signal), this.#names.nameSecret(namespace, secret));
    const remote = createGitSourceRemote(spec.url, { ...access, isLocalAllowed });
    const verification =
      spec.verify === undefined
        ? null
        : {
            isEvery: spec.verify.mode === 'EveryCommit',
            keys: readSigningKeys(await readSecret(source, spec.verify.secretRef.name, signal)),
          };
    const inputs = digestValue([remote.url, target, path, verification]);
    const timeoutMs = spec.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDurationMs(spec.timeout);
    const owner = metadata.namespace ?? '';
    return { remote, owner, id: getSourceId(source), path, target, verification, timeoutMs, inputs };
  }

  /** The commit from which on commits have to be verified, and whether the history may diverge. */
  #chooseSince(source: ObservedSource, { target }: Request, found: ResolvedRef, verified: string | undefined): Since {
    const attempted = readRevision(source.status?.lastAttemptedRevision ?? '');
    // The source's author chose another branch than that of the last attempt: its history may differ.
    const isOtherBranch = target.type === 'branch' && attempted !== undefined && attempted.name !== found.name;
    const mayLeave = isOtherBranch || (target.type !== 'branch' && target.type !== 'default');
    // An invalid id was not written by this controller.
    const since = verified !== undefined && findGitRefProblem('commit', verified) === undefined ? verified : null;
    return { since, mayLeave };
  }

  /** The server's current commit for the source. */
  #ask(request: Request, waiting: WaitingCall): Promise<ResolvedRef> {
    const { remote, owner } = request;
    const { signal, yieldWorker } = waiting;
    const question = { owner, url: remote.url, signal };
    return yieldWorker(() =>
      this.#questions.take(question, async turn => {
        await using workspace = await this.#open(request, { signal: turn.signal });
        return await findCommit(workspace, request.target, this.#names);
      }),
    );
  }

  /** @returns the received commit */
  #transferCommits(
    request: Request,
    { signal, yieldWorker }: WaitingCall,
    repository: string,
    work: (workspace: Workspace) => Promise<string>,
  ): Promise<string> {
    const { remote, owner } = request;
    return yieldWorker(() =>
      this.#transfers.take({ owner, url: remote.url, signal }, async turn => {
        let seen = 0;
        const onBytes = (bytes: number) => {
          if (bytes < seen + MOVING_BYTES) return;
          seen = bytes;
          turn.moved();
        };
        await using workspace = await this.#open(request, { signal: turn.signal, repository, onBytes });
        return await work(workspace);
      }),
    );
  }

  /** Opens the repository for one connection to the server. */
  #open(
    { remote, timeoutMs }: Request,
    options: Pick<WorkspaceOptions, 'signal' | 'repository' | 'onBytes'>,
  ): Promise<Workspace> {
    const limits = { repositoryBytes: MIRROR_BYTES, ...this.#options.limits, timeMs: timeoutMs };
    return Workspace.open(remote, { folder: this.#workFolder, limits, ...options });
  }

  /** Reads from the mirror, which needs no credentials. */
  async #readLocally<T>(
    { repository }: Mirror,
    { remote }: Request,
    signal: AbortSignal,
    work: (workspace: Workspace) => Promise<T>,
  ): Promise<T> {
    const bare = { ...remote, credentials: null, authorities: null, certificate: null };
    const { limits = {} } = this.#options;
    await using workspace = await Workspace.open(bare, { folder: this.#workFolder, signal, limits, repository });
    return await work(workspace);
  }

  #withMirror<T>(
    { remote, owner, verification }: Request,
    { signal, yieldWorker }: WaitingCall,
    work: (mirror: Mirror) => Promise<T>,
  ): Promise<T> {
    const name = { url: remote.url, owner, withHistory: verification?.isEvery ?? false };
    return this.#mirrors.use(name, signal, work, yieldWorker);
  }

  /** Fetches new commits and the last verified one, which may be no ancestor: without it new commits cannot be distinguished from old ones. */
  async #fetchVerified(mirror: Mirror, request: Request, { since }: Since, waiting: WaitingCall): Promise<void> {
    if (since === null || !request.verification?.isEvery) return;
    const verified: ResolvedRef = { ref: { type: 'commit', name: since }, name: null, commit: since };
    try {
      await this.#fetch({ ...mirror, isNew: false }, { ...request, id: `${request.id}-verified` }, verified, waiting);
    } catch (error) {
      // The last verified commit no longer exists at the server; the verification reports that.
      if (!(error instanceof GitError) || error.reason !== 'no_ref') throw error;
    }
  }

  /** @returns the commit that is in the mirror now; for a branch that moved meanwhile, a later one */
  async #fetch(mirror: Mirror, request: Request, found: ResolvedRef, waiting: WaitingCall): Promise<string> {
    const { id, verification } = request;
    const { signal } = waiting;
    const isHere =
      !mirror.isNew &&
      (await this.#readLocally(mirror, request, signal, workspace => hasCommit(workspace, found.commit)));
    if (isHere) return found.commit;
    const options = { keeper: id, withHistory: verification?.isEvery ?? false };
    const fetch = (workspace: Workspace) => fetchCommit(workspace, found.ref, found.commit, options);
    const commit = await this.#transferCommits(request, waiting, mirror.repository, fetch);
    if (await mirror.isCrowded()) await this.#readLocally(mirror, request, signal, collectGarbage);
    return commit;
  }

  /**
   * Whether the source applied a revision of this repository at this path: then the folder existed, and a commit has deleted it. Applied objects may
   * still exist, because deletions wait for approval or are disabled.
   */
  async #wasApplied(mirror: Mirror, request: Request, source: ObservedSource, waiting: WaitingCall): Promise<boolean> {
    const { lastAppliedRevision = '', lastAppliedPath } = source.status ?? {};
    const applied = readRevision(lastAppliedRevision);
    if (applied === undefined) return false;
    const found: ResolvedRef = { ...applied, ref: { type: 'commit', name: applied.commit } };
    const isSamePath =
      lastAppliedPath !== undefined && resolveRepositoryPath(lastAppliedPath, '', this.#names) === request.path;
    try {
      // The applied commit is fetched under a name of its own: the mirror keeps the newest commit under the other name.
      const fetching = { ...request, id: `${request.id}-applied` };
      const commit = await this.#fetch({ ...mirror, isNew: false }, fetching, found, waiting);
      if (isSamePath) return true;
      return await this.#readLocally(mirror, request, waiting.signal, workspace =>
        hasPath(workspace, commit, request.path, this.#options.treeLimits),
      );
    } catch (error) {
      if (error instanceof GitError && error.reason === 'no_ref') return false;
      throw error;
    }
  }

  async #verify(
    workspace: Workspace,
    { verification }: Request,
    commit: CommitInfo,
    since: Since,
  ): Promise<string | undefined> {
    if (verification === null) return undefined;
    const keyring = await openKeyring(workspace, verification.keys);
    return formatSigner(
      verification.isEvery
        ? await verifyHistory(workspace, keyring, commit, since)
        : await verifyCommit(workspace, keyring, commit),
    );
  }

  async #export(
    workspace: Workspace,
    { id, path }: Request,
    found: ResolvedRef,
    { committedAtMs, id: commit }: CommitInfo,
    verifiedBy: string | undefined,
    mayBeEmpty = false,
  ): Promise<Checkout> {
    const folder = join(this.#getTreesFolder(id), `${commit}-${digestValue(path).slice(0, 8)}`);
    await mkdir(this.#getTreesFolder(id), { recursive: true, mode: 0o700 });
    const { treeLimits: limits } = this.#options;
    const files = await selectFiles(workspace, commit, path, { limits, mayBeEmpty });
    await exportFiles(workspace, commit, files, folder);
    if (mayBeEmpty) await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
    const committedAt = new Date(committedAtMs).toISOString();
    return { revision: formatRevision({ ...found, commit }), commit, folder, verifiedBy, committedAt };
  }

  async #removeOthers(id: string): Promise<void> {
    const folder = this.#getTreesFolder(id);
    const used = [this.#newest.get(id), this.#earlier.get(id)].map(checkout => checkout?.tree.folder);
    for (const name of await readdir(folder)) {
      const tree = join(folder, name);
      if (!used.includes(tree)) await rm(tree, REMOVED);
    }
  }

  #getTreesFolder(id: string): string {
    return join(this.#trees, id);
  }

  get #names(): SourceNames {
    return this.#options.names ?? FIELD_NAMES;
  }

  get #trees(): string {
    return join(this.#options.stateDir, 'trees');
  }

  get #workFolder(): string {
    return join(this.#options.stateDir, 'work');
  }
}

interface Since {
  readonly since: string | null;
  readonly mayLeave: boolean;
}

function isNothing(error: unknown): boolean {
  return error instanceof GitError && error.reason === 'no_file';
}

function isKept(checkout: CachedCheckout | undefined): checkout is CachedCheckout {
  return checkout !== undefined;
}

function getSourceId({ metadata }: ObservedSource): string {
  return digestValue([metadata.namespace ?? '', metadata.name]).slice(0, 32);
}

function digestValue(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
