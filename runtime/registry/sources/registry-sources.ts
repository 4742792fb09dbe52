/** All sources of a registry server, with their current entries. */
import type { PrivateDenial, RegistryBundle, RegistrySourcePlan } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import type { Snapshot, SourceStatus } from '../snapshot.ts';
import { BundledSource } from './bundled-source.ts';
import { LastGoodFolder } from './last-good.ts';
import { type PollContext, PolledSource } from './polled-source.ts';
import { computeSourceKey, type ListedSource } from './source.ts';

export interface RegistrySourcesOptions {
  readonly log: Logger;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** The folder in which last good entries are stored for the next start; undefined if they are not stored. */
  readonly stateDir: string | undefined;
  /** Refuses upstreams at private addresses. */
  readonly denial?: PrivateDenial | undefined;
  /** The sources of the previous bundle. Sources that are read in the same way are shared with it and continue. */
  readonly earlier?: RegistrySources | undefined;
}

/** The parts of a bundle that define its sources. */
export interface RegistrySourcesBundle {
  readonly bundle: Pick<RegistryBundle, 'sources'>;
  /** The folder of the bundle, with its files of entries. */
  readonly folder: string;
}

interface Estate {
  readonly disk: LastGoodFolder | undefined;
  readonly previous: readonly ListedSource[];
  readonly shared: readonly ListedSource[];
}

const NOTHING: Estate = { disk: undefined, previous: [], shared: [] };

/** The sources of one bundle. */
export class RegistrySources {
  readonly #sources: readonly ListedSource[];
  readonly #context: PollContext;
  readonly #listeners: (() => void)[] = [];
  #snapshots: ReadonlyMap<string, Snapshot> = new Map();
  #isClosed = false;

  constructor(
    { bundle, folder }: RegistrySourcesBundle,
    { log, now = Date.now, stateDir, denial, earlier }: RegistrySourcesOptions,
  ) {
    const { disk, previous, shared } = earlier === undefined ? NOTHING : earlier.#estate();
    this.#context = { log, now, disk: openLastGood(stateDir, log, disk), denial };
    this.#sources = bundle.sources.map(plan => {
      const key = computeSourceKey(plan);
      const source =
        shared.find(listedSource => listedSource.key === key) ?? openSource(plan, folder, this.#context, previous);
      source.retain(this.#changed);
      return source;
    });
    const isFetched = this.#sources.some(source => source instanceof PolledSource);
    if (isFetched && stateDir === undefined && earlier === undefined)
      log.info('entries are not kept on disk: after a restart nothing is listed until the upstreams answer');
  }

  /** The current snapshots by source; the same map until a snapshot changes. */
  get snapshots(): ReadonlyMap<string, Snapshot> {
    return this.#snapshots;
  }

  /** Calls the listener whenever `snapshots` has become another map. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Resolves when the entries in the bundle and the entries stored on disk are listed. Then the sources are read in the background.
   *
   * @throws EntriesFileError for a bundle whose entries are missing; then no source is read, and `close` must still be called
   */
  async start(): Promise<void> {
    await Promise.all(this.#sources.map(source => source.load()));
    this.#changed();
    if (!this.#isClosed) for (const source of this.#sources) source.follow();
  }

  /** Resolves when each source has entries of a reading, by this process or an earlier one, or has failed once. */
  async tried(): Promise<void> {
    await Promise.all(this.#sources.map(source => source.tried));
  }

  /** Reads every source now; for a source that is just being read, waits for this reading. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map(source => source instanceof PolledSource && source.refresh()));
  }

  /** In the order of the configuration. */
  status(): readonly SourceStatus[] {
    return this.#sources.map(source => source.status());
  }

  /** Closes sources that no other `RegistrySources` shares. `snapshots` keeps the entries. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.length = 0;
    await Promise.all(this.#sources.map(source => source.release(this.#changed)));
  }

  /** What the `RegistrySources` of the next bundle can continue with: the sources, and the entries of closed ones. */
  #estate(): Estate {
    return { disk: this.#context.disk, previous: this.#sources, shared: this.#isClosed ? [] : this.#sources };
  }

  readonly #changed = (): void => {
    if (this.#isClosed) return;
    this.#snapshots = new Map(this.#sources.map(({ snapshot }) => [snapshot.source, snapshot]));
    for (const listener of this.#listeners) listener();
  };
}

function openSource(
  plan: RegistrySourcePlan,
  folder: string,
  context: PollContext,
  previous: readonly ListedSource[],
): ListedSource {
  if (plan.from.type === 'bundled') return new BundledSource(plan, plan.from.entries, folder, context.now);
  const ofName = previous.find(({ snapshot }) => snapshot.source === plan.name);
  return new PolledSource(plan, context, ofName instanceof PolledSource ? ofName : undefined);
}

/** The object for a folder. The same folder gets the same object, which knows whether a failure of the folder was already logged. */
function openLastGood(
  stateDir: string | undefined,
  log: Logger,
  previous: LastGoodFolder | undefined,
): LastGoodFolder | undefined {
  if (stateDir === undefined) return undefined;
  return previous?.path === stateDir ? previous : new LastGoodFolder(stateDir, log);
}
