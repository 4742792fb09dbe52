/** What the last compilations said of each gateway and registry server: in memory only, and filled again after a restart. */
import type { CompileOutcome } from '../../compile/outcome.ts';
import type { CompileFacts } from './facts.ts';

/** A gateway or registry server. */
export interface WorkloadKey {
  readonly kind: 'gateway' | 'registry';
  readonly namespace: string;
  readonly name: string;
}

export function workloadId({ kind, namespace, name }: WorkloadKey): string {
  return `${kind}/${namespace}/${name}`;
}

export class CompileTable {
  /** By source, such as `namespace/name`, then by workload. */
  readonly #sources = new Map<string, ReadonlyMap<string, CompileFacts>>();
  readonly #listeners = new Set<(key: WorkloadKey) => void>();

  /** After every compilation of a source, good or bad. An outcome that came to nothing says nothing of gateways: what is known stays. */
  record(source: string, revision: string, { units, isGood }: CompileOutcome): void {
    const before = this.#sources.get(source);
    if (units.length === 0 && !isGood && before !== undefined) return;
    this.#sources.set(
      source,
      new Map(
        units.map(({ digest, diagnostics, configHashes, statusReportingIntervalMs, backends, ...key }) => [
          workloadId(key),
          { revision, isGood, digest, diagnostics, configHashes, statusReportingIntervalMs, backends },
        ]),
      ),
    );
    for (const unit of units) for (const listener of this.#listeners) listener(unit);
  }

  /** The source is gone. */
  forget(source: string): void {
    this.#sources.delete(source);
  }

  /** @param source - which deploys it; undefined while it is not compiled */
  find(source: string, key: WorkloadKey): CompileFacts | undefined {
    return this.#sources.get(source)?.get(workloadId(key));
  }

  /** Sources that had it when they were last compiled. */
  sourcesOf(key: WorkloadKey): readonly string[] {
    return [...this.#sources].filter(([, units]) => units.has(workloadId(key))).map(([source]) => source);
  }

  /** Called for each workload of every compilation. Returns how to stop. */
  onChange(listener: (key: WorkloadKey) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
