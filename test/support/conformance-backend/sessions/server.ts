/** One session's server, made with the official SDK (v1). */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { FIXED_TOOLS } from '../catalog/fixed-tools.ts';
import { complete, PROMPTS, promptNamed } from '../catalog/prompts.ts';
import { RESOURCE_TEMPLATES, RESOURCES, resourceAt } from '../catalog/resources.ts';
import { TALKING_TOOLS } from './tools.ts';

const CAPABILITIES = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };

export function sessionServer(): Server {
  const server = new Server({ name: 'conformance-sessions', version: '1.0.0' }, { capabilities: CAPABILITIES });
  addTools(server);
  addPrompts(server);
  addResources(server);
  return server;
}

function addTools(server: Server): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...FIXED_TOOLS.map(({ result: _, ...shown }) => shown),
      ...TALKING_TOOLS.map(({ call: _, ...shown }) => shown),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const fixed = FIXED_TOOLS.find(({ name }) => name === params.name);
    if (fixed !== undefined) return fixed.result;
    const tool = TALKING_TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return tool.call(params, extra);
  });
}

function addPrompts(server: Server): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: PROMPTS }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = promptNamed(params.name, params.arguments);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    return prompt;
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => complete(params.argument.value));
}

function addResources(server: Server): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: RESOURCES }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    const resource = resourceAt(params.uri);
    // The code in these revisions; a later one uses -32602 instead.
    if (resource === undefined) throw new McpError(-32002, 'Resource not found', { uri: params.uri });
    return resource;
  });
  // Nothing here changes, so subscribers get no notification.
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}
