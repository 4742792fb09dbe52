/** Converts failures of the store to errors of oidc-provider. */
import { errors } from 'oidc-provider';
import { type Store, StoreUnavailableError } from './store.ts';

/**
 * Lets oidc-provider answer `temporarily_unavailable` (RFC 6749, section 4.1.2.1) while the store is unavailable, so that clients retry with
 * their tokens. After `server_error`, clients would make people sign in again.
 */
export function serializeForEngine(store: Store): Store {
  const translated =
    <A extends unknown[], T>(step: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      step(...args).catch(throwTranslated);
  return {
    get: translated((area, name) => store.get(area, name)),
    put: translated((area, name, value, options) => store.put(area, name, value, options)),
    take: translated((area, name) => store.take(area, name)),
    use: translated((area, name, at, since) => store.use(area, name, at, since)),
    touch: translated((keys, ttlSeconds, group) => store.touch(keys, ttlSeconds, group)),
    delete: translated((area, name) => store.delete(area, name)),
    listGroup: translated((group, area) => store.listGroup(group, area)),
    deleteGroup: translated(group => store.deleteGroup(group)),
    lock: translated((name, ttlMs) => store.lock(name, ttlMs)),
    get kind() {
      return store.kind;
    },
    get problem() {
      return store.problem;
    },
    close: () => store.close(),
  };
}

/** Whether a request failed because the store is unavailable. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof StoreUnavailableError || (error as Error | undefined)?.cause instanceof StoreUnavailableError;
}

function throwTranslated(error: unknown): never {
  if (!(error instanceof StoreUnavailableError)) throw error;
  const answer = new errors.TemporarilyUnavailable('the server cannot reach its store now', { cause: error });
  throw Object.assign(answer, { status: 503, statusCode: 503 });
}
