/** The two tools that clients see in place of all others. */
import { CALL_TOOL, FIND_TOOL } from '#schemas';
import { PreparedList } from '../offers/prepared-list.ts';

const FIND = {
  name: FIND_TOOL,
  title: 'Find tools',
  description:
    'Finds the tools for a task. Most tools of this server are not listed: describe what you want to do, and get the definitions of ' +
    'those that fit best. Call one of them with call_tool.',
  inputSchema: {
    type: 'object',
    properties: {
      tool_description: { type: 'string', description: 'What the tool should do, in a sentence' },
      tool_keywords: {
        type: 'array',
        items: { type: 'string' },
        description: 'Keywords to search for; without them, the words of the description are used',
      },
    },
    required: ['tool_description'],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

const CALL = {
  name: CALL_TOOL,
  title: 'Call a tool',
  description: 'Calls a tool that find_tool has found.',
  inputSchema: {
    type: 'object',
    properties: {
      tool_name: { type: 'string', description: 'Name of the tool, as find_tool gave it' },
      parameters: { type: 'object', description: "Arguments of the tool, by the tool's own inputSchema" },
    },
    required: ['tool_name', 'parameters'],
  },
};

export const OPTIMIZER_TOOLS: PreparedList = new PreparedList(
  'tools',
  [FIND, CALL].map(tool => ({ key: tool.name, json: JSON.stringify(tool) })),
);
