/** The supported clients, and the form of each client's entry for a gateway. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CLIENTS = ['claude', 'claude-desktop', 'cursor', 'vscode', 'codex', 'inspector'] as const;

export type ClientId = (typeof CLIENTS)[number];

export interface Connection {
  /** The client's name for the gateway. */
  readonly name: string;
  /** The URL of the MCP endpoint. */
  readonly url: string;
  /** Environment variable with a token; undefined when the client signs people in, or the gateway requires no token. */
  readonly tokenVariable: string | undefined;
}

/** A member of a JSON file or a table of a TOML file. */
export interface ClientEntry {
  readonly path: readonly string[];
  readonly value: object;
}

export interface KnownClient {
  readonly title: string;
  /** The client's file; undefined for a client without a writable file. */
  readonly file: string | undefined;
  readonly format: 'json' | 'toml';
  /** Whether its file can refer to an environment variable for a token. */
  readonly hasVariables: boolean;
  /** Where the person signs in to a server that asks for it; a sentence without its end. */
  signIn(name: string): string;
  entry(connection: Connection): ClientEntry;
  /** A further list item that the entry needs elsewhere in the file; skipped when it exists. */
  companion?(connection: Connection): ClientEntry | undefined;
}

const INPUT = 'lintel-token';

export const KNOWN_CLIENTS: Readonly<Record<Exclude<ClientId, 'inspector'>, KnownClient>> = {
  claude: {
    title: 'Claude Code',
    file: '.mcp.json',
    format: 'json',
    hasVariables: true,
    signIn: name => `in Claude Code, /mcp signs you in to ${name}`,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcpServers', name],
      value: { type: 'http', url, ...buildBearer(tokenVariable, variable => `\${${variable}}`) },
    }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    get file() {
      return findDesktopFile();
    },
    format: 'json',
    hasVariables: false,
    signIn: () => 'when Claude Desktop starts, mcp-remote opens the page in your browser',
    // For clients whose file supports stdio programs only.
    entry: ({ name, url }) => ({
      path: ['mcpServers', name],
      value: { command: 'npx', args: ['-y', 'mcp-remote', url, ...(url.startsWith('http:') ? ['--allow-http'] : [])] },
    }),
  },
  cursor: {
    title: 'Cursor',
    file: join('.cursor', 'mcp.json'),
    format: 'json',
    hasVariables: true,
    signIn: name => `Cursor offers the sign-in next to ${name} in its settings`,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcpServers', name],
      value: { url, ...buildBearer(tokenVariable, variable => `\${env:${variable}}`) },
    }),
  },
  vscode: {
    title: 'VS Code',
    file: join('.vscode', 'mcp.json'),
    format: 'json',
    hasVariables: true,
    signIn: name => `VS Code opens the page when it starts ${name}`,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['servers', name],
      value: { type: 'http', url, ...buildBearer(tokenVariable, () => `\${input:${INPUT}}`) },
    }),
    // VS Code asks the person for the token once, and keeps it in its secret storage.
    companion: ({ tokenVariable }) =>
      tokenVariable === undefined
        ? undefined
        : { path: ['inputs'], value: { type: 'promptString', id: INPUT, description: tokenVariable, password: true } },
  },
  codex: {
    title: 'Codex',
    get file() {
      return join(process.env.CODEX_HOME ?? join(homedir(), '.codex'), 'config.toml');
    },
    format: 'toml',
    hasVariables: true,
    signIn: name => `\`codex mcp login ${name}\` opens the page`,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcp_servers', name],
      value: { url, ...(tokenVariable !== undefined && { bearer_token_env_var: tokenVariable }) },
    }),
  },
};

function buildBearer(variable: string | undefined, reference: (variable: string) => string): object {
  return variable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(variable)}` } };
}

/** @see https://modelcontextprotocol.io/docs/develop/connect-local-servers */
function findDesktopFile(): string {
  return join(findConfigFolder(), 'Claude', 'claude_desktop_config.json');
}

/** The configuration folder of desktop programs. */
export function findConfigFolder(): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support');
    case 'win32':
      return process.env.APPDATA ?? join(homedir(), 'AppData', 'Roaming');
    default:
      return process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  }
}
