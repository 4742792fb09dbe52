/** The records of units, as they are in the cluster. */
import { FIELD_MANAGER } from '#schemas';
import type { CompiledUnit } from '../compile/outcome.ts';
import type { Stamps } from './desired.ts';
import { keyOf } from './identity.ts';
import { type OnBehalf, seen } from './on-behalf.ts';
import { type Activation, activationsIn, recordOf, withActivation, withActivations } from './record.ts';
import { told } from './refusal.ts';

type Manifested = Pick<CompiledUnit, 'manifests'>;

export class Records {
  readonly #on: OnBehalf;
  readonly #stamps: Stamps;
  /** What was last written of a unit: the hashes of its manifests. */
  readonly #written = new Map<string, string>();

  constructor(on: OnBehalf, stamps: Stamps) {
    this.#on = on;
    this.#stamps = stamps;
  }

  async of(unit: Manifested, signal: AbortSignal): Promise<readonly Activation[]> {
    const record = recordOf(unit);
    if (record === undefined) return [];
    const key = keyOf(record);
    return activationsIn(await told({ key }, seen(this.#on, key, signal)));
  }

  /** Writes down that every ready pod of a unit runs its bundle; once. */
  async add(unit: Manifested & { readonly digest: string }, now: number, signal: AbortSignal): Promise<void> {
    const record = recordOf(unit);
    if (record === undefined) return;
    const key = keyOf(record);
    const title = `${key.namespace}/${key.name}`;
    const hashes = unit.manifests.map(manifest => this.#stamps.of(manifest).hash).join();
    if (this.#written.get(title) === hashes) return;
    const known = activationsIn(await told({ key }, this.#on.client.get(key, signal)));
    const activations = withActivation(known, unit, new Date(now).toISOString());
    if (activations !== undefined) {
      const { object } = this.#stamps.of(record);
      const options = { fieldManager: FIELD_MANAGER, force: true };
      await told({ key }, this.#on.client.apply(withActivations(object, activations), options, signal));
    }
    this.#written.set(title, hashes);
  }
}
