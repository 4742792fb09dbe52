/** `lintel check --fix`: what it writes, what it leaves, and what it prints about both. */

import { execFile } from 'node:child_process';
import { chmod, lstat, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

/** Five errors with a fix, one of them inside another, and two without. */
const GATEWAY = `# The gateway of the team.
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServr   # a kind
metadata: { name: eng, namspace: default }
spec:
  groupRef: { name: tols }
  incomingAuth: { tpe: anonymous }
  config:
    agregation: { conflictResolution: 'prefics' } # both
`;
const FIXED = `# The gateway of the team.
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer   # a kind
metadata: { name: eng, namespace: default }
spec:
  groupRef: { name: tols }
  incomingAuth: { tpe: anonymous }
  config:
    aggregation: { conflictResolution: 'prefix' } # both
`;
const LEFT = `left gateway.yaml:6:21: LNT2001 tols to tools: which one is meant is for you to say
left gateway.yaml:7:19: LNT1003 tpe to type: it may decide who may call what
`;
const linesOf = (text: string) => text.trimEnd().split('\n').sort();

const DONE = (verb: string) => `${verb} gateway.yaml:3:7: LNT1007 VirtualMCPServr to VirtualMCPServer
${verb} gateway.yaml:4:24: LNT1003 namspace to namespace
${verb} gateway.yaml:9:5: LNT1003 agregation to aggregation
${verb} gateway.yaml:9:40: LNT1011 prefics to prefix
${LEFT}${verb} 4 findings, left 2
`;

test('`lintel check --fix` writes safe fixes, keeps comments and quotes, and fixes nothing in a second run', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': GATEWAY });
  const first = await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  expect(linesOf(first.stderr)).toEqual(linesOf(DONE('fixed')));
  expect(first.code).toBe(1);
  expect(await readFile(join(folder.path, 'gateway.yaml'), 'utf8')).toBe(FIXED);
  const second = await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  expect(linesOf(second.stderr)).toEqual(linesOf(`${LEFT}fixed 0 findings, left 2\n`));
  expect(await readFile(join(folder.path, 'gateway.yaml'), 'utf8')).toBe(FIXED);
  // The printed findings refer to the files after the fixes.
  const { stdout } = await runLintel(['check', '.'], { cwd: folder.path });
  expect(first.stdout).toBe(stdout);
  expect(second.stdout).toBe(stdout);
});

test('`lintel check --fix --dry-run` changes no file and prints a diff that git can apply', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': GATEWAY });
  const { code, stdout, stderr } = await runLintel(['check', '.', '--fix', '--dry-run'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(linesOf(stderr)).toEqual(linesOf(DONE('would fix')));
  expect(await readFile(join(folder.path, 'gateway.yaml'), 'utf8')).toBe(GATEWAY);
  const applied = promisify(execFile)('git', ['apply', '-'], { cwd: folder.path });
  applied.child.stdin?.end(stdout);
  await applied;
  expect(await readFile(join(folder.path, 'gateway.yaml'), 'utf8')).toBe(FIXED);
});

test('`lintel check --fix` keeps a byte order mark, Windows line breaks, a missing last line break and permissions', async () => {
  const text = `\uFEFF${GATEWAY.trimEnd().replaceAll('\n', '\r\n')}`;
  await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': text });
  const file = join(folder.path, 'gateway.yaml');
  await chmod(file, 0o640);
  const { stdout } = await runLintel(['check', '.', '--fix', '--dry-run'], { cwd: folder.path });
  await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  const fixed = `\uFEFF${FIXED.trimEnd().replaceAll('\n', '\r\n')}`;
  expect(await readFile(file, 'utf8')).toBe(fixed);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(stdout).toContain('\n\\ No newline at end of file\n');
});

test.each([
  ['file', 'gateway.yaml', 'elsewhere/own.yaml'],
  ['folder', 'linked', 'elsewhere'],
])('`lintel check --fix` does not change a %s behind a symbolic link', async (_, link, target) => {
  await using outside = await temporaryFolder({ 'elsewhere/own.yaml': GATEWAY });
  await using folder = await temporaryFolder({ 'group.yaml': CLEAN['group.yaml'] ?? '' });
  await symlink(join(outside.path, target), join(folder.path, link));
  const { code, stderr } = await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stderr).toContain('LNT1007 VirtualMCPServr to VirtualMCPServer: the file is reached through a link\n');
  expect(await readFile(join(outside.path, 'elsewhere/own.yaml'), 'utf8')).toBe(GATEWAY);
  expect((await lstat(join(folder.path, link))).isSymbolicLink()).toBe(true);
});

test('`lintel check --fix` does not apply a fix that would create two equal keys', async () => {
  const twice = GATEWAY.replace('namspace: default', 'namespace: default, namspace: other');
  await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': twice });
  const { stderr } = await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  expect(stderr).toMatch(/^left .*namspace to namespace: LNT1002 duplicate-key would be found there$/m);
  expect(await readFile(join(folder.path, 'gateway.yaml'), 'utf8')).toContain('namspace: other');
});

test('`lintel check --fix` corrects the anchor of a value and leaves the YAML aliases as they are, and also corrects JSON', async () => {
  const entry = (name: string, transport: string) =>
    `{"apiVersion":"lintel.dev/v1beta1","kind":"MCPServerEntry","metadata":{"name":"${name}"},"spec":{"remoteUrl":"https://a.example.com/mcp","transport":"${transport}","groupRef":{"name":"tools"}}}`;
  const anchored = `apiVersion: v1
kind: List
items:
  - ${entry('a', 'x').replace('"x"', '&t streamable-htp')}
  - ${entry('b', 'x').replace('"x"', '*t ')}
`;
  await using folder = await temporaryFolder({
    ...CLEAN,
    'anchored.yaml': anchored,
    'entry.json': entry('c', 'streamable-htp'),
  });
  const { code, stderr } = await runLintel(['check', '.', '--fix'], { cwd: folder.path });
  expect(stderr).toContain('fixed 2 findings, left 0\n');
  expect(code).toBe(0);
  expect(await readFile(join(folder.path, 'anchored.yaml'), 'utf8')).toBe(anchored.replace('-htp', '-http'));
  expect(await readFile(join(folder.path, 'entry.json'), 'utf8')).toBe(entry('c', 'streamable-http'));
});

test.each([
  [['.', '--dry-run'], '--dry-run needs --fix: add it'],
  [['.', '--fix', '--dry-run', '--format', 'json'], '--dry-run prints a diff instead of findings'],
  [['-', '--fix'], '--fix changes files, and standard input is not a file'],
])('`lintel check` refuses the arguments %j', async (args, message) => {
  await using folder = await temporaryFolder(CLEAN);
  const { code, stderr } = await runLintel(['check', ...args], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test.each([
  ['in single quotes', `'permit(principal, action, resource in MCP::"egn");'`, 'MCP::"egn" to MCP::"eng"'],
  [
    'in a string of a string',
    '"permit(principal, action, resource in MCP::\\"egn\\");"',
    'MCP::\\"egn\\" to MCP::"eng"',
  ],
])(
  '`lintel check --fix` does not change a name in a policy that the YAML file writes %s',
  async (_, policy, change) => {
    const gateway = `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  config:
    incomingAuth:
      type: local
      authz:
        type: cedar
        policies:
          - ${policy}
`;
    await using folder = await temporaryFolder({ ...CLEAN, 'gateway.yaml': gateway });
    const { code, stdout, stderr } = await runLintel(['check', '.', '--fix', '--dry-run'], { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^left gateway\.yaml:12:\d+: LNT5003 /);
    expect(stderr).toContain(`LNT5003 ${change}: which one is meant is for you to say\nwould fix 0 findings, left 1\n`);
  },
);
