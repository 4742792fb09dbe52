import { getMember } from '#schemas';
import type { Inventory } from '../../resolve/inventory.ts';

/** The value of a Secret's key, if the Secret is in the sources. For checks only: it must not reach any output. */
export function secretValue(inventory: Inventory, namespace: string, name: string, key: string): Buffer | undefined {
  const secret = inventory.find('Secret', namespace, name)?.spec;
  const plain = getMember(getMember(secret, 'stringData'), key);
  if (typeof plain === 'string') return Buffer.from(plain);
  const encoded = getMember(getMember(secret, 'data'), key);
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : undefined;
}
