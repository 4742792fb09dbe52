/** The tools that do more than return a result. */
import {
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type JsonSchemaType,
  type McpServer,
} from '@modelcontextprotocol/server';
import { NO_ARGUMENTS } from '../catalog/fixed-tools.ts';
import { pause, says, text } from '../catalog/samples.ts';
import type { Changes } from './changes.ts';

/** How long tools wait between two messages; milliseconds. */
const BETWEEN_MS = 50;

const WITH_HEADER: JsonSchemaType = {
  type: 'object',
  properties: { region: { type: 'string', ['x-mcp-header' as string]: 'Region' } },
  required: ['region'],
};

export const nothing = () => fromJsonSchema<Record<string, never>>(NO_ARGUMENTS);

export function addTools(server: McpServer, changes: Changes): void {
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports its progress three times.', inputSchema: nothing() },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
        await pause(BETWEEN_MS);
      }
      return says('Progressed.');
    },
  );

  server.registerTool(
    'test_logging_tool',
    { description: 'Writes a log message, for clients that want it.', inputSchema: nothing() },
    async (_, { mcpReq }) => {
      await mcpReq.log('info', 'Tool execution');
      return says('Logged.');
    },
  );

  server.registerTool(
    'test_missing_capability',
    { description: 'Cannot work without sampling.', inputSchema: nothing() },
    (_, { mcpReq }) => {
      if (inputResponse(mcpReq.inputResponses, 'sample').kind === 'sampling') return says('The client has sampling.');
      const messages = [{ role: 'user' as const, content: text('Say anything.') }];
      // Sent to every client: the SDK turns an elicitation that the client cannot answer into error -32021.
      return inputRequired({ inputRequests: { sample: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
    },
  );

  server.registerTool(
    'test_custom_header',
    {
      description: 'Has an argument that clients repeat in a header.',
      inputSchema: fromJsonSchema<{ region: string }>(WITH_HEADER),
    },
    ({ region }) => says(`Region: ${region}`),
  );

  server.registerTool(
    'test_trigger_tool_change',
    { description: 'Shows one tool more, or one less.', inputSchema: nothing() },
    () => {
      changes.toggleTool();
      return says('Changed.');
    },
  );

  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Shows one prompt more, or one less.', inputSchema: nothing() },
    () => {
      changes.togglePrompt();
      return says('Changed.');
    },
  );

  if (changes.hasTool) {
    server.registerTool('test_sometimes', { description: 'Comes and goes.', inputSchema: nothing() }, () =>
      says('Here.'),
    );
  }
}
