/** Reads and writes the ConfigMaps that record which bundles were active. */
import { FIELD_MANAGER } from '#schemas';
import type { CompiledUnit } from '../compile/index.ts';
import { mapApiError } from './api-error.ts';
import { type ApplyContext, getSeen } from './apply-context.ts';
import type { LabelledObjects } from './desired-objects.ts';
import { toObjectKey } from './identity.ts';
import { type Activation, createRecord, parseActivations, withActivation, withActivations } from './record.ts';

type UnitManifests = Pick<CompiledUnit, 'manifests'>;

export class Records {
  readonly #on: ApplyContext;
  readonly #stamps: LabelledObjects;
  /** Hashes of the manifests in the last record of each gateway or registry server. */
  readonly #written = new Map<string, string>();

  constructor(on: ApplyContext, stamps: LabelledObjects) {
    this.#on = on;
    this.#stamps = stamps;
  }

  async listActivations(unit: UnitManifests, signal: AbortSignal): Promise<readonly Activation[]> {
    const record = createRecord(unit);
    if (record === undefined) return [];
    const key = toObjectKey(record);
    return parseActivations(await mapApiError({ key }, getSeen(this.#on, key, signal)));
  }

  /** Records, once, that every ready pod of a gateway or registry server runs its bundle. */
  async add(unit: UnitManifests & { readonly digest: string }, now: number, signal: AbortSignal): Promise<void> {
    const record = createRecord(unit);
    if (record === undefined) return;
    const key = toObjectKey(record);
    const title = `${key.namespace}/${key.name}`;
    const hashes = unit.manifests.map(manifest => this.#stamps.stamp(manifest).hash).join();
    if (this.#written.get(title) === hashes) return;
    const known = parseActivations(await mapApiError({ key }, this.#on.client.get(key, signal)));
    const activations = withActivation(known, unit, new Date(now).toISOString());
    if (activations !== undefined) {
      const { object } = this.#stamps.stamp(record);
      const options = { fieldManager: FIELD_MANAGER, force: true };
      await mapApiError({ key }, this.#on.client.apply(withActivations(object, activations), options, signal));
    }
    this.#written.set(title, hashes);
  }
}
