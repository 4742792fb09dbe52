/** The final state of a cluster, without times and numbers of attempts. */
import type { KubeObject } from '../../../controller/kube/index.ts';
import { type ControllerWorld, NAMESPACE, TYPES } from '../controller-world.ts';

export function formatKey({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

/** All objects without their times, by `Kind/name`. */
export function listObjects(world: ControllerWorld): { readonly [key: string]: unknown } {
  const objects = TYPES.flatMap(type => world.api.objects(type, NAMESPACE));
  return Object.fromEntries(objects.map(object => [formatKey(object), withoutTimes(object)]));
}

/** The status of the source; for its inventory, whether uids are those of the objects. */
export function readSource(world: ControllerWorld): unknown {
  const { history = [], inventory, ...status } = world.status;
  const uids = new Map(
    TYPES.flatMap(type => world.api.objects(type, NAMESPACE)).map(object => [formatKey(object), object.metadata.uid]),
  );
  const entries = (inventory?.entries ?? []).map(({ id, v, uid }) => {
    const [, name, , kind] = id.split('_');
    return { id, v, isRight: uid === uids.get(`${kind}/${name}`) };
  });
  const latest = history[0];
  return masked({ ...status, entries, latest: latest && [latest.revision, latest.digest, latest.status] });
}

function withoutTimes(object: KubeObject): unknown {
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    generation: ____,
    managedFields = [],
    ...metadata
  } = object.metadata;
  const managers = managedFields.map(({ manager, operation, subresource, fieldsV1 }) => ({
    ...{ manager, operation, subresource, fieldsV1 },
  }));
  return masked({
    ...object,
    metadata: { ...metadata, managers: managers.sort((a, b) => (text(a) < text(b) ? -1 : 1)) },
  });
}

const text = (value: unknown): string => JSON.stringify(value);

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Names of pods end with a random part. */
const POD = /(-[0-9a-f]{10})-\d+\b/g;

function masked(value: object): unknown {
  return JSON.parse(text(value).replace(TIME, 'TIME').replace(POD, '$1-POD'), (key, member) =>
    key === 'observedGeneration' ? undefined : member,
  );
}
