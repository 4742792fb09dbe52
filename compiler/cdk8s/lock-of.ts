import type { LockedBackend } from './tool.ts';

/** Before the first run of `lintel lock`, the lock belongs to no backend. */
type Lock = Pick<LockedBackend, 'key' | 'isUnlocked'>;

/** A backend as the tool lock knows it. */
export interface LockOwner {
  /** The namespace of the backend; undefined when the program does not set one. */
  readonly namespace: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/**
 * Why a lock belongs to another backend; undefined when it belongs to this one. With a wrong lock, the types would describe tools that the backend
 * does not have, and the compiler would check the program against the tools of the other backend.
 */
export function foreignLock({ key, isUnlocked }: Lock, { namespace, kind, name }: LockOwner): string | undefined {
  if (isUnlocked === true) return undefined;
  const [lockedIn = '', ...path] = key.split('/');
  const own = `${namespace ?? lockedIn}/${kind}/${name}`;
  if (own === [lockedIn, ...path].join('/')) return undefined;
  return `the lock is that of "${key}", and this is "${own}": give it its own, which \`lintel lock --types\` writes`;
}

/**
 * Does the same as {@link foreignLock} for a backend whose kind and namespace are unknown here.
 * @throws TypeError that names both
 */
export function refuseForeignLock(locked: Lock | undefined, name: string): void {
  if (locked === undefined || locked.isUnlocked === true || locked.key.endsWith(`/${name}`)) return;
  throw new TypeError(`the lock is that of "${locked.key}", and this backend is named "${name}"`);
}
