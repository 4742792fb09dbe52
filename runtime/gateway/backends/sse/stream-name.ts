import { hash } from 'node:crypto';

/** The name of a stream in messages of replicas. The address that messages are posted to works like a credential. */
export function streamName(address: string): string {
  return hash('sha256', address, 'base64url').slice(0, 22);
}
