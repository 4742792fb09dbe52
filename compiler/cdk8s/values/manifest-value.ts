import type { SecretKeyRef } from '#schemas';
import { CaBundle } from './ca-bundle.ts';
import { SecretKey } from './secret.ts';

/** A manifest type in which secrets are {@link SecretKey} references. */
export type WithSecretKeys<T> = T extends SecretKeyRef
  ? SecretKey
  : T extends object
    ? { [K in keyof T]: WithSecretKeys<T[K]> }
    : T;

/** The manifest form of a value: references written out, undefined members removed. Never shares objects with its input. */
export function toManifestValue<T>(value: T): unknown {
  if (value instanceof SecretKey) return { name: value.name, key: value.key };
  if (value instanceof CaBundle) return { configMapRef: { name: value.name, key: value.key } };
  if (Array.isArray(value)) return value.map(item => toManifestValue(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, toManifestValue(member)]));
}
