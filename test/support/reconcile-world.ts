/**
 * An in-memory environment for the real reconciler: revisions, a destination, a status store and a clock, all of which tests can disturb. The
 * status invariants check every written status.
 */
import type { GatewaySourceSpec, GatewaySourceStatus } from '#schemas';
import { computeDigest } from '#schemas';
import { OutcomeLog } from '../../controller/cluster/outcome-log.ts';
import { createFailedOutcome } from '../../controller/compile/failed-outcome.ts';
import type { CompiledUnit, CompileOutcome } from '../../controller/compile/index.ts';
import type { KubeObject, ObjectMeta } from '../../controller/kube/index.ts';
import {
  type Checkout,
  createReconcileCache,
  type Destination,
  formatRelease,
  formatUnitKey,
  type ObservedSource,
  type PlannedChange,
  type ReconcileCache,
  type ReconcileContext,
  ReconcileError,
  type ReconcileReport,
  type Rollout,
  reconcileSource,
  type SourceHistory,
} from '../../controller/reconcile/index.ts';
import type { InventoryEntry } from '../../controller/status/index.ts';
import { type LogLine, listeningLog } from './log-lines.ts';
import { StatusInvariants } from './status-invariants.ts';

/** A valid revision: its gateways by name, each with a version from which its digest follows. */
export type Gateways = { readonly [name: string]: string };

export const ID_OF = (name: string): string => `team_${name}_apps_Deployment`;

export function digestOfVersion(version: string): string {
  return computeDigest(version);
}

export function goodOutcome(gateways: Gateways, changes: Partial<CompileOutcome> = {}): CompileOutcome {
  const units = Object.entries(gateways).map(([name, version]): CompiledUnit => {
    const digest = digestOfVersion(version);
    return {
      kind: 'gateway',
      namespace: 'team',
      name,
      digest,
      manifests: [deployment(name, digest)],
      files: [],
      diagnostics: [],
      configHashes: {},
      statusReportingIntervalMs: 0,
      backends: [],
    };
  });
  const digest = computeDigest(JSON.stringify(gateways));
  return { ...createFailedOutcome([]), isGood: true, units, digest, ...changes };
}

export function badOutcome(message = 'unknown field "toolz"'): CompileOutcome {
  const place = { file: 'gateways/eng.yaml', line: 7, column: 3 };
  return createFailedOutcome([{ code: 'LNT1003', severity: 'error', message, ...place }]);
}

function deployment(name: string, digest: string): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'team', name }, digest };
}

interface Live {
  readonly uid: string;
  readonly digest: string;
  /** The digest of the repository's content for which the object was last applied. */
  readonly applied: string;
  readonly image?: string | undefined;
}

export class World {
  spec: GatewaySourceSpec = { url: 'https://example.com/team/gateways.git' };
  metadata: ObjectMeta = { name: 'source', namespace: 'team', generation: 1, uid: 'u1' };
  status: GatewaySourceStatus = {};
  isKept = false;
  nowMs = Date.parse('2026-11-01T00:00:00Z');
  uptimeMs = 0;
  /** What is wrong with the cluster's CRDs of Lintel's kinds. */
  definitionsProblem: string | null | undefined;
  /** The repository's head: a commit id, or the reason why there is none. */
  head: string | ReconcileError = '';
  clusterDigest = '';
  /** The rollout state of running digests, or of a gateway with an image (`eng by runtime:2`); by default active. */
  readonly rollouts = new Map<string, Pick<Rollout, 'state' | 'message'>>();
  readonly live = new Map<string, Live>();
  readonly outcomes = new Map<string, CompileOutcome>();
  readonly invariants = new StatusInvariants();
  /** The image of all gateways; it changes the desired objects without a new revision. */
  image: string | undefined;
  /** Operations since the last call of {@link reconcile}, in order. */
  done: string[] = [];
  readonly events: string[] = [];
  /** The messages of the events in `events`. */
  readonly messages: string[] = [];
  readonly told: ReconcileReport[] = [];
  /** The metrics at the end of reconciles. */
  readonly settled: ReconcileReport[] = [];
  /** The log lines of a controller in a cluster. */
  readonly lines: readonly LogLine[];
  /** Runs before each external operation, with its name; may throw. */
  onStep: (step: string) => void = () => {};
  /** Remarks of plans in addition to their changes. */
  notes: readonly string[] = [];
  /** Ids of objects whose deletion does not complete at once. */
  readonly sticky = new Set<string>();
  memory: ReconcileCache = createReconcileCache();
  readonly #outcomes: OutcomeLog;
  #uids = 0;
  #fetched: Checkout | undefined;
  /** Images with which gateways were last active. */
  readonly #inService = new Map<string, string | undefined>();

  constructor() {
    const { log, lines } = listeningLog();
    this.lines = lines;
    this.#outcomes = new OutcomeLog(log);
  }

  /** Makes a revision the newest one. */
  commit(outcome: CompileOutcome | Gateways): string {
    const id = (this.outcomes.size + 1).toString(16).padStart(40, 'c');
    this.outcomes.set(id, 'isGood' in outcome ? (outcome as CompileOutcome) : goodOutcome(outcome as Gateways));
    this.head = id;
    return id;
  }

  /** Runs the next reconcile, as after the forge has reported a push. Returns when to requeue, or the failure. */
  reconcile(signal?: AbortSignal): Promise<number | undefined | ReconcileError> {
    this.memory.isHooked = true;
    return this.look(signal);
  }

  /** Runs the next reconcile as the queue would. Returns when to requeue, or the failure. */
  async look(signal: AbortSignal = new AbortController().signal): Promise<number | undefined | ReconcileError> {
    this.done = [];
    try {
      return await reconcileSource(this.source(), this.context(), this.memory, signal);
    } catch (error) {
      if (error instanceof ReconcileError) return error;
      throw error;
    }
  }

  /** Continues like a new process, which knows only the stored state. */
  restart(): void {
    this.memory = createReconcileCache();
  }

  edit(spec: Partial<GatewaySourceSpec>): void {
    this.spec = { ...this.spec, ...spec };
    this.metadata = { ...this.metadata, generation: (this.metadata.generation ?? 0) + 1 };
  }

  annotate(key: string, value: string): void {
    this.metadata = { ...this.metadata, annotations: { ...this.metadata.annotations, [`lintel.dev/${key}`]: value } };
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.uptimeMs += ms;
    this.invariants.inputChanged();
  }

  /** `Type=Status(Reason)` of the conditions; of the named types, when some are given. */
  conditions(...types: readonly string[]): readonly string[] {
    return (this.status.conditions ?? [])
      .filter(({ type }) => types.length === 0 || types.includes(type))
      .map(({ type, status, reason }) => `${type}=${status}(${reason})`);
  }

  message(type: string): string | undefined {
    return this.status.conditions?.find(condition => condition.type === type)?.message;
  }

  /** The digest that each gateway runs, by the gateway's name. */
  running(): { readonly [name: string]: string } {
    return Object.fromEntries([...this.live].map(([id, { digest }]) => [id.split('_')[1] ?? '', digest]).sort());
  }

  source(): ObservedSource {
    return {
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'GatewaySource',
      metadata: this.metadata,
      spec: this.spec,
      status: structuredClone(this.status),
    };
  }

  context(): ReconcileContext {
    const step = (name: string) => {
      this.onStep(name);
      this.done.push(name);
    };
    const treeOf = (commit: string) => ({ revision: `main@sha1:${commit}`, commit, folder: `/trees/${commit}` });
    return {
      repository: {
        fetchLatest: async (_, __, ___, { isDue }) => {
          if (!isDue && this.#fetched !== undefined) return this.#fetched;
          step('fetch');
          if (typeof this.head !== 'string') throw this.head;
          this.#fetched = treeOf(this.head);
          return this.#fetched;
        },
        checkoutPrevious: async (_, revision) => {
          step('earlier');
          return treeOf(revision.slice('main@sha1:'.length));
        },
        evict: async () => step('forget'),
      },
      compile: async ({ folder }) => {
        step('compile');
        const outcome = this.outcomes.get(folder.slice('/trees/'.length));
        if (outcome === undefined) throw new Error(`nothing is known of ${folder}`);
        return outcome;
      },
      clusterInputs: () => ({ digest: this.clusterDigest, texts: new Map() }),
      destination: () => this.#destination(step),
      output: { withExposure: false, manifests: this.image === undefined ? undefined : { image: this.image } },
      store: {
        write: async (_, status) => {
          if (JSON.stringify(status) === JSON.stringify(this.status)) return;
          step('status');
          this.status = JSON.parse(JSON.stringify(status));
          this.invariants.see({ ...this.source() } as unknown as KubeObject);
        },
        setFinalizer: async (_, isKept) => {
          if (isKept === this.isKept) return;
          step(isKept ? 'keep' : 'release');
          this.isKept = isKept;
        },
      },
      forge: {
        publish: async told => {
          this.told.push(told);
          return undefined;
        },
      },
      events: {
        add: (_, type, reason, message) => {
          this.events.push(`${type} ${reason}`);
          this.messages.push(message);
        },
      },
      metrics: {
        stage: () => {},
        observeReconcile: (told, counts) => {
          this.settled.push(told);
          this.#outcomes.reconciled(told, counts);
        },
      },
      definitionsProblem: () => this.definitionsProblem,
      now: () => this.nowMs,
      monotonicNow: () => this.uptimeMs,
    };
  }

  #destination(step: (name: string) => void): Destination {
    return {
      knowsHealth: true,
      findRelease: ({ name }) => findRelease(name, this.image),
      plan: async (outcome, before) => {
        step('plan');
        const changes: PlannedChange[] = [];
        const kept: InventoryEntry[] = [];
        for (const unit of outcome.units) {
          const { name, digest, manifests } = unit;
          const live = this.live.get(ID_OF(name));
          const isWanted = live?.digest === digest && live.image === this.image;
          if (live !== undefined && (isWanted || before.stays.has(formatUnitKey(unit)))) kept.push(entry(name, live));
          else
            changes.push({
              action: live === undefined ? 'create' : 'configure',
              object: manifests[0] as KubeObject,
              difference: [`digest: ${live?.digest} -> ${digest}`],
              // As in the cluster: the missing objects of a previously desired bundle existed.
              isDrift:
                live === undefined
                  ? isKnown(before, name, digest)
                  : live.applied === digest && live.image === this.image,
            });
        }
        const wanted = new Set(outcome.units.map(({ name }) => ID_OF(name)));
        const deletions = before.inventory.filter(({ id }) => !wanted.has(id));
        const isQuiet = changes.length === 0 && before.hasNotes !== true;
        return { changes, unchanged: kept.length, deletions, kept, notes: isQuiet ? undefined : this.notes };
      },
      apply: async changes =>
        changes.map(({ object }) => {
          const { name } = object.metadata;
          step(`apply ${name}`);
          const digest = object.digest as string;
          const uid = this.live.get(ID_OF(name))?.uid ?? `uid-${++this.#uids}`;
          const live = { uid, digest, applied: digest, image: this.image };
          this.live.set(ID_OF(name), live);
          return entry(name, live);
        }),
      prune: async deletions => {
        for (const { id, uid } of deletions) {
          step(`prune ${id.split('_')[1]}`);
          const live = this.live.get(id);
          // As in the cluster: an object of the same name with another uid is not managed; one without a recorded uid is.
          if (live !== undefined && (uid === '' || live.uid === uid) && !this.sticky.has(id)) this.live.delete(id);
        }
        return deletions.filter(({ id }) => this.sticky.has(id));
      },
      orphan: async entries => {
        for (const { id } of entries) step(`let go of ${id.split('_')[1]}`);
      },
      rollouts: async units => {
        step('rollouts');
        return units.flatMap(({ kind, namespace, name }) => {
          const live = this.live.get(ID_OF(name));
          if (live === undefined) return [];
          const course = this.rollouts.get(`${name} by ${live.image}`) ??
            this.rollouts.get(live.digest) ?? { state: 'active' as const, message: '' };
          if (course.state === 'active') this.#inService.set(name, live.image);
          const release = findRelease(name, live.image);
          return [{ unit: { kind, namespace, name }, digest: live.digest, release, ...course }];
        });
      },
      rollBack: async ({ name }, { digest }) => {
        step(`restore ${name}`);
        const live = this.live.get(ID_OF(name));
        if (live === undefined) return false;
        this.live.set(ID_OF(name), { ...live, digest, image: this.#inService.get(name) });
        return true;
      },
    };
  }
}

function findRelease(name: string, image: string | undefined): string | undefined {
  return image === undefined ? undefined : formatRelease(image, name);
}

function isKnown({ inventory, units }: SourceHistory, name: string, digest: string | null): boolean {
  const isThere = inventory.some(({ id, uid }) => id === ID_OF(name) && uid !== '');
  return isThere && units.some(unit => unit.name === name && unit.digest === digest);
}

function entry(name: string, { uid }: Live): InventoryEntry {
  return { id: ID_OF(name), v: 'v1', uid };
}
