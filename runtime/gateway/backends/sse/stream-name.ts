import { hash } from 'node:crypto';

/** The name of a stream in messages between replicas. The address for messages works like a credential, so it is not the name. */
export function formatStreamName(address: string): string {
  return hash('sha256', address, 'base64url').slice(0, 22);
}
