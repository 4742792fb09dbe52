/** `lintel dev --as`: callers try policies with tokens that the command issues itself. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseCallerClaims } from '../../../compiler/commands/caller-claims.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, run, start, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

const ISSUER = 'https://login.example.invalid';

/** Specs of a gateway whose identity provider is unreachable and needs a secret that is missing here. */
function specs(url: string): string {
  const auth = `incomingAuth:
    type: oidc
    oidcConfigRef: { name: company, audience: office, resourceUrl: http://127.0.0.1:4483/mcp, scopes: [mcp] }
    authzConfig:
      type: inline
      inline:
        policies:
          - 'permit (principal in Group::"staff", action == Action::"call_tool", resource) when { context has claim_iss && context.claim_iss == "${ISSUER}" };'
          - 'permit (principal, action == Action::"call_tool", resource == Tool::"backend_echo") when { context has claim_level && context.claim_level == "two" };'`;
  const provider = `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: company }
spec:
  type: inline
  inline:
    issuer: ${ISSUER}
    introspectionUrl: ${ISSUER}/introspect
    clientId: office
    clientSecretRef: { name: office, key: secret }
`;
  return `${GROUP}---\n${provider}---\n${inlineGateway('office', url, '{ workload: backend, filter: [echo, fail] }').replace('incomingAuth: { type: anonymous }', auth)}`;
}

async function lsWith(url: string, file: string, folder: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(PROGRAM.lintel, ['ls', url, '--token-file', file, '--format', 'json'], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).tools.map(({ name }: { name: string }) => name);
}

test('`lintel dev --as` writes a token for each caller, applies policies to the callers, and refuses requests without a token', async () => {
  const backend = await startSdkServer({ transport: 'streamable-http', json: true });
  onTestFinished(() => backend.close());
  await using folder = await temporaryFolder({ 'gateway.yaml': specs(backend.url) });
  const args = [
    'dev',
    '.',
    ...FREE_PORTS,
    '--as',
    'ann,groups=staff',
    '--as',
    'ben,level=two',
    '--as',
    'gus',
    '--as',
    'ann',
  ];
  await using dev = start(PROGRAM.lintel, args, { cwd: folder.path });
  const said = await dev.stderr.next(/lintel: UNSAFE, for this machine alone: .* in place of those of .*\n/);
  expect(said).toContain(ISSUER);
  const { url } = await dev.announcement<Announcement>();
  // The port of this run, so that the printed command works unchanged.
  const fileOf = async (name: string) => {
    const line = await dev.stderr.next(new RegExp(` {2}${name}: npx lintel ls ${url} --token-file .*\\n`));
    return line.trim().split(' ').at(-1) ?? '';
  };
  const [ann, ben, gus, guest] = [await fileOf('ann'), await fileOf('ben'), await fileOf('gus'), await fileOf('ann')];
  expect(await lsWith(url, ann, folder.path)).toEqual(['backend_echo', 'backend_fail']);
  expect(await lsWith(url, ben, folder.path)).toEqual(['backend_echo']);
  expect(await lsWith(url, gus, folder.path)).toEqual([]);
  // The same subject in no group has a file of its own.
  expect(await lsWith(url, guest, folder.path)).toEqual([]);
  await expect(run(PROGRAM.lintel, ['ls', url], { cwd: folder.path })).resolves.toMatchObject({ code: 3 });
  // Other users of the machine cannot read the file, and the token is in no other file.
  expect((await stat(ann)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(ann))).mode & 0o777).toBe(0o700);
  const token = (await readFile(ann, 'utf8')).trim();
  expect(dev.stderr.text + dev.stdout.text).not.toContain(token);
  dev.kill('SIGTERM');
  await dev.exitCode();
  await expect(readdir(dirname(ann))).rejects.toThrow('ENOENT');
});

test('`lintel dev --as` prints a likely mistake in a caller below the caller', async () => {
  const past = { sub: 'eva', groups: ['staff'], exp: 946_684_800 };
  await using folder = await temporaryFolder({
    'gateway.yaml': specs('http://127.0.0.1:9/mcp'),
    'eva.json': JSON.stringify(past),
    'foreign.json': JSON.stringify({ sub: 'fay', iss: 'https://other.example' }),
  });
  const callers = ['bob,group=staff', 'cyd,groups=stuff', 'eva.json', 'foreign.json'];
  const args = ['dev', 'gateway.yaml', ...FREE_PORTS, ...callers.flatMap(as => ['--as', as])];
  await using dev = start(PROGRAM.lintel, args, { cwd: folder.path });
  await dev.stderr.next(/ {2}fay: .*\n.*\n/);
  expect(dev.stderr.text.replaceAll(/npx lintel ls .*/g, '…')).toContain(`
  bob: …
    note: no policy reads the claim "group"; did you mean "groups"?
  cyd: …
    note: no policy names the group "stuff"; did you mean "staff"?
  eva: …
    note: a token with these claims has expired: 2000-01-01T00:00:00.000Z
    note: the gateway would refuse that token; the one that this command made is valid for 24h all the same
  fay: …
    note: the gateway refuses the caller: the issuer is "https://other.example", and the gateway accepts only tokens of "${ISSUER}", compared byte for byte
`);
});

test.each<[what: string, args: readonly string[], message: string]>([
  [
    'an address that other machines reach',
    ['--as', 'ann', '--host', '0.0.0.0'],
    '--as is for this machine alone: the gateway accepts every client that has one of the tokens, and other machines may reach 0.0.0.0; leave --host out',
  ],
  [
    'a caller without a name',
    ['--as', 'groups=staff'],
    '--as groups=staff: this names no caller: write NAME, NAME,groups=GROUP,claim=VALUE, the claims as JSON, or a file of that; did you mean NAME,groups=staff?',
  ],
  [
    'a file without a subject',
    ['--as', 'nobody.json'],
    '--as nobody.json: the claims name no subject: "sub" must be a text',
  ],
  [
    'a gateway with anonymous callers',
    ['--as', 'ann'],
    '--as: the gateway asks callers for no token; give it an incomingAuth of type oidc (any issuer will do here, see docs/policies.md), or leave --as out',
  ],
])('`lintel dev --as` exits with code 2 for %s', async (_, args, message) => {
  await using folder = await temporaryFolder({
    'gateway.yaml': `${GROUP}---\n${inlineGateway('open', 'http://127.0.0.1:9/mcp')}`,
    'nobody.json': '{}',
  });
  const { code, stderr } = await run(PROGRAM.lintel, ['dev', '.', ...FREE_PORTS, ...args], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`lintel: ${message}`);
});

test.each<[text: string, claims: object]>([
  ['ann', { sub: 'ann' }],
  ['ann,groups=staff', { sub: 'ann', groups: ['staff'] }],
  [
    'ann,groups=staff,groups=ops,email=ann@example.com',
    { sub: 'ann', groups: ['staff', 'ops'], email: 'ann@example.com' },
  ],
  ['ann,team=a=b', { sub: 'ann', team: 'a=b' }],
  ['ann,team=', { sub: 'ann', team: '' }],
])('the option --as reads the claims of a caller from one word: %s', (text, claims) => {
  expect(parseCallerClaims(text)).toEqual(claims);
});

test.each(['', ',groups=staff', 'ann,staff', 'ann,=staff', 'ann,sub=ben'])('the option --as refuses %j', text => {
  expect(() => parseCallerClaims(text)).toThrow(
    'write NAME, NAME,groups=GROUP,claim=VALUE, the claims as JSON, or a file of that',
  );
});

test.each<[text: string, hint: string]>([
  ['ann,staff', '"staff" is no claim with a value: '],
  ['ann,staff', '; did you mean groups=staff?'],
  ['ann,groups=staff,ops', '; did you mean groups=ops?'],
  ['ann,roles=admin,ops', '; did you mean roles=ops?'],
  ['ann groups=staff', '; did you mean ann,groups=staff?'],
  ['ann:groups=staff', '; did you mean ann,groups=staff?'],
  ['groups=staff', '; did you mean NAME,groups=staff?'],
  ['ann,groups=', '"groups=" has no value; leave it out for a caller without groups'],
  ['["ann"]', 'expected one JSON object with the claims, and the text holds a list of 1 item'],
])('the error of --as for the misspelt caller %j contains %j', (text, hint) => {
  expect(() => parseCallerClaims(text)).toThrow(hint);
});

test('`lintel can --as` reads the claims of a caller from one word, such as ann,groups=staff', async () => {
  const ask = (as: string) => runLintel(['can', 'call', 'climate_search', '--as', as, 'examples/policies/specs'], {});
  expect(await ask('ann,groups=staff')).toMatchObject({ code: 0 });
  expect(await ask('ann,groups=staff,groups=interns')).toMatchObject({ code: 1 });
});
