/**
 * The messages between the controller and a worker process. In a large repository little changes between revisions, and copying everything would take
 * longer than compiling: data that the receiver already has is referred to by name.
 */
import type { KubeObject } from '../kube/types.ts';
import { shareStrings } from '../tuning/shared-strings.ts';
import type { CompiledUnit, CompileOutcome, EmbeddingUnit } from './outcome.ts';
import type { CompileRequest } from './request.ts';

/** To the worker. */
export type WorkerRequest = Omit<CompileRequest, 'key' | 'clusterTexts'> & {
  /** Cluster objects as texts; undefined when they are unchanged since the last request. */
  readonly clusterTexts: ReadonlyMap<string, string> | undefined;
};

/** From the worker. */
export type WorkerResponse = Omit<CompileOutcome, 'units' | 'objects' | 'embeddingServers'> & {
  readonly embeddingServers: readonly SentValue<EmbeddingUnit>[];
  readonly units: readonly SentValue<CompiledUnit>[];
  readonly objects: readonly SentValue<KubeObject>[];
};

/** A value with its name; undefined when unchanged since it was last sent under this name. */
export interface SentValue<T> {
  readonly key: string;
  readonly value: T | undefined;
}

/** The worker's side: remembers what it has sent. */
export class OutcomeSender {
  readonly #units = new Outbox<CompiledUnit>(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`);
  readonly #embeddingServers = new Outbox<EmbeddingUnit>(({ namespace, name }) => `${namespace}/${name}`);
  readonly #objects = new Outbox<KubeObject>(
    ({ apiVersion, kind, metadata }) => `${apiVersion}/${kind}/${metadata.namespace}/${metadata.name}`,
  );

  answer(outcome: CompileOutcome): WorkerResponse {
    return {
      ...outcome,
      units: this.#units.send(outcome.units),
      embeddingServers: this.#embeddingServers.send(outcome.embeddingServers ?? []),
      objects: this.#objects.send(outcome.objects),
    };
  }
}

/** The controller's side: remembers what it has received. */
export class Receiver {
  #units: ReadonlyMap<string, CompiledUnit> = new Map();
  #embeddingServers: ReadonlyMap<string, EmbeddingUnit> = new Map();
  #objects: ReadonlyMap<string, KubeObject> = new Map();

  /** Restores an outcome from a response. What is unchanged is the same object as in the last outcome. */
  outcome(answer: WorkerResponse): CompileOutcome {
    this.#units = receiveValues(answer.units, this.#units);
    this.#embeddingServers = receiveValues(answer.embeddingServers, this.#embeddingServers);
    this.#objects = receiveValues(answer.objects, this.#objects);
    return {
      ...answer,
      units: [...this.#units.values()],
      embeddingServers: [...this.#embeddingServers.values()],
      objects: [...this.#objects.values()],
    };
  }
}

class Outbox<T> {
  readonly #toKey: (value: T) => string;
  #sent: ReadonlyMap<string, T> = new Map();

  constructor(toKey: (value: T) => string) {
    this.#toKey = toKey;
  }

  send(values: readonly T[]): readonly SentValue<T>[] {
    const now = new Map(values.map(value => [this.#toKey(value), value]));
    const sent = [...now].map(([key, value]) => ({ key, value: this.#sent.get(key) === value ? undefined : value }));
    this.#sent = now;
    return sent;
  }
}

function receiveValues<T>(sent: readonly SentValue<T>[], before: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map(
    sent.map(({ key, value }) => {
      const known = value === undefined ? before.get(key) : shareStrings(value);
      if (known === undefined) throw new Error(`the compiler sent ${key} as unchanged, but had never sent its value`);
      return [key, known];
    }),
  );
}
