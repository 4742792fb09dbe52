/** Queries backends through the runtime, so that the lock contains exactly what a gateway would see. */
import type { BackendResponse, ListQuery } from '#schemas';
import { MAX_RESPONSE_BYTES, queryRuntime } from './query-runtime.ts';

/**
 * Queries all backends; the result has all of them, in any order.
 * @param onAnswer called with each answer as it arrives
 */
export async function listBackends(
  listQuery: ListQuery,
  onAnswer?: (answer: BackendResponse) => void,
): Promise<readonly BackendResponse[]> {
  if (listQuery.backends.length === 0) return [];
  const { answers, isTooLarge, ended } = await queryRuntime<BackendResponse>('list', listQuery, onAnswer);
  const missing = listQuery.backends.filter(({ key }) => !answers.some(answer => answer.key === key));
  if (missing.length === 0) return answers;
  if (!isTooLarge) throw new Error(ended);
  const message = `the answers of all backends are larger than ${MAX_RESPONSE_BYTES} bytes`;
  return [...answers, ...missing.map(({ key }) => ({ key, ok: false as const, message }))];
}
