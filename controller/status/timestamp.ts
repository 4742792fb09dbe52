/**
 * A time as Kubernetes writes it into objects (RFC 3339, UTC, whole seconds). The API server would accept fractions, but then comparisons with
 * times written by Go clients would always differ.
 */
export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
