/** Asks any MCP server. */
export { meantTool } from './meant-tool.ts';
export { complaint, type RunningServer, runningServer } from './running-server.ts';
