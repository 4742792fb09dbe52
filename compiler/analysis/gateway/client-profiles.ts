/**
 * What clients, and the model interfaces behind them, do with the names of tools and with questions. Data, so that a client is added here
 * and nowhere else.
 */
export interface ClientProfile {
  /** As messages call it. */
  readonly title: string;
  /** The name that counts; `{server}` is what the user of the client calls the gateway. */
  readonly composed: string;
  /** The most characters of the composed name. */
  readonly maxLength?: number;
  /** What the tool's own name may consist of; clients that replace other characters have none. */
  readonly characters?: RegExp;
  /** Tools that a request may carry, or that the client takes. */
  readonly maxTools?: number;
  /** False for a client that is known to ask its user nothing on behalf of a server. */
  readonly elicitation?: false;
}

/** Tool names by the specification itself (revision 2025-11-25, server/tools, "Tool Names"). Every client may rely on it. */
export const MCP_NAMES: ClientProfile = {
  title: 'MCP',
  composed: '{tool}',
  maxLength: 128,
  characters: /^[A-Za-z0-9_.-]+$/,
};

/** Whether a name is one by itself, before any client adds to it. */
export function isMcpName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,128}$/.test(name);
}

/** What the field `name` of a function may be at OpenAI, Anthropic and Amazon Bedrock (Converse `ToolSpecification`). */
const FUNCTION_NAME = { composed: '{tool}', maxLength: 64, characters: /^[A-Za-z0-9_-]+$/ } as const;

export const CLIENT_PROFILES = {
  // anthropics/claude-code#19882, #22276: one longer name fails the request. It replaces other characters by "_".
  'claude-code': { title: 'Claude Code', composed: 'mcp__{server}__{tool}', maxLength: 64 },
  // barryw/ImmichMCP#3: "FrontendRemoteMcpToolDefinition.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'".
  // anthropics/claude-ai-mcp#153: the connector declares no `elicitation`, whatever the revision.
  'claude-desktop': { title: 'Claude Desktop', ...FUNCTION_NAME, elicitation: false },
  // ComposioHQ/composio#2788, PostHog/posthog#51483: a tool is left out when the two names together reach 60.
  // Snowflake-Labs/mcp#77: 80 tools, formerly 40.
  cursor: { title: 'Cursor', composed: '{server}{tool}', maxLength: 59, maxTools: 80 },
  // Its mcpServer.ts replaces other characters and cuts long names. microsoft/vscode-copilot-release#11653: 128 tools.
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

/** The profiles of these clients, or of the default ones. */
export function selectClientProfiles(clients: readonly ClientName[] = []): readonly ClientProfile[] {
  return (clients.length === 0 ? DEFAULT_CLIENTS : clients).map(client => CLIENT_PROFILES[client]);
}

/** How a client calls a tool. */
export function composedName({ composed }: ClientProfile, server: string, tool: string): string {
  return composed.replace(/\{(server|tool)\}/g, (_, part: string) => (part === 'server' ? server : tool));
}
