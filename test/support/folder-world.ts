/** A controller with a real compiler and a real folder. Its revisions come from the test, which can kill it at any step. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleIndex } from '#schemas';
import { createTreeCompiler, type TreeCompiler } from '../../controller/compile/compile-tree.ts';
import { createFolderDestination } from '../../controller/folder/folder-destination.ts';
import { readStatusFile, writeStatusFile } from '../../controller/folder/status-file.ts';
import type { KubeObject } from '../../controller/kube/index.ts';
import {
  createReconcileCache,
  type ObservedSource,
  type ReconcileCache,
  type ReconcileContext,
  reconcileSource,
} from '../../controller/reconcile/index.ts';
import { StatusInvariants } from './status-invariants.ts';

/** The error with which a killed process leaves a step. */
export class Killed extends Error {}

const FOLLOWED = { url: '/repository', path: '.' };

export class FolderWorld {
  readonly invariants = new StatusInvariants();
  readonly out: string;
  readonly #root: string;
  #compiler: TreeCompiler = createTreeCompiler();
  #memory: ReconcileCache = createReconcileCache();
  #commits = 0;
  #head = '';
  /** Steps until the process is killed. */
  #left = Number.POSITIVE_INFINITY;
  #steps = 0;
  nowMs = Date.parse('2026-11-01T00:00:00Z');

  constructor(root: string) {
    this.#root = root;
    this.out = join(root, 'out');
  }

  async commit(files: { readonly [path: string]: string }): Promise<string> {
    this.#commits += 1;
    this.#head = this.#commits.toString(16).padStart(40, '0');
    const tree = join(this.#root, 'trees', this.#head);
    await mkdir(tree, { recursive: true });
    for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
    return this.#head;
  }

  /**
   * Runs one reconcile. Returns the number of its steps.
   *
   * @throws Killed
   */
  async reconcile(stepsToLive: number = Number.POSITIVE_INFINITY): Promise<number> {
    this.#left = stepsToLive;
    this.#steps = 0;
    const { status, generation } = await readStatusFile(this.out, FOLLOWED);
    const source: ObservedSource = {
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'GatewaySource',
      metadata: { name: 'standalone', namespace: 'default', generation, uid: 'u1' },
      spec: { ...FOLLOWED, deletion: { maxPercent: 100 } },
      status,
    };
    const controller = new AbortController();
    try {
      // After its end, nothing of a process continues, not even the cleanup of a failed reconcile.
      const dies = () => controller.abort(new Killed());
      await reconcileSource(source, this.#context(dies), this.#memory, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw error;
    }
    return this.#steps;
  }

  restart(): void {
    this.#memory = createReconcileCache();
    this.#compiler = createTreeCompiler();
  }

  /** The digest of each bundle in the folder's index, by the gateway's name. */
  async served(): Promise<{ readonly [name: string]: string }> {
    const text = await readFile(join(this.out, 'index.json'), 'utf8').catch(() => '{"bundles":[]}');
    const { bundles } = JSON.parse(text) as BundleIndex;
    for (const { path } of bundles) await readFile(join(this.out, path, 'bundle.json'));
    return Object.fromEntries(bundles.map(({ name, digest }) => [name, digest]));
  }

  async status() {
    return JSON.parse(await readFile(join(this.out, 'status.json'), 'utf8'));
  }

  #context(dies: () => void): ReconcileContext {
    // The process may be killed before or after the effect of each step.
    const step = async <T>(work: () => Promise<T> | T): Promise<T> => {
      this.#tick(dies);
      const result = await work();
      this.#tick(dies);
      return result;
    };
    const treeOf = (commit: string) => ({
      ...{ revision: `main@sha1:${commit}`, commit, folder: join(this.#root, 'trees', commit) },
    });
    const real = createFolderDestination(this.out, () => {});
    return {
      repository: {
        fetchLatest: () => step(() => treeOf(this.#head)),
        checkoutPrevious: (_, revision) => step(() => treeOf(revision.slice('main@sha1:'.length))),
        evict: async () => {},
      },
      compile: request => step(() => this.#compiler(request)),
      clusterInputs: () => ({ digest: '', texts: new Map() }),
      destination: () => ({
        knowsHealth: real.knowsHealth,
        plan: (...args) => step(() => real.plan(...args)),
        apply: (...args) => step(() => real.apply(...args)),
        prune: (...args) => step(() => real.prune(...args)),
        rollouts: (...args) => step(() => real.rollouts(...args)),
        rollBack: (...args) => step(() => real.rollBack(...args)),
      }),
      output: { withExposure: true },
      store: {
        write: (source, status) =>
          step(async () => {
            await writeStatusFile(this.out, FOLLOWED, status);
            this.invariants.see({ ...source, status } as unknown as KubeObject);
          }),
        setFinalizer: async () => {},
      },
      forge: { publish: async () => undefined },
      events: { add: () => {} },
      metrics: { stage: () => {}, observeReconcile: () => {} },
      now: () => this.nowMs,
      monotonicNow: () => this.nowMs,
    };
  }

  #tick(dies: () => void): void {
    this.#steps += 1;
    if (this.#steps <= this.#left) return;
    dies();
    throw new Killed();
  }
}
