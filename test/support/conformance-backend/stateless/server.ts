/** The server for a single request, made with the official SDK (v2). */
import {
  createRequestStateCodec,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { FIXED_TOOLS } from '../catalog/fixed-tools.ts';
import { complete, PROMPTS, promptNamed } from '../catalog/prompts.ts';
import { RESOURCE_TEMPLATES, RESOURCES, resourceAt } from '../catalog/resources.ts';
import { says, text } from '../catalog/samples.ts';
import type { Changes } from './changes.ts';
import { type DialogueState, nextQuestion, PROMPT_DIALOGUE, TOOL_DIALOGUES } from './dialogues.ts';
import { addTools, nothing } from './tools.ts';

const codec = createRequestStateCodec<DialogueState>({ key: crypto.getRandomValues(new Uint8Array(32)) });

export function statelessServer(changes: Changes): McpServer {
  const server = new McpServer(
    { name: 'conformance-stateless', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: {},
        completions: {},
        logging: {},
      },
      requestState: { verify: codec.verify },
    },
  );
  addFixedTools(server);
  addTools(server, changes);
  addDialogues(server);
  addPrompts(server, changes);
  addResources(server);
  return server;
}

function addFixedTools(server: McpServer): void {
  for (const { name, description, inputSchema, result } of FIXED_TOOLS) {
    const schema = fromJsonSchema(inputSchema as JsonSchemaType);
    server.registerTool(name, { description, inputSchema: schema }, () => result);
  }
}

function addDialogues(server: McpServer): void {
  for (const dialogue of TOOL_DIALOGUES) {
    const { name, description } = dialogue;
    server.registerTool(name, { description, inputSchema: nothing() }, async (_, context) => {
      return (await nextQuestion(dialogue, context, codec)) ?? says('Everything is known.');
    });
  }
}

function addPrompts({ server }: McpServer, changes: Changes): void {
  const { name, description } = PROMPT_DIALOGUE;
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      ...PROMPTS,
      { name, description },
      ...(changes.hasPrompt ? [{ name: 'test_sometimes', description: 'Comes and goes.' }] : []),
    ],
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt =
      params.name === name
        ? ((await nextQuestion(PROMPT_DIALOGUE, context, codec)) ?? {
            messages: [{ role: 'user' as const, content: text('With the context that was given.') }],
          })
        : promptNamed(params.name, params.arguments);
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt "${params.name}"`);
    return prompt;
  });
  server.setRequestHandler('completion/complete', ({ params }) => complete(params.argument.value));
}

function addResources({ server }: McpServer): void {
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => {
    const resource = resourceAt(params.uri);
    if (resource === undefined) throw new ResourceNotFoundError(params.uri);
    return resource;
  });
}
