import type { ObjectName } from './exposure.ts';

export function pickName({ kind, name }: ObjectName): ObjectName {
  return { kind, name };
}
