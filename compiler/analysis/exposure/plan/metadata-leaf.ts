/** The metadata of a backend: for reports only, apart from the server behind a proxy that another operator runs. */
import { getMember } from '#schemas';
import { readOrigin } from '../difference/read-origin.ts';
import type { Comparison, LeafChange } from './leaf.ts';
import { formatDigest, toShownUrl } from './plan-view.ts';

/** The gateway only knows the address of the proxy. The proxy sends requests there, with the secrets that it adds. */
const REMOTE = 'remote_url';

/** The member that says what a backend is. The URL of an MCPServerEntry is that of the backend itself, which is compared as a leaf of its own. */
const TYPE = 'workload_type';
const PROXY = 'remote_proxy';

export const METADATA: Comparison = {
  meaning: 'none',
  effect: change => (isRemote(change) ? 'mixed' : 'same'),
  alarm: change =>
    isRemote(change) && readOrigin(String(change.was)) !== readOrigin(String(change.is)) ? 'otherHost' : undefined,
  shown: (value, name) => (name === REMOTE ? toShownUrl(value) : name === TYPE ? value : formatDigest(value)),
};

/** Whether a proxy that both sides have now sends its requests to another server. */
function isRemote({ was, is, holders }: LeafChange): boolean {
  const [old, now] = [getMember(holders.was, REMOTE), getMember(holders.is, REMOTE)];
  const isProxy = [holders.was, holders.is].every(holder => getMember(holder, TYPE) === PROXY);
  return isProxy && old !== now && was === old && is === now;
}
