/** Identifies webhook deliveries. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Proof } from './signature.ts';

const ID_HEADERS = [
  'x-github-delivery',
  'x-gitea-delivery',
  'x-forgejo-delivery',
  'webhook-id',
  'idempotency-key',
  'x-gitlab-event-uuid',
] as const;

/** Digests that identify a delivery: of its id, and of the signed content, because an unsigned id can be changed. */
export function listDeliveryKeys(
  source: string,
  headers: IncomingHttpHeaders,
  proof: Proof,
  body: Buffer,
): readonly string[] {
  const id = ID_HEADERS.map(name => headers[name]).find(value => typeof value === 'string' && value !== '');
  // A token signs nothing. GitLab's deliveries without ids are identified by their body alone.
  const signed = proof.type === 'standard' ? proof.id : '';
  const content = createHash('sha256')
    .update(JSON.stringify([source, 'content', signed]))
    .update(body)
    .digest('base64');
  if (id === undefined) return [content];
  return [
    content,
    createHash('sha256')
      .update(JSON.stringify([source, 'id', id]))
      .digest('base64'),
  ];
}

/** Whether a forge sent the delivery only to check that the address answers. */
export function isPing(headers: IncomingHttpHeaders): boolean {
  return ['x-github-event', 'x-gitea-event', 'x-forgejo-event'].some(name => headers[name] === 'ping');
}
