/** Parses responses of the API server. */
import type { Call } from './calls.ts';
import { KubeError } from './kube-error.ts';
import type { KubeObject } from './types.ts';

/** The whole text of a response; undefined when it exceeds the limit. */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

/**
 * Parses a response as JSON.
 * @throws KubeError
 */
export function parseDocument(call: Call, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeError('the answer is not JSON', { failure: 'unexpected', call: call.name });
  }
}

/**
 * Parses a response as an object of the cluster.
 * @throws KubeError
 */
export function parseObject(call: Call, text: string): KubeObject {
  let value: KubeObject | null = null;
  try {
    value = JSON.parse(text) as KubeObject | null;
  } catch {}
  if (typeof value?.kind !== 'string' || typeof value.metadata !== 'object') {
    throw new KubeError('the answer is not a Kubernetes object', { failure: 'unexpected', call: call.name });
  }
  return value;
}

/**
 * The texts of `Warning` headers.
 * @see RFC 7234, section 5.5: `299 - "text"`, as API servers write it
 */
export function parseWarnings(header: string | string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap(value => [...value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}
