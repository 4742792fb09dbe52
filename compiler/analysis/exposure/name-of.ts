import type { ObjectName } from './exposure.ts';

export function nameOf({ kind, name }: ObjectName): ObjectName {
  return { kind, name };
}
