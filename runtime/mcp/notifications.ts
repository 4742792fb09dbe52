/** What all notifications of MCP are called, those of its extensions included. */
export const NOTIFICATION_PREFIX = 'notifications/';

/**
 * Whether a message of this method may go without an id. JSON-RPC calls every message without one a notification, and a server
 * that knows no more than JSON-RPC executes it: `tools/call` without an id is a call whose response is not wanted.
 *
 * @see https://www.jsonrpc.org/specification#notification
 */
export function isNotification(method: string): boolean {
  return method.startsWith(NOTIFICATION_PREFIX);
}
