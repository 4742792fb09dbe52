/** The leaves of secrets that the gateway or registry server uses itself, besides the credentials of backends, and of the hosts that get them. */
import { isObject } from '#schemas';
import type { Alarm } from '../difference/difference.ts';
import { readOrigin } from '../difference/read-origin.ts';
import { type Comparison, credential, destination, type LeafChange, type Leaves } from './leaf.ts';

/** A secret, by its reference, or a part that has one. Removing it needs no alarm, since nothing gets the secret any more. */
export function secret(shown?: Comparison['shown']): Comparison {
  return { ...credential(shown), alarm: ({ is }) => (isPresent(is) ? 'otherSecret' : undefined) };
}

/** Where a secret value is read. */
export const SECRET_SOURCE_LEAVES: Leaves = { '.env': secret(), '.file': secret() };

/** @param why a change of this part of a credential needs no look first */
export function calmCredential(why: string, shown?: Comparison['shown']): Comparison & { readonly calm: string } {
  return { ...credential(shown), calm: why };
}

/** Whether secrets go where a leaf says, by the object that holds the leaf and by the whole plan. */
type CarriesSecret = (holder: unknown, plan: unknown) => boolean;

/** Where something is sent, with secrets or without: a URL, or a list of addresses. */
export function secretDestination(carriesSecret: CarriesSecret, shown?: Comparison['shown']): Comparison {
  return {
    ...destination(shown),
    alarm: change => (carriesSecret(change.holders.is, change.plans.is) ? findOtherHost(change) : undefined),
  };
}

/** The part that says where something is sent. */
export function secretDestinationPart(carriesSecret: CarriesSecret): Comparison {
  return {
    ...destination(),
    alarm: ({ was, is, plans }) =>
      !isPresent(was) && isPresent(is) && carriesSecret(is, plans.is) ? 'newCredential' : undefined,
  };
}

function findOtherHost({ was, is }: LeafChange): Alarm | undefined {
  const [old, now] = [listHosts(was), listHosts(is)];
  if (now.every(host => old.includes(host))) return undefined;
  return old.length === 0 ? 'newCredential' : 'otherHost';
}

/** The origins of URLs. Other texts, such as addresses, stay as they are. */
function listHosts(value: unknown): readonly string[] {
  return [value].flat().flatMap(text => (typeof text === 'string' ? [readOrigin(text)] : []));
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a member of an object is a list with items. */
export function hasItems(holder: unknown, name: string): boolean {
  const list = isObject(holder) ? holder[name] : undefined;
  return Array.isArray(list) && list.length > 0;
}

export function hasMember(holder: unknown, name: string): boolean {
  return isObject(holder) && isPresent(holder[name]);
}
