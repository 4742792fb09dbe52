/** The parts of a plan that derived leaves are about, out of an exposure that may come from a file. */
import type { GatewayBundle } from '#schemas';
import { isMapping } from '../../../source/is-mapping.ts';
import type { Exposure } from '../../exposure.ts';

export type Plan = Pick<GatewayBundle, 'incomingAuth' | 'authorization' | 'aggregation' | 'backends'>;

/** Exposures show these parts as they are. Undefined where one is not what a bundle has. */
export function readPlan({ plan }: Exposure): Plan | undefined {
  if (plan === undefined) return undefined;
  const { incomingAuth, authorization, aggregation, backends } = plan;
  const isWhole =
    isMapping(incomingAuth) &&
    typeof incomingAuth.type === 'string' &&
    isMapping(aggregation) &&
    typeof aggregation.strategy === 'string' &&
    isAuthorization(authorization) &&
    isListOf(backends, isBackend);
  return isWhole ? (plan as unknown as Plan) : undefined;
}

function isAuthorization(value: unknown): boolean {
  if (!isMapping(value)) return false;
  if (value.engine === 'none') return true;
  const isPolicy = (policy: unknown) => isMapping(policy) && typeof policy.text === 'string';
  return isListOf(value.policies, isPolicy) && isListOf(value.entities, isEntity);
}

function isEntity(value: unknown): boolean {
  return isMapping(value) && isUid(value.uid) && isListOf(value.parents, isUid) && isMapping(value.attrs);
}

function isUid(value: unknown): boolean {
  return isMapping(value) && typeof value.type === 'string' && typeof value.id === 'string';
}

function isBackend(value: unknown): boolean {
  if (!isMapping(value) || typeof value.name !== 'string' || !isMapping(value.tools)) return false;
  const { prefix, advertise } = value.tools;
  if (typeof prefix !== 'string' || !isMapping(advertise)) return false;
  if (advertise.type === 'only') return isListOf(advertise.names, name => typeof name === 'string');
  return advertise.type === 'all' || advertise.type === 'none';
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
