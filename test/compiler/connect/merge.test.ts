/** `lintel connect` adds an entry to the configuration file of a client, and changes nothing else in the file. */
import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { UsageError } from '#compiler';
import { type Connection, KNOWN_CLIENTS, mergeItem, mergeJson, mergeToml } from '../../../compiler/connect/index.ts';

/** The character that begins a reference to a variable in configuration files of clients. */
const DOLLAR = '$';

const CONNECTION: Connection = { name: 'lintel', url: 'http://127.0.0.1:4483/mcp', tokenVariable: undefined };

const cursor = KNOWN_CLIENTS.cursor.entry(CONNECTION);
const codex = KNOWN_CLIENTS.codex.entry(CONNECTION);

test.each<[what: string, before: string, after: string]>([
  [
    'into an empty file',
    '',
    '{\n  "mcpServers": {\n    "lintel": {\n      "url": "http://127.0.0.1:4483/mcp"\n    }\n  }\n}\n',
  ],
  [
    'next to comments, another entry and a trailing comma, indented by tabs',
    '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": { "url": "https://a.example.com" }, /* last */\n\t},\n\t"other": [1,  2]\n}\n',
    '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"url": "https://a.example.com"\n\t\t},\n\t\t"lintel": {\n\t\t\t"url": "http://127.0.0.1:4483/mcp"\n\t\t}, /* last */\n\t},\n\t"other": [1,  2]\n}\n',
  ],
  [
    'with Windows line breaks',
    '{\r\n    "theme": "dark"\r\n}\r\n',
    '{\r\n    "theme": "dark",\r\n    "mcpServers": {\r\n        "lintel": {\r\n            "url": "http://127.0.0.1:4483/mcp"\r\n        }\r\n    }\r\n}\r\n',
  ],
])("lintel connect adds an entry to a client's JSON file: %s", (_, before, after) => {
  const merged = mergeJson('mcp.json', before, cursor, false);
  expect(merged).toBe(after);
  expect(mergeJson('mcp.json', merged, cursor, false), 'a second time').toBe(merged);
});

test('lintel connect replaces an entry of the same name in a JSON file only with --force', () => {
  const before = '{ "mcpServers": { "lintel": { "url": "https://mine.example.com" } } }';
  expect(() => mergeJson('mcp.json', before, cursor, false)).toThrow(
    'mcp.json has another entry "lintel": give this one another --name, or replace that one with --force',
  );
  expect(JSON.parse(mergeJson('mcp.json', before, cursor, true))).toEqual({ mcpServers: { lintel: cursor.value } });
});

test.each([
  ['{ "mcpServers": { "lintel": ', 'mcp.json:1:29: this is no JSON (ValueExpected): put it right first'],
  ['[]', 'mcp.json is no JSON object: put it right first'],
])('lintel connect refuses the JSON file %j', (before, message) => {
  const attempt = () => mergeJson('mcp.json', before, cursor, false);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});

test('lintel connect declares an input in the VS Code file once', () => {
  const connection = { ...CONNECTION, tokenVariable: 'GATEWAY_TOKEN' };
  const { entry, companion } = KNOWN_CLIENTS.vscode;
  const item = companion?.(connection);
  if (item === undefined) throw new Error('there is nothing to ask for');
  const before = '{ "inputs": [{ "id": "other", "type": "promptString" }] }';
  const once = mergeItem('mcp.json', mergeJson('mcp.json', before, entry(connection), false), item);
  expect(JSON.parse(once)).toEqual({
    inputs: [
      { id: 'other', type: 'promptString' },
      { type: 'promptString', id: 'lintel-token', description: 'GATEWAY_TOKEN', password: true },
    ],
    servers: {
      lintel: { type: 'http', url: CONNECTION.url, headers: { Authorization: `Bearer ${DOLLAR}{input:lintel-token}` } },
    },
  });
  expect(mergeItem('mcp.json', once, item)).toBe(once);
});

test.each<[what: string, before: string]>([
  ['into an empty file', ''],
  [
    'next to comments and other tables',
    '# mine\nmodel = "gpt-5.2-codex" # best\n\n[mcp_servers.a]\nurl = "https://a.example.com"\n',
  ],
  ['without a line break at the end', '[tui]\nnotifications = true'],
])("lintel connect adds a table to a client's TOML file: %s", (_, before) => {
  const after = mergeToml('config.toml', before, codex);
  expect(after.startsWith(before)).toBe(true);
  expect(after.endsWith('[mcp_servers.lintel]\nurl = "http://127.0.0.1:4483/mcp"\n')).toBe(true);
  const { mcp_servers: servers } = parseToml(after) as { mcp_servers: { [name: string]: object } };
  expect({ ...servers.lintel }).toEqual(codex.value);
  expect(mergeToml('config.toml', after, codex), 'a second time').toBe(after);
});

test.each([
  ['[mcp_servers.lintel]\nurl = "https://mine.example.com"\n', 'config.toml has another table mcp_servers.lintel: '],
  [
    'mcp_servers = { a = { url = "https://a.example.com" } }\n',
    'config.toml has mcp_servers in a form to which nothing can be added: ',
  ],
  ['model = \n', 'config.toml:1:9: this is no TOML: put it right first'],
])('lintel connect refuses the TOML file %j', (before, message) => {
  const attempt = () => mergeToml('config.toml', before, codex);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});
