import type { LockedBackend } from './tool.ts';

/** Before the first lock it belongs to no backend. */
type Lock = Pick<LockedBackend, 'key' | 'isUnlocked'>;

/** A backend as the tool lock knows it. */
export interface LockOwner {
  /** Undefined where the program does not say it. */
  readonly namespace: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/**
 * Why a lock is not the one of the backend that it is given to: the program would be typed with tools that it does not have, and
 * the compiler would look at others.
 */
export function foreignLock({ key, isUnlocked }: Lock, { namespace, kind, name }: LockOwner): string | undefined {
  if (isUnlocked === true) return undefined;
  const [lockedIn = '', ...path] = key.split('/');
  const own = `${namespace ?? lockedIn}/${kind}/${name}`;
  if (own === [lockedIn, ...path].join('/')) return undefined;
  return `the lock is that of "${key}", and this is "${own}": give it its own, which \`lintel lock --types\` writes`;
}

/**
 * The same for a backend whose kind and namespace are not known here.
 *
 * @throws TypeError naming both
 */
export function refuseForeignLock(locked: Lock | undefined, name: string): void {
  if (locked === undefined || locked.isUnlocked === true || locked.key.endsWith(`/${name}`)) return;
  throw new TypeError(`the lock is that of "${locked.key}", and this backend is named "${name}"`);
}
