import { mkdir, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN, FOREIGN } from '../specs.ts';

const hint = (command: string) => `(try 'lintel ${command} --help')\n`;

test.each([
  [
    'a mistyped command',
    ['chek', 'specs'],
    "error: unknown command 'chek'\n(Did you mean check?)\n(try 'lintel --help')\n",
  ],
  [
    'a mistyped command whose help is wanted',
    ['chek', '--help'],
    "error: unknown command 'chek'\n(Did you mean check?)\n(try 'lintel --help')\n",
  ],
  [
    'a mistyped command behind help',
    ['help', 'chek'],
    "error: unknown command 'chek'\n(Did you mean check?)\n(try 'lintel --help')\n",
  ],
  [
    'a mistyped option',
    ['check', '--fromat', 'json', 'specs'],
    `error: unknown option '--fromat'\n(Did you mean --format?)\n${hint('check')}`,
  ],
  [
    'no path',
    ['check'],
    'lintel: no PATH is given, and there is no lintel.yaml that names sources: give files or folders, or list "sources" in lintel.yaml; "lintel init" and "lintel import" write the first ones\n',
  ],
  [
    'an unknown format',
    ['check', '--format', 'xml', 'specs'],
    `error: option '--format <format>' argument 'xml' is invalid. Allowed choices are pretty, compact, json, sarif, github, gitlab, junit, markdown.\n${hint('check')}`,
  ],
  [
    'an output without a format',
    ['check', '--output', 'a.json', 'specs'],
    'lintel: 1 --output for no --format: each --output needs a --format\n',
  ],
  [
    'more outputs than formats',
    ['build', 'specs', '--out', 'out', '--format', 'json', '--output', 'a.json', '--output', 'b.json'],
    'lintel: 2 --output for 1 --format: each --output needs a --format\n',
  ],
  [
    'two formats for standard output',
    ['check', '--format', 'json', '--format', 'sarif', 'specs'],
    'lintel: standard output takes one format, not json and sarif: add --output <file>\n',
  ],
  [
    'an empty output',
    ['check', '--format', 'json', '--output', '', 'specs'],
    `error: option '--output <file>' argument '' is invalid. It is empty.\n${hint('check')}`,
  ],
  [
    'a topic that does not exist',
    ['explain', 'MCPGroup.spec.descripton'],
    'lintel: MCPGroup.spec has no field "descripton"; did you mean MCPGroup.spec.description?\n',
  ],
  [
    'a port that is not a number',
    ['dev', '--port', 'abc', 'specs'],
    `error: option '--port <port>' argument 'abc' is invalid. Write a port from 0 to 65535.\n${hint('dev')}`,
  ],
  [
    'an internal address without a port',
    ['serve', '--internal-address', 'localhost', 'specs'],
    `error: option '--internal-address <address>' argument 'localhost' is invalid. Write it as HOST:PORT, such as 127.0.0.1:8081, with an IPv6 address in brackets.\n${hint('serve')}`,
  ],
  [
    'an origin that is a page',
    ['dev', '--allowed-origin', 'https://chat.example.com/page', 'specs'],
    `error: option '--allowed-origin <origin>' argument 'https://chat.example.com/page' is invalid. Write an origin, such as https://chat.example.com.\n${hint('dev')}`,
  ],
  [
    'an unknown severity',
    ['check', '--fail-on', 'eror', 'specs'],
    `error: option '--fail-on <severity>' argument 'eror' is invalid. Allowed choices are error, warning, hint.\n(Did you mean error?)\n${hint('check')}`,
  ],
  [
    'an empty path, such as an unset variable',
    ['check', ''],
    `error: value '' is invalid for argument 'path'. It is empty.\n${hint('check')}`,
  ],
  [
    'build without --out',
    ['build', 'specs'],
    `error: required option '--out <dir>' not specified: folder for the bundles and their index.json; must contain no specs\n${hint('build')}`,
  ],
  [
    'build with another name of --out',
    ['build', 'specs', '--outt=out'],
    `error: unknown option '--outt'\n(Did you mean --out?)\n${hint('build')}`,
  ],
  [
    'matrix with an unknown option',
    ['matrix', 'specs', '--callers', 'x'],
    `error: unknown option '--callers'\n${hint('matrix')}`,
  ],
  [
    'a command of a command without its argument',
    ['audit', 'verify'],
    `error: missing required argument 'file': the log and its rotated files, also as .gz\n${hint('audit verify')}`,
  ],
  [
    'a command of a command with an unknown option',
    ['doctor', 'auth', '--nope'],
    `error: unknown option '--nope'\n${hint('doctor auth')}`,
  ],
  [
    'matrix without --as',
    ['matrix', 'specs'],
    `error: required option '--as <dir>' not specified: folder of callers: ann.json contains the claims of ann's token, such as {"sub": "ann", "groups": ["staff"]}\n${hint('matrix')}`,
  ],
  [
    'connect without a client',
    ['connect'],
    `error: missing required argument 'client': the client, one of claude, claude-desktop, cursor, vscode, codex, inspector\n${hint('connect')}`,
  ],
  [
    'call without a tool',
    ['call'],
    `error: missing required argument 'tool': name of the tool in the output of \`lintel ls\`\n${hint('call')}`,
  ],
  [
    'doctor with only a URL',
    ['doctor', 'https://mcp.example.com/mcp?key=S3CRET'],
    'lintel: write `lintel doctor auth URL`\n',
  ],
  [
    'build with --manifests without its folder',
    ['build', 'specs', '--manifests', '--out', 'out'],
    `error: option '--manifests <dir>' argument '--out' is invalid. It is an option: put the folder before it.\n${hint('build')}`,
  ],
  [
    'build with an empty --out',
    ['build', 'specs', '--out', ''],
    `error: option '--out <dir>' argument '' is invalid. It is empty.\n${hint('build')}`,
  ],
  [
    'an unknown part of the schemas',
    ['schema', 'jsn', '--out', 'out'],
    `error: value 'jsn' is invalid for argument 'part'. Allowed choices are json, crd, reference, cdk8s.\n(Did you mean json?)\n${hint('schema')}`,
  ],
  ['a path that does not exist', ['check', 'specs', 'nope.yaml'], 'lintel: no such file or folder: nope.yaml\n'],
  ['a misspelt path', ['check', 'spec'], 'lintel: no such file or folder: spec; did you mean specs?\n'],
  [
    'a misspelt file',
    ['check', './specs/gatway.yml'],
    'lintel: no such file or folder: ./specs/gatway.yml; did you mean specs/gateway.yaml?\n',
  ],
  [
    'a pattern that the shell did not expand',
    ['check', 'specs/*.yml'],
    'lintel: no such file or folder: specs/*.yml; a PATH is no pattern: give the folder, or list the pattern in "sources" of lintel.yaml\n',
  ],
  [
    'serve with an empty host',
    ['serve', 'specs', '--host', ''],
    `error: option '--host <host>' argument '' is invalid. It is empty.\n${hint('serve')}`,
  ],
  [
    'dev with an empty port',
    ['dev', 'specs', '--port', ''],
    `error: option '--port <port>' argument '' is invalid. It is empty.\n${hint('dev')}`,
  ],
  [
    'a missing baseline to prune',
    ['baseline', 'specs', '--prune'],
    'lintel: there is no lintel-baseline.json yet: `lintel baseline` without --prune and --check writes it\n',
  ],
  [
    'a broken link as a path',
    ['check', 'links/x.yaml'],
    'lintel: no such file or folder: links/x.yaml; it is a link to a file that does not exist\n',
  ],
  ['an empty folder', ['check', 'empty'], 'lintel: no .yaml, .yml or .json files in empty\n'],
  [
    'a folder with the name of a file',
    ['check', 'folder/x.yaml'],
    'lintel: no .yaml, .yml or .json files in folder/x.yaml\n',
  ],
  [
    'only objects of foreign API groups',
    ['check', 'foreign'],
    'lintel: nothing to check in foreign: 1 file holds no object of the API groups that Lintel reads\n',
  ],
  [
    'only objects of foreign API groups, as JSON',
    ['check', 'foreign', '--format', 'json'],
    'lintel: nothing to check in foreign: 1 file holds no object of the API groups that Lintel reads\n',
  ],
  [
    'a folder with a program and objects of foreign API groups',
    ['check', 'synthesized'],
    'lintel: nothing to check in synthesized: 1 file holds no object of the API groups that Lintel reads; programs are given by their names: synthesized/app.ts\n',
  ],
  [
    'the file of a client in place of specs',
    ['serve', 'client/mcp.json'],
    'lintel: nothing to check in client/mcp.json: 1 file holds no object of the API groups that Lintel reads; `lintel import client/mcp.json` writes specs with its servers\n',
  ],
  ['dev of standard input', ['dev', '-'], 'lintel: dev watches files and folders; standard input cannot change\n'],
  [
    'serve of a gateway that does not exist',
    ['serve', 'specs', '--gateway', 'other'],
    'lintel: no gateway is named "other"; choose one with --gateway: default/eng\n',
  ],
])('lintel prints a usage error and exits with code 2: %s', async (_, args, stderr) => {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(CLEAN)) await folder.write({ [`specs/${name}`]: text });
  await folder.write({
    'foreign/service.yaml': FOREIGN,
    'client/mcp.json': '{ "mcpServers": { "notes": { "command": "uvx", "args": ["notes"] } } }',
    'synthesized/service.yaml': FOREIGN,
    'synthesized/app.ts': '',
  });
  await mkdir(folder.file('empty'));
  await mkdir(folder.file('folder/x.yaml'), { recursive: true });
  await mkdir(folder.file('links'));
  await symlink('nothing', folder.file('links/x.yaml'));
  expect(await runLintel(args, { cwd: folder.path })).toEqual({ code: 2, stdout: '', stderr });
});

test.each([
  [
    ['help', 'audit', 'verify'],
    ['audit', 'verify', '--help'],
  ],
  [
    ['help', 'check'],
    ['check', '--help'],
  ],
  [['help'], ['--help']],
  [['help', 'help'], ['--help']],
  [['-v'], ['--version']],
  [['check', '--version'], ['--version']],
  [['version'], ['--version']],
])('`lintel %j` prints the same as `lintel %j`', async (typed, known) => {
  const answer = await runLintel(typed);
  expect(answer).toEqual(await runLintel(known));
  expect(answer.code).toBe(0);
});

test('lintel without a command prints its help to standard error and exits with code 2', async () => {
  const { code, stdout, stderr } = await runLintel([]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^Usage: lintel /);
});
