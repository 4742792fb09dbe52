/** Asks backends through the runtime: what is locked is what a gateway would see. */
import type { BackendResponse, ListQuery } from '#schemas';
import { MAX_RESPONSE_BYTES, queryRuntime } from './query-runtime.ts';

/**
 * Asks all backends; every one of them is in the answer, in any order.
 *
 * @param onAnswer called with each answer as it comes
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
