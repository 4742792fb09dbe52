/** How clients, and the model APIs behind them, treat tool names and elicitation. This is data: a new client is added here and nowhere else. */
export interface ClientProfile {
  /** The client's name in messages. */
  readonly title: string;
  /** The name that is limited; `{server}` is the name that a person gives the gateway in the client. */
  readonly composed: string;
  /** Maximum length of the composed name. */
  readonly maxLength?: number;
  /** Characters allowed in the tool's own name; undefined for clients that replace other characters. */
  readonly characters?: RegExp;
  /** Maximum number of tools in a request, or that the client accepts. */
  readonly maxTools?: number;
  /** Set to false for a client that does not support elicitation. */
  readonly elicitation?: false;
}

/** The limits on tool names in the specification itself (revision 2025-11-25, server/tools, "Tool Names"), on which every client may rely. */
export const MCP_NAMES: ClientProfile = {
  title: 'MCP',
  composed: '{tool}',
  maxLength: 128,
  characters: /^[A-Za-z0-9_.-]+$/,
};

/** Whether a name is valid by itself, before a client adds anything. */
export function isMcpName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,128}$/.test(name);
}

/** The allowed `name` of a function at OpenAI, Anthropic and Amazon Bedrock (Converse `ToolSpecification`). */
const FUNCTION_NAME = { composed: '{tool}', maxLength: 64, characters: /^[A-Za-z0-9_-]+$/ } as const;

export const CLIENT_PROFILES = {
  // anthropics/claude-code#19882, #22276: one longer name fails the request. It replaces other characters by "_".
  'claude-code': { title: 'Claude Code', composed: 'mcp__{server}__{tool}', maxLength: 64 },
  // barryw/ImmichMCP#3: "FrontendRemoteMcpToolDefinition.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'".
  // anthropics/claude-ai-mcp#153: the connector declares no `elicitation` in any revision.
  'claude-desktop': { title: 'Claude Desktop', ...FUNCTION_NAME, elicitation: false },
  // ComposioHQ/composio#2788, PostHog/posthog#51483: a tool is left out when the two names together reach 60.
  // Snowflake-Labs/mcp#77: 80 tools, formerly 40.
  cursor: { title: 'Cursor', composed: '{server}{tool}', maxLength: 59, maxTools: 80 },
  // VS Code replaces other characters and cuts long names (mcpServer.ts). microsoft/vscode-copilot-release#11653: 128 tools.
  vscode: { title: 'VS Code', composed: '{tool}', maxTools: 128 },
  // API reference, "tools": "A max of 128 functions are supported".
  openai: { title: 'the OpenAI API', ...FUNCTION_NAME, maxTools: 128 },
  // docs.aws.amazon.com, API_runtime_ToolSpecification.
  bedrock: { title: 'Amazon Bedrock', ...FUNCTION_NAME },
} as const satisfies Readonly<Record<string, ClientProfile>>;

export type ClientName = keyof typeof CLIENT_PROFILES;

export function isClientName(name: string): name is ClientName {
  return Object.hasOwn(CLIENT_PROFILES, name);
}

export const DEFAULT_CLIENTS: readonly ClientName[] = ['claude-code'];

/** The profiles of these clients; without clients, the default profiles. */
export function selectClientProfiles(clients: readonly ClientName[] = []): readonly ClientProfile[] {
  return (clients.length === 0 ? DEFAULT_CLIENTS : clients).map(client => CLIENT_PROFILES[client]);
}

/** The name under which a client shows a tool to its model. */
export function composeName({ composed }: ClientProfile, server: string, tool: string): string {
  return composed.replace(/\{(server|tool)\}/g, (_, part: string) => (part === 'server' ? server : tool));
}
