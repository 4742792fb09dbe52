/** Disturbances while the controller works: failures of the API server, and edits by people. */
import fc from 'fast-check';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { type ControllerWorld, NAMESPACE, TYPES } from '../../support/controller-world.ts';
import type { ApiRequest } from '../../support/kube-api/request.ts';

export type Disturbance =
  | { readonly type: 'fault'; readonly status: 409 | 429 | 500 | 503; readonly skip: number; readonly times: number }
  | { readonly type: 'drop'; readonly when: 'before' | 'after'; readonly skip: number }
  | { readonly type: 'slow'; readonly skip: number }
  | { readonly type: 'watches'; readonly how: 'drop' | 'end' | 'expire' }
  /** A person changes or deletes one of the managed objects. */
  | { readonly type: 'edit' | 'delete'; readonly pick: number }
  /** Another client adds fields that the controller does not manage to a managed object. */
  | { readonly type: 'label'; readonly pick: number }
  | { readonly type: 'restart' }
  | { readonly type: 'kill'; readonly step: number; readonly phase: 'before' | 'after' }
  | { readonly type: 'clock'; readonly hours: number };

const skip = fc.nat(30);
const pick = fc.nat(999);
const of = (type: Disturbance['type'], more: { readonly [member: string]: fc.Arbitrary<unknown> } = {}) =>
  fc.record({ type: fc.constant(type), ...more }) as fc.Arbitrary<unknown> as fc.Arbitrary<Disturbance>;

export const anyDisturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  of('fault', { status: fc.constantFrom(409, 429, 500, 503), skip, times: fc.integer({ min: 1, max: 6 }) }),
  of('drop', { when: fc.constantFrom('before', 'after'), skip }),
  of('slow', { skip }),
  of('watches', { how: fc.constantFrom('drop', 'end', 'expire') }),
  of('edit', { pick }),
  of('delete', { pick }),
  of('label', { pick }),
  of('restart'),
  of('kill', { step: skip, phase: fc.constantFrom('before', 'after') }),
  of('clock', { hours: fc.constantFrom(-1, 1) }),
);

/** @param isLeft whether an object is no longer managed, so that edits of it persist */
export async function disturb(
  world: ControllerWorld,
  disturbance: Disturbance,
  isLeft: (object: KubeObject) => boolean,
): Promise<void> {
  const { api } = world;
  world.invariants.inputChanged();
  const matcher = (count: number) => {
    let left = count;
    const isOurs = ({ user, verb }: ApiRequest) =>
      user.name.startsWith('controller-') && verb !== 'watch' && verb !== 'list';
    return {
      when: (request: ApiRequest) => {
        const isMet = isOurs(request) && left-- <= 0;
        // An API server's response to a failed request is in no object, so it is recorded.
        if (isMet) world.invariants.inputChanged();
        return isMet;
      },
    };
  };
  switch (disturbance.type) {
    case 'fault':
      api.faults.next(matcher(disturbance.skip), { status: disturbance.status }, disturbance.times);
      return;
    case 'drop':
      api.faults.next(matcher(disturbance.skip), { drop: disturbance.when });
      return;
    case 'slow':
      api.faults.next(matcher(disturbance.skip), { hold: new Promise(resolve => setImmediate(resolve)) });
      return;
    case 'watches':
      if (disturbance.how === 'drop') api.dropWatches();
      else if (disturbance.how === 'end') api.endWatches();
      else {
        api.compact();
        api.expireWatches();
      }
      return;
    case 'restart':
      return await world.restart();
    case 'kill':
      return world.killAt(disturbance);
    case 'clock':
      world.nowMs += disturbance.hours * 3_600_000;
      return;
    default:
      return meddle(world, disturbance, isLeft);
  }
}

function meddle(
  { api }: ControllerWorld,
  { type, pick }: Extract<Disturbance, { pick: number }>,
  isLeft: (object: KubeObject) => boolean,
): void {
  const ours = TYPES.flatMap(type => api.objects(type, NAMESPACE)).filter(
    // No source desires the content of a record; without it only a rollback is impossible.
    object => !object.metadata.name.endsWith('-history') && !isLeft(object),
  );
  const object = ours[pick % Math.max(1, ours.length)];
  if (object === undefined) return;
  const { status: _, ...rest } = object;
  if (type === 'delete') {
    const { apiVersion, kind, metadata } = object;
    api.remove({ apiVersion, kind, namespace: NAMESPACE, name: metadata.name });
    return;
  }
  if (type === 'label') {
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, theirs: String(pick) } };
    api.put({ ...rest, metadata } as KubeObject, 'somebody');
    return;
  }
  const spec = edited(object);
  if (spec !== undefined) api.put({ ...rest, spec } as KubeObject, 'kubectl-edit');
}

/** A spec that the repository does not have; undefined where there is nothing to edit. */
function edited({ kind, spec }: KubeObject): object | undefined {
  switch (kind) {
    case 'MCPServerEntry':
      return { ...(spec as object), remoteUrl: 'https://theirs.example.com' };
    case 'Service':
      return { ...(spec as object), sessionAffinity: 'ClientIP' };
    case 'NetworkPolicy':
      return { ...(spec as object), egress: [] };
    case 'Deployment': {
      const { template } = spec as { readonly template: KubeObject };
      return {
        ...(spec as object),
        template: { ...template, spec: { ...(template.spec as object), enableServiceLinks: true } },
      };
    }
    default:
      return undefined;
  }
}
