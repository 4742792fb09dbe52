import type { ForgeApi } from './api.ts';
import { maybeNumber, orNone } from './members.ts';

/** The id of the token's user; undefined when the token may not read it. */
export async function ownId(api: ForgeApi, signal: AbortSignal): Promise<number | undefined> {
  const user = await orNone(
    api.call({ method: 'GET', path: '/user', what: 'tell whose token it is' }, signal),
    'forbidden',
    'notFound',
  );
  return maybeNumber(user, 'id');
}
