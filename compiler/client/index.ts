/** Asks any MCP server. */
export { meantTool } from './meant-tool.ts';
export { missingItems } from './missing-items.ts';
export { complaint, type RunningServer, runningServer, withoutToken } from './running-server.ts';
