/** How a client gets a token for a server. */
import { examineChallenge } from './challenge.ts';
import { HttpClient } from './http.ts';
import { examineResourceMetadata } from './resource-metadata.ts';

/**
 * `none`: the server answers without a token; `browser`: it says where a client signs people in; `token`: it demands a token, and does not say
 * where a client gets it.
 */
export type SignIn = 'none' | 'browser' | 'token';

/** @returns undefined if the server does not answer, or answers with something else */
export async function findSignIn(url: URL, timeoutMs: number): Promise<SignIn | undefined> {
  const http = new HttpClient({ timeoutMs, named: url });
  const { hop, value } = await examineChallenge(url, http);
  if (hop.problems.some(({ id }) => id === 'open')) return 'none';
  if (value === undefined || hop.problems.some(({ id }) => id === 'forbidden')) return undefined;
  const resource = await examineResourceMetadata(url, value, http);
  return resource.hop.outcome === 'broken' ? 'token' : 'browser';
}
