/**
 * A time as Kubernetes writes it into objects (RFC 3339, UTC, whole seconds). With fractions the API server would take it too, but
 * every comparison with what clients in Go wrote would differ.
 */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
