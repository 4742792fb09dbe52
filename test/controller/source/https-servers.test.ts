/** How we authenticate to a server over https, how we verify it, and that no other process gets the credentials. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SecretData } from '../../../controller/source/index.ts';
import { basic, GitServer } from '../../support/git-server.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { commandLines, expectRefused, PASSWORD, PrivateRepository, TOKEN, textsIn } from './private-repository.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

let remote: PrivateRepository;

beforeAll(async () => {
  remote = await PrivateRepository.create();
});
afterAll(() => remote[Symbol.asyncDispose]());
beforeEach(() => remote.startAfresh());

describe('https', () => {
  let server: GitServer;
  let expected: string;
  let onRequest = () => {};

  beforeAll(async () => {
    server = await GitServer.start({
      root: remote.folder.file('repositories'),
      isTls: true,
      intercept(request, response) {
        onRequest();
        if (request.headers.authorization === expected) return false;
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return true;
      },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    expected = basic(`lintel:${PASSWORD}`);
    onRequest = () => {};
  });

  const url = () => server.url('private.git');
  const login = { username: 'lintel', password: PASSWORD, 'ca.crt': TEST_CERTIFICATE };

  test.each<[what: string, secret: SecretData, header: string]>([
    ['a user name and a password', login, basic(`lintel:${PASSWORD}`)],
    [
      'a user name and a password with a line break at the end',
      { ...login, username: 'lintel\n', password: `${PASSWORD}\r\n` },
      basic(`lintel:${PASSWORD}`),
    ],
    ['a token', { bearerToken: `${TOKEN}\n`, 'ca.crt': TEST_CERTIFICATE }, `Bearer ${TOKEN}`],
  ])('the controller sends the credentials of a Secret to an HTTPS Git server: %s', async (_what, secret, header) => {
    expected = header;
    expect(filesIn((await remote.fetch(url(), secret)).folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  const see = 'check the Secret of spec.secretRef, and whether the user may read the repository';

  test.each<[what: string, secret: SecretData]>([
    ['the password', { ...login, password: 'guess' }],
    ['an expired token', { bearerToken: TOKEN, 'ca.crt': TEST_CERTIFICATE }],
    ['a request without credentials', { 'ca.crt': TEST_CERTIFICATE }],
  ])('a source stalls when the HTTPS Git server refuses %s', async (_what, secret) => {
    const refused = 'it asks for credentials and did not accept these, or got no credentials';
    await expectRefused(remote.fetch(url(), secret), `${url()}: ${refused}; ${see}`);
  });

  test.each([
    ['hello', 'holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----'],
    [TEST_CERTIFICATE.slice(0, 200), 'holds a certificate that is broken: encode it again as PEM'],
    [TEST_CERTIFICATE + TEST_KEY, 'holds a private key, which must not be where certificates are trusted'],
  ])('a source with an invalid ca.crt stalls before any request: case %#', async (pem, cause) => {
    server.requests.length = 0;
    await expect(remote.fetch(url(), { ...login, 'ca.crt': pem })).rejects.toThrow(`ca.crt ${cause}`);
    expect(server.requests).toEqual([]);
  });

  test.each<[what: string, secret: SecretData | null]>([
    ['the Secret has no ca.crt', { username: 'lintel', password: PASSWORD }],
    ['ca.crt has another CA', { ...login, 'ca.crt': TEST_AUTHORITY }],
    ['the source has no Secret', null],
  ])(
    'a source stalls before its first request when the certificate of the Git server is not trusted: %s',
    async (_what, secret) => {
      server.requests.length = 0;
      await expectRefused(
        remote.fetch(url(), secret),
        `${url()}: its certificate is not trusted, or has expired; add the certificate of its authority as ca.crt to spec.secretRef`,
      );
      expect(server.requests).toEqual([]);
    },
  );

  test('ca.crt of the Secret replaces the CA certificates of the machine', async () => {
    await remote.folder.write({ 'ca.pem': TEST_AUTHORITY });
    vi.stubEnv('GIT_SSL_CAINFO', remote.folder.file('ca.pem'));
    const tree = await remote.fetch(url(), login);
    vi.unstubAllEnvs();
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'private' });
  });

  test.each<[what: string, secret: SecretData, problem: string]>([
    ['a user name without a password', { username: 'lintel' }, 'username and password are both required'],
    ['a password without a user name', { password: PASSWORD }, 'username and password are both required'],
    ['two kinds of credentials', { ...login, bearerToken: TOKEN }, 'it holds several kinds of credentials'],
    [
      'a token with a line break',
      { bearerToken: `${TOKEN}\nX-Evil: 1` },
      'bearerToken has a character that a token cannot have',
    ],
    [
      'a user name with a colon',
      { ...login, username: 'a:b' },
      'username has a colon or a control character, which basic authentication cannot carry',
    ],
    [
      'a password with a line break',
      { ...login, password: `a\nb` },
      'password has a control character, which basic authentication cannot carry',
    ],
  ])('a source stalls before any request when its Secret has %s', async (_what, secret, problem) => {
    server.requests.length = 0;
    await expectRefused(remote.fetch(url(), secret), `Secret team/git: ${problem}; ${see}`);
    expect(server.requests).toEqual([]);
  });

  test.runIf(process.platform === 'linux').each<[what: string, secret: SecretData, secretTexts: string[]]>([
    ['a password', login, [PASSWORD, basic(`lintel:${PASSWORD}`).slice('Basic '.length)]],
    ['a token', { bearerToken: TOKEN, 'ca.crt': TEST_CERTIFICATE }, [TOKEN]],
  ])('Git credentials are in the arguments of no process and in no file: %s', async (what, secret, secretTexts) => {
    expected = what === 'a token' ? `Bearer ${TOKEN}` : expected;
    const seen = new Set<string>();
    let files = '';
    onRequest = () => {
      for (const line of commandLines()) seen.add(line);
      files += textsIn(remote.stateDir);
    };
    await remote.fetch(url(), secret);
    files += textsIn(remote.stateDir);
    const lines = [...seen].filter(line => line.includes(url()));
    expect(
      lines.some(line => line.includes('remote-https')),
      'the process that sends them was seen',
    ).toBe(true);
    for (const text of secretTexts) {
      for (const line of seen) expect(line).not.toContain(text);
      expect(files).not.toContain(text);
    }
  });

  test('the controller sends credentials to no other server after a redirect', async () => {
    await using other = await GitServer.start({ root: remote.folder.file('repositories'), isTls: true });
    await using first = await GitServer.start({
      root: remote.folder.file('repositories'),
      isTls: true,
      intercept(request, response) {
        response.writeHead(307, { location: `${other.origin}${request.url}` }).end();
        return true;
      },
    });
    await expect(remote.fetch(first.url('private.git'), login)).rejects.toThrow(
      `${first.url('private.git')}: it redirects, which is not followed; write the target of the redirect in spec.url`,
    );
    expect(first.requests[0]?.authorization).toBe(basic(`lintel:${PASSWORD}`));
    expect(other.requests).toEqual([]);
  });

  test('a source that the Git server refuses gets no data from a mirror of another source', async () => {
    const commit = remote.repository.git(['rev-parse', 'main']);
    const spec = { url: url(), ref: { commit } };
    const secrets = { good: login, bad: { ...login, password: 'guess' } };
    const sources = repositoryIn(remote.stateDir, secrets, { isLocalAllowed: false });
    await sources.fetchLatest(findSource({ ...spec, secretRef: { name: 'good' } }, { name: 'a' }), undefined, never);
    const other = findSource({ ...spec, secretRef: { name: 'bad' } }, { name: 'b' });
    await expect(sources.fetchLatest(other, undefined, never)).rejects.toMatchObject({
      reason: 'AuthenticationFailed',
    });
  });
});
