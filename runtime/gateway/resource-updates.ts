const UPDATED = 'notifications/resources/updated';

/** The URI that a message of a backend (JSON text) says has changed; undefined for any other message. */
export function updatedResource(json: string): string | undefined {
  // Most messages are others. The whole name would not do: some servers write a slash with a backslash in front.
  if (!json.includes('updated')) return undefined;
  const { method, params } = JSON.parse(json) as { method?: unknown; params?: { uri?: unknown } | null };
  if (method !== UPDATED) return undefined;
  return typeof params?.uri === 'string' ? params.uri : '';
}
