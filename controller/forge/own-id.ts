import type { ForgeApi } from './api.ts';
import { orUndefinedOn, readOptionalNumber } from './members.ts';

/** The id of the token's user; undefined when the token may not read it. */
export async function fetchOwnId(api: ForgeApi, signal: AbortSignal): Promise<number | undefined> {
  const user = await orUndefinedOn(
    api.call({ method: 'GET', path: '/user', what: 'report the user of the token' }, signal),
    'forbidden',
    'notFound',
  );
  return readOptionalNumber(user, 'id');
}
