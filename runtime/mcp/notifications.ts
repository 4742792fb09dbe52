/** The prefix of all notifications of MCP, including those of its extensions. */
export const NOTIFICATION_PREFIX = 'notifications/';

/**
 * Whether a message of this method may have no id. In JSON-RPC every message without an id is a notification, so a JSON-RPC server would execute
 * `tools/call` without an id, and send no response.
 *
 * @see https://www.jsonrpc.org/specification#notification
 */
export function isNotification(method: string): boolean {
  return method.startsWith(NOTIFICATION_PREFIX);
}
