/** What a backend receives with a request, and which hosts may answer as that backend. */

import { createLogger } from '#runtime';
import { type BackendPlan, findRefusedAddress, formatCanonicalJson } from '#schemas';
import { openCredentials } from '../../../runtime/gateway/backends/open-credentials.ts';
import type { Sender } from '../../../runtime/gateway/backends/sender.ts';
import type { HttpClient, SentRequest } from '../../../runtime/http/client.ts';
import { AUTHORITIES } from './world/authorities.ts';
import { tokenOfExchange } from './world/hosts.ts';

const log = createLogger('silent');

const PLACES = [
  ['outside', '93.184.215.14'],
  ['inside', '10.0.0.7'],
  ['on this machine', '127.0.0.1'],
] as const;

const placesOf = new Map<BackendPlan['addresses'], readonly string[]>();

/** Which authorities may certify the backend, and which addresses its name may have. */
export function listPeers({ addresses, caPem, url }: BackendPlan): readonly string[] {
  const places =
    placesOf.get(addresses) ??
    PLACES.flatMap(([place, address]) => (findRefusedAddress(address, addresses) === undefined ? [place] : []));
  placesOf.set(addresses, places);
  const authorities = url.startsWith('http:')
    ? ['nobody']
    : AUTHORITIES.flatMap(({ name, ca }) => (name === 'usual' || caPem?.includes(ca.trim()) ? [name] : []));
  return places.flatMap(place => authorities.map(by => `peer ${place} certified by ${by}`));
}

/** Caches headers, because many bundles have the same backends. */
export class SentHeaders {
  readonly #sent = new Map<string, Promise<string>>();

  /** The headers that a backend gets; callers' tokens are replaced by the callers' names. */
  of(plan: BackendPlan, passed: readonly string[], sender: Sender): Promise<string> {
    const { auth, headers, name } = plan;
    const hasToken = typeof sender.identity.caller?.token === 'string';
    const key = formatCanonicalJson({
      auth,
      headers,
      passed: passed.map(header => [header, sender.passed[header] ?? null]),
      name,
      hasToken,
    });
    const sent = this.#sent.get(key) ?? headersSent(plan, passed, sender);
    this.#sent.set(key, sent);
    return sent;
  }
}

/** The headers, or the reason why no request is sent. */
async function headersSent(plan: BackendPlan, passed: readonly string[], sender: Sender): Promise<string> {
  const opened = await openCredentials([plan], passed, log);
  const credentials = opened.get(plan.name);
  if (credentials === undefined) return '[]';
  try {
    return await new Promise<string>(resolve => {
      const wire = {
        dispatch: ({ headers }: SentRequest) => {
          resolve(shown(JSON.stringify(headers), sender));
          return true;
        },
      };
      const client = credentials.createClient({ calls: wire, requests: wire } as unknown as HttpClient, () => sender);
      const { origin, pathname } = new URL(plan.url);
      client.calls.dispatch(
        { origin, path: pathname, method: 'POST', headers: [], body: '{}' },
        { onResponseError: (_controller, error) => resolve(`nothing: ${error.message}`) },
      );
    });
  } finally {
    await credentials.close();
  }
}

function shown(headers: string, { identity: { caller } }: Sender): string {
  const token = caller?.token ?? null;
  return token === null
    ? headers
    : headers.replaceAll(/Bearer ([\w-]+)/g, (whole, bearer) => {
        const exchanged = tokenOfExchange(bearer);
        return exchanged === undefined
          ? whole
          : `Bearer for ${JSON.stringify(exchanged).replaceAll(encodeURIComponent(token), 'the token of the caller')}`;
      });
}
