/** The tools that send messages or requests to the client while they run. */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  type CallToolResult,
  CreateMessageResultSchema,
  ElicitResultSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { NO_ARGUMENTS } from '../catalog/fixed-tools.ts';
import { pause, says } from '../catalog/samples.ts';
import { CHOICES, DEFAULTS, USER } from './questions.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface TalkingTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly call: (params: CallToolRequest['params'], extra: Extra) => Promise<CallToolResult>;
}

/** How long tools wait between two messages; milliseconds. */
const BETWEEN_MS = 50;

const withText = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' } },
  required: [name],
});

export const TALKING_TOOLS: readonly TalkingTool[] = [
  {
    name: 'test_tool_with_logging',
    description: 'Writes three log messages.',
    inputSchema: NO_ARGUMENTS,
    call: async (_params, { sendNotification }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await pause(BETWEEN_MS);
      }
      return says('Logged.');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports its progress three times.',
    inputSchema: NO_ARGUMENTS,
    call: async ({ _meta }, { sendNotification }) => {
      const progressToken = _meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 100 };
          await sendNotification({ method: 'notifications/progress', params });
        }
        await pause(BETWEEN_MS);
      }
      return says('Progressed.');
    },
  },
  {
    name: 'test_sampling',
    description: "Asks the client's model.",
    inputSchema: withText('prompt'),
    call: async (params, { sendRequest }) => {
      const content = { type: 'text' as const, text: String(params.arguments?.prompt) };
      const asked = { messages: [{ role: 'user' as const, content }], maxTokens: 100 };
      const answer = await sendRequest({ method: 'sampling/createMessage', params: asked }, CreateMessageResultSchema);
      return says(`LLM response: ${JSON.stringify(answer.content)}`);
    },
  },
  {
    name: 'test_elicitation',
    description: 'Asks the person for a name and an address.',
    inputSchema: withText('message'),
    call: (params, extra) => elicit(extra, String(params.arguments?.message), USER),
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the person, with an answer proposed for each field.',
    inputSchema: NO_ARGUMENTS,
    call: (_params, extra) => elicit(extra, 'Please check the proposed values.', DEFAULTS),
  },
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the person to choose.',
    inputSchema: NO_ARGUMENTS,
    call: (_params, extra) => elicit(extra, 'Please choose.', CHOICES),
  },
  {
    name: 'test_reconnection',
    description: 'Closes the stream of its answer before it answers; the client has to come back for it.',
    inputSchema: NO_ARGUMENTS,
    call: async (_params, { closeSSEStream }) => {
      await pause(BETWEEN_MS);
      closeSSEStream?.();
      await pause(2 * BETWEEN_MS);
      return says('Reconnected.');
    },
  },
];

async function elicit({ sendRequest }: Extra, message: string, requestedSchema: typeof USER): Promise<CallToolResult> {
  const params = { mode: 'form' as const, message, requestedSchema };
  const { action, content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}
