/**
 * A bundle as an exposure may show it: values that could contain a secret are replaced by digests, and URLs lose user information and
 * query. Equal views mean equal bundles.
 */

import type { GatewayBundle, RegistryBundle } from '#schemas';
import { isObject } from '#schemas';
import { computeDefinitionDigest } from '../definition-digest.ts';
import { redactUrl } from '../redact-url.ts';
import type { Leaves } from './leaf.ts';
import { formatSortedJson } from './sorted-json.ts';

type Bundle = GatewayBundle | RegistryBundle;

/** The view omits the metadata about how the bundle was made. */
export type PlanView = { readonly [member: string]: unknown };

export function planView({ origin: _, ...plan }: Bundle, leaves: Leaves): PlanView {
  return toShownValue(JSON.parse(formatSortedJson(plan)), '', leaves) as PlanView;
}

/** @param name of the member that holds the value */
function toShownValue(value: unknown, pattern: string, leaves: Leaves, name = ''): unknown {
  const claimed = Object.hasOwn(leaves, pattern) ? leaves[pattern] : undefined;
  if (value === null || claimed?.shown === 'digest') return value === null ? null : formatDigest(value);
  if (typeof claimed?.shown === 'function') return claimed.shown(value, name);
  if (claimed?.shown === 'url') return Array.isArray(value) ? value.map(toShownUrl) : toShownUrl(value);
  if (Array.isArray(value)) {
    const isList = Object.hasOwn(leaves, `${pattern}[]`);
    if (isList) return value.map(item => toShownValue(item, `${pattern}[]`, leaves));
    return claimed === undefined ? formatDigest(value) : value;
  }
  if (!isObject(value)) return claimed === undefined ? formatDigest(value) : value;
  const isBelow = (prefix: string) => Object.keys(leaves).some(element => element.startsWith(prefix));
  const isDictionary = isBelow(`${pattern}{}`);
  // Compared as a whole, and shown unchanged.
  if (claimed !== undefined && !isDictionary && !isBelow(`${pattern}.`)) return value;
  const join = (name: string) => (isDictionary ? `${pattern}{}` : pattern === '' ? name : `${pattern}.${name}`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, toShownValue(member, join(name), leaves, name)]),
  );
}

/** A URL without secrets, and with a digest if a part is hidden, since that part may differ although the displayed part is equal. */
export function toShownUrl(url: unknown): unknown {
  if (typeof url !== 'string') return url;
  const { search = '', hash = '', username = '', password = '' } = URL.parse(url) ?? {};
  const isWhole = URL.canParse(url) && [search, hash, username, password].every(part => part === '');
  return isWhole ? redactUrl(url) : `${redactUrl(url)} (${formatDigest(url)})`;
}

export function formatDigest(value: unknown): string {
  return computeDefinitionDigest(value);
}
