/** Clients, and the entry by which each knows a gateway. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CLIENTS = ['claude', 'claude-desktop', 'cursor', 'vscode', 'codex', 'inspector'] as const;

export type ClientId = (typeof CLIENTS)[number];

export interface Connection {
  /** What the client calls the gateway. */
  readonly name: string;
  /** The URL of the MCP endpoint. */
  readonly url: string;
  /** A variable that holds a token; undefined where the client signs people in, or the gateway asks for no token. */
  readonly tokenVariable: string | undefined;
}

/** A member of a JSON file, or a table of a TOML file. */
export interface ClientEntry {
  readonly path: readonly string[];
  readonly value: object;
}

export interface KnownClient {
  readonly title: string;
  /** Its file; undefined where it has none that is written. */
  readonly file: string | undefined;
  readonly format: 'json' | 'toml';
  /** Whether its file can say which variable holds a token. */
  readonly hasVariables: boolean;
  entry(connection: Connection): ClientEntry;
  /** A list item that the entry needs, elsewhere in the file: nothing is done where the file has it. */
  companion?(connection: Connection): ClientEntry | undefined;
}

const INPUT = 'lintel-token';

export const KNOWN_CLIENTS: Readonly<Record<Exclude<ClientId, 'inspector'>, KnownClient>> = {
  claude: {
    title: 'Claude Code',
    file: '.mcp.json',
    format: 'json',
    hasVariables: true,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcpServers', name],
      value: { type: 'http', url, ...bearer(tokenVariable, variable => `\${${variable}}`) },
    }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    get file() {
      return desktopFile();
    },
    format: 'json',
    hasVariables: false,
    // Its file has programs only.
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
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcpServers', name],
      value: { url, ...bearer(tokenVariable, variable => `\${env:${variable}}`) },
    }),
  },
  vscode: {
    title: 'VS Code',
    file: join('.vscode', 'mcp.json'),
    format: 'json',
    hasVariables: true,
    entry: ({ name, url, tokenVariable }) => ({
      path: ['servers', name],
      value: { type: 'http', url, ...bearer(tokenVariable, () => `\${input:${INPUT}}`) },
    }),
    // The editor asks once, and keeps the answer in its secret storage.
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
    entry: ({ name, url, tokenVariable }) => ({
      path: ['mcp_servers', name],
      value: { url, ...(tokenVariable !== undefined && { bearer_token_env_var: tokenVariable }) },
    }),
  },
};

function bearer(variable: string | undefined, reference: (variable: string) => string): object {
  return variable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(variable)}` } };
}

/** @see https://modelcontextprotocol.io/docs/develop/connect-local-servers */
function desktopFile(): string {
  return join(configFolder(), 'Claude', 'claude_desktop_config.json');
}

/** Where programs of a desktop keep what a person set. */
export function configFolder(): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support');
    case 'win32':
      return process.env.APPDATA ?? join(homedir(), 'AppData', 'Roaming');
    default:
      return process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  }
}
