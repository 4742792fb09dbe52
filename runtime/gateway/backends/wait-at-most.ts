/** Resolves with an event, or after the time in milliseconds. */
export async function waitAtMost(event: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs).unref();
  await Promise.race([timeUp, event]);
  clearTimeout(timer);
}
