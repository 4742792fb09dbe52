/** Resolves with an event, or when the time for it is over; milliseconds. */
export async function waitAtMost(event: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs).unref();
  await Promise.race([timeUp, event]);
  clearTimeout(timer);
}
