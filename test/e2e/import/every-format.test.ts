// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as clients write it
/** Files of every program that `lintel import` reads: import, build, serve; the gateway lists the tools that the program's own clients saw. */
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PEER } from '../../bridge/running-bridge.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';
import { byName, type Tool, toolsAt, toolsOf, withPrefix } from './tools-at.ts';

/** A server over HTTP, and an SDK's stdio server, as the program that a client starts. */
let notes: SdkServer;
let events: SdkServer;
let seen: { readonly notes: readonly Tool[]; readonly events: readonly Tool[]; readonly peer: readonly Tool[] };

beforeAll(async () => {
  notes = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'find_notes' }] });
  events = await startSdkServer({ transport: 'sse', tools: [{ name: 'find_events' }] });
  seen = {
    notes: await toolsAt(notes.url, 'http'),
    events: await toolsAt(events.url, 'sse'),
    peer: await toolsOf(process.execPath, [PEER]),
  };
});

afterAll(async () => {
  await notes.close();
  await events.close();
});

type Name = keyof typeof seen;

interface Case {
  readonly file: string;
  /** The text of the file. */
  readonly text: () => string;
  /** The servers in the file. */
  readonly servers: readonly Name[];
}

const PROGRAM_ENTRY = { command: 'node', args: ['peer.mjs'] };

const json = (value: unknown) => JSON.stringify(value, null, 2);

const vmcp = (...more: readonly string[]) => [
  'backends:',
  `  - { name: notes, url: "${notes.url}", transport: streamable-http }`,
  `  - { name: events, url: "${events.url}", transport: sse }`,
  'aggregation: { conflictResolution: prefix, conflictResolutionConfig: { prefixFormat: "{workload}_" } }',
  ...more,
];

const CASES: Readonly<Record<string, Case>> = {
  'Claude Desktop': {
    file: 'claude_desktop_config.json',
    text: () =>
      json({
        mcpServers: {
          peer: PROGRAM_ENTRY,
          events: { command: 'npx', args: ['-y', 'mcp-remote', events.url, '--transport', 'sse-only'] },
        },
        globalShortcut: '',
      }),
    servers: ['peer', 'events'],
  },
  'Claude Code in a project': {
    file: '.mcp.json',
    text: () =>
      json({
        mcpServers: {
          peer: { type: 'stdio', command: 'node', args: ['${CLAUDE_PROJECT_DIR:-.}/peer.mjs'], alwaysLoad: true },
          notes: { type: 'http', url: notes.url },
          events: { type: 'sse', url: events.url },
        },
      }),
    servers: ['peer', 'notes', 'events'],
  },
  'Claude Code of a person': {
    file: '.claude.json',
    text: () =>
      json({
        numStartups: 3,
        mcpServers: { notes: { type: 'http', url: notes.url } },
        projects: { '/home/ann/shop': { allowedTools: [], mcpServers: { peer: PROGRAM_ENTRY } } },
      }),
    servers: ['notes', 'peer'],
  },
  Cursor: {
    file: 'mcp.json',
    text: () => `{
      // Comments and trailing commas are usual here.
      "mcpServers": {
        "peer": { "command": "node", "args": ["\${workspaceFolder}\${pathSeparator}peer.mjs"] },
        "notes": { "url": "${notes.url}" },
      },
    }`,
    servers: ['peer', 'notes'],
  },
  'VS Code': {
    file: 'mcp.json',
    text: () =>
      json({
        inputs: [{ type: 'promptString', id: 'team', description: 'Team', password: true }],
        servers: {
          peer: {
            type: 'stdio',
            command: 'node',
            args: ['${workspaceFolder}/peer.mjs'],
            cwd: '${workspaceFolder}/tools',
            dev: { watch: '*.mjs' },
          },
          notes: { type: 'http', url: notes.url },
        },
      }),
    servers: ['peer', 'notes'],
  },
  Windsurf: {
    file: 'mcp_config.json',
    text: () =>
      json({
        mcpServers: {
          peer: {
            $typeName: 'exa.cascade_plugins_pb.CascadePluginCommandTemplate',
            ...PROGRAM_ENTRY,
            disabledTools: [],
          },
          notes: { serverUrl: notes.url, alwaysAllow: ['find_notes'] },
          off: { ...PROGRAM_ENTRY, disabled: true },
        },
      }),
    servers: ['peer', 'notes'],
  },
  Codex: {
    file: 'config.toml',
    text: () =>
      `model = "gpt-5"\n[mcp_servers.peer]\ncommand = "node"\nargs = ["peer.mjs"]\nstartup_timeout_sec = 20\n[mcp_servers.notes]\nurl = "${notes.url}"\n`,
    servers: ['peer', 'notes'],
  },
  'mcp-hub': {
    file: 'servers.json',
    text: () =>
      json({
        mcpServers: {
          peer: { ...PROGRAM_ENTRY, dev: { watch: ['**/*.mjs'], cwd: '/srv' }, disabled_resources: [] },
          events: { url: events.url, transportType: 'sse', autoApprove: true },
        },
      }),
    servers: ['peer', 'events'],
  },
  agentgateway: {
    file: 'config.yaml',
    text: () =>
      [
        'binds:',
        '  - port: 3000',
        '    listeners:',
        '      - routes:',
        '          - backends:',
        '              - mcp:',
        '                  targets:',
        '                    - { name: peer, stdio: { cmd: node, args: [peer.mjs] } }',
        `                    - { name: notes, mcp: { host: "${notes.url}" } }`,
        `                    - { name: events, sse: { host: "${events.url}" } }`,
      ].join('\n'),
    servers: ['peer', 'notes', 'events'],
  },
  "Docker's MCP catalog": {
    file: 'catalog.yaml',
    text: () =>
      [
        'registry:',
        `  notes: { type: remote, dynamic: { tools: true }, remote: { url: "${notes.url}", transport_type: streamable-http } }`,
        `  events: { type: remote, sseEndpoint: "${events.url}" }`,
      ].join('\n'),
    servers: ['notes', 'events'],
  },
  'a run configuration of ToolHive': {
    file: 'notes.json',
    text: () =>
      json({
        schema_version: 'v0.1.0',
        image: '',
        remote_url: notes.url,
        name: 'notes',
        transport: 'streamable-http',
        host: '127.0.0.1',
        port: 20017,
        permission_profile: null,
      }),
    servers: ['notes'],
  },
  "ToolHive's vmcp": {
    file: 'vmcp.yaml',
    text: () => vmcp('name: team', 'group: team', 'incomingAuth: { type: anonymous }').join('\n'),
    servers: ['notes', 'events'],
  },
  'objects of an older ToolHive': {
    file: 'objects.yaml',
    text: () =>
      [
        'apiVersion: toolhive.stacklok.dev/v1alpha1',
        'kind: MCPGroup',
        'metadata: { name: team, resourceVersion: "7" }',
        'spec: {}',
        '---',
        'apiVersion: toolhive.stacklok.dev/v1alpha1',
        'kind: VirtualMCPServer',
        'metadata: { name: team }',
        'spec:',
        '  incomingAuth: { type: anonymous }',
        '  config:',
        '    groupRef: team',
        '    outgoingAuth: { source: inline }',
        ...vmcp().map(line => `    ${line}`),
      ].join('\n'),
    servers: ['notes', 'events'],
  },
};

test.each(Object.entries(CASES))(
  'a gateway from `lintel import` lists the tools of the servers in the file of %s',
  async (_, { file, text, servers }) => {
    const peer = `import ${JSON.stringify(pathToFileURL(PEER).href)};\n`;
    await using folder = await temporaryFolder({ [file]: text(), 'peer.mjs': peer, 'tools/readme': '' });
    const lintel = (...args: readonly string[]) => runLintel(args, { cwd: folder.path });
    expect(await lintel('import', file)).toMatchObject({ code: 0, stderr: '' });
    expect(await lintel('check')).toMatchObject({ code: 0 });
    expect(await lintel('build', '--out', 'out')).toMatchObject({ code: 0 });
    await using gateway = start(PROGRAM.lintel, ['serve', ...FREE_PORTS], { cwd: folder.path });
    const announcement = await gateway.announcement<Announcement>();
    await ready(announcement);
    const expected = servers.flatMap(name => withPrefix(name, seen[name])).sort(byName);
    await expect.poll(async () => [...(await toolsAt(announcement.url, 'http'))].sort(byName)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(servers.length - 1);
  },
);
