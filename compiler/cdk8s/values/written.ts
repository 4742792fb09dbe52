import type { SecretKeyRef } from '#schemas';
import { CaBundle } from './ca-bundle.ts';
import { SecretKey } from './secret.ts';

/** The shape of a manifest in which secrets are referred to by {@link SecretKey}. */
export type Referring<T> = T extends SecretKeyRef
  ? SecretKey
  : T extends object
    ? { [K in keyof T]: Referring<T[K]> }
    : T;

/** As it stands in a manifest: references written out, and nothing that is undefined. Never shares objects with what it got. */
export function toManifestValue<T>(value: T): unknown {
  if (value instanceof SecretKey) return { name: value.name, key: value.key };
  if (value instanceof CaBundle) return { configMapRef: { name: value.name, key: value.key } };
  if (Array.isArray(value)) return value.map(item => toManifestValue(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, toManifestValue(member)]));
}
