/** Sends requests to any MCP server. */
export { suggestTools } from './meant-tool.ts';
export { formatMissingItems } from './missing-items.ts';
export { formatComplaint, type RunningServer, toRunningServer, withoutToken } from './running-server.ts';
