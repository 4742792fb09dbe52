/** `lintel import` of hand-written files reports an error in a server at its place, and never skips silently what it cannot read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planImport, readImportedFile } from '../../../compiler/import/index.ts';

/** The parts of a file that are not imported, as `place: reason`. */
function notCarried(name: string, text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-import-'));
  try {
    const file = join(folder, name);
    writeFileSync(file, text);
    const files = readImportedFile(file).map(found => ({ file: name, found }));
    const plan = planImport(files, { taken: new Set(), plain: new Set() });
    return plan.notCarried.map(({ place, reason }) => `${place}: ${reason}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const UNKNOWN = 'Lintel does not know it, so nothing was done about it';

test.each<[server: string, ...reasons: string[]]>([
  ['{ "comand": "npx", "args": ["-y"] }', ': it has neither a command nor a URL: comand looks like a misspelt command'],
  [
    '{ "type": "stdio", "cmmand": "npx" }',
    ': it has neither a command nor a URL: cmmand looks like a misspelt command',
  ],
  [
    '{ "serverURL": "https://a.example.com" }',
    ': it has neither a command nor a URL: serverURL looks like a misspelt serverUrl',
  ],
  ['{ "type": "http", "uri": "https://a.example.com" }', ': it has no URL: uri looks like a misspelt url'],
  ['{ "command": ["npx", "-y"] }', ': its command is no text'],
  ['{ "command": "npx", "args": "-y server" }', ': its args is no list, such as ["a", "b"]'],
  ['{ "command": "npx", "args": [{ "a": 1 }] }', ': its args holds something that is no text'],
  ['{ "command": "npx", "env": ["TOKEN=a"] }', ': its env holds no names with values, such as {"NAME": "value"}'],
  ['{ "command": "npx", "env": { "TOKEN": { "value": "a" } } }', ': its env.TOKEN is no text'],
  ['{ "command": "npx", "enviroment": {} }', `.enviroment: ${UNKNOWN}`],
  ['{ "command": "npx", "arg": [] }', `.arg: ${UNKNOWN}: did you mean args?`],
  ['{ "command": "npx", "disabledTools": "delete_all" }', ': its disabledTools is no list, such as ["a", "b"]'],
  ['{ "command": "npx", "disabled": "true" }', ': its disabled is neither true nor false'],
  [
    '{ "url": "https://a.example.com", "headers": "Bearer x" }',
    ': its headers holds no names with values, such as {"NAME": "value"}',
  ],
  ['{ "url": "https://a.example.com", "header": {} }', `.header: ${UNKNOWN}: did you mean headers?`],
  [
    '{ "url": "https://a.example.com", "type": "htpp" }',
    ': its transport is none of http and sse: htpp looks like a misspelt http',
  ],
  [
    '{ "url": "https://a.example.com", "requestInit": { "headers": "x" } }',
    ': its requestInit.headers holds no names with values, such as {"NAME": "value"}',
  ],
])('lintel import says why it does not import the server %s of an mcp.json', (server, ...reasons) => {
  expect(notCarried('mcp.json', `{ "mcpServers": { "a": ${server} } }`)).toEqual(
    reasons.map(reason => `mcpServers.a${reason}`),
  );
});

test.each<[name: string, text: string, ...reasons: string[]]>([
  [
    'config.toml',
    '[mcp_servers.a]\ncomand = "npx"\n',
    'mcp_servers.a: it has neither a command nor a URL: comand looks like a misspelt command',
  ],
  [
    'config.toml',
    '[mcp_servers.a]\nurl = "https://a.example.com"\nhttp_headers = ["a"]\n',
    'mcp_servers.a: its http_headers holds no names with values, such as {"NAME": "value"}',
  ],
  [
    'config.toml',
    '[mcp_servers.a]\ncommand = "npx"\nenv_vars = "TOKEN"\n',
    'mcp_servers.a: its env_vars are no list of names',
  ],
  [
    'config.toml',
    '[mcp_servers.a]\ncommand = "npx"\nenv_vars = ["A=b"]\n',
    'mcp_servers.a: one of its env_vars is not a valid name of a variable',
  ],
  ['config.toml', '[mcp_servers.a]\ncommand = "npx"\nenv_var = ["A"]\n', `mcp_servers.a.env_var: ${UNKNOWN}`],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, stdoi: { cmd: npx } }] }',
    'mcp.targets[0]: it has none of mcp, sse and stdio: stdoi looks like a misspelt stdio',
  ],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, stdio: { cmdd: npx } }] }',
    'mcp.targets[0]: it has no command: cmdd looks like a misspelt cmd',
  ],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, stdio: { cmd: npx, args: -y x } }] }',
    'mcp.targets[0]: its stdio.args is no list, such as ["a", "b"]',
  ],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, sse: { hots: a.example.com } }] }',
    'mcp.targets[0]: its sse.hots is not known: did you mean host?',
  ],
  [
    'catalog.yaml',
    'registry: { a: { type: server, iamge: x } }',
    'registry.a: it has neither an image nor a URL: iamge looks like a misspelt image',
  ],
  [
    'catalog.yaml',
    'registry: { a: { type: server, image: x, env: { A: b } } }',
    'registry.a: its env is no list of mappings',
  ],
  [
    'catalog.yaml',
    'registry: { a: { type: server, image: x, volumes: /a:/b } }',
    'registry.a: its volumes is no list, such as ["a", "b"]',
  ],
  [
    'catalog.yaml',
    'registry: { a: { type: server, image: x, secret: [] } }',
    `registry.a.secret: ${UNKNOWN}: did you mean secrets?`,
  ],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, mcp: { host: a.example.com, prot: 8080 } }] }',
    'mcp.targets[0]: its mcp.prot is not known: did you mean port?',
  ],
  [
    'gateway.yaml',
    'mcp: { targets: [{ name: a, stdio: { cmd: npx, arg: [-y] } }] }',
    'mcp.targets[0]: its stdio.arg is not known: did you mean args?',
  ],
  [
    'catalog.yaml',
    'registry: { a: { type: servre, image: x } }',
    'registry.a: its type is none of server, remote and poci: did you mean server?',
  ],
  [
    'catalog.yaml',
    'registry: { a: { image: x, secrets: [{ name: a.b }] } }',
    'registry.a: its secrets[0].env is missing, the variable that holds it',
  ],
  [
    'catalog.yaml',
    'registry: { a: { image: x, env: [{ nam: A, value: b }] } }',
    'registry.a: its env[0].name is missing',
  ],
  [
    'run.json',
    '{ "schema_version": "v0.1.0", "image": "x", "transport": "stdio", "secrets": ["a target=A"] }',
    'server: its secrets holds something else than NAME,target=VARIABLE',
  ],
  [
    'run.json',
    '{ "schema_version": "v0.1.0", "image": "x", "transport": "stdio", "cmd_args": "stdio" }',
    'server: its cmd_args is no list, such as ["a", "b"]',
  ],
  [
    'run.json',
    '{ "schema_version": "v0.1.0", "image": "x", "transport": "stdio", "env_var": { "A": "b" } }',
    `server.env_var: ${UNKNOWN}: did you mean env_vars?`,
  ],
])('lintel import of a %s says why it does not import the server in %s', (name, text, ...reasons) => {
  expect(notCarried(name, text)).toEqual(reasons);
});

test.each<[name: string, text: string, hint: string]>([
  ['mcp.json', '{ "mcpServer": { "a": { "command": "npx" } } }', 'mcpServer looks like a misspelt mcpServers'],
  ['mcp.json', '{ "mcp-servers": { "a": { "command": "npx" } } }', 'mcp-servers looks like a misspelt mcpServers'],
  ['mcp.json', '{ "mcpServers": [] }', 'mcpServers holds no names with servers'],
  ['mcp.json', '{ "a": { "command": "npx" } }', 'servers of a client stand by their names below mcpServers'],
  ['mcp.json', '{ "command": "npx" }', 'servers of a client stand by their names below mcpServers'],
  [
    'mcp.json',
    '{ "mcp": { "a": { "command": ["npx"] } } }',
    'mcp has neither servers, as VS Code has them, nor a list of targets, as agentgateway has it',
  ],
  ['config.toml', '[mcp_server.a]\ncommand = "npx"\n', 'mcp_server looks like a misspelt mcp_servers'],
  [
    'run.json',
    '{ "image": "x", "transport": "stdio" }',
    'a run configuration of ToolHive has schema_version, as `thv export` writes it',
  ],
  ['mcp.json', '[1]', 'see `lintel import --help`'],
])('lintel import refuses a %s with %s and says why', (name, text, hint) => {
  expect(() => notCarried(name, text)).toThrow(`: this is no configuration that \`lintel import\` knows: ${hint}`);
});

test('lintel import takes numbers and Booleans in arguments and variables as text', () => {
  expect(
    notCarried(
      'mcp.json',
      '{ "mcpServers": { "a": { "command": "a", "args": ["--port", 80, true], "env": { "A": 1 } } } }',
    ),
  ).toEqual([]);
});

test('lintel import gives the line and column of a TOML error, and does not repeat the faulty text', () => {
  const read = () => notCarried('config.toml', '[mcp_servers.a]\ncommand = S3CRET\n');
  expect(read).toThrow('config.toml:2:11: this is no TOML: invalid value');
  expect(read).not.toThrow('S3CRET');
});
