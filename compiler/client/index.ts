/** Sends requests to any MCP server. */

export { formatMissingItems } from './missing-items.ts';
export { readRefusal } from './refusal.ts';
export { formatComplaint, type RunningServer, toRunningServer, withoutToken } from './running-server.ts';
export { suggestTools } from './suggest-tools.ts';
