import { describe, expect, test } from 'vitest';
import { type KubeConfig, KubeConfigError, loadKubeConfig } from '../../../controller/kube/index.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { TestClock } from '../../support/test-clock.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';

const SECRET = 'top-secret';

const base64 = (text: string) => Buffer.from(text).toString('base64');

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

function kubeconfig({ cluster, user = {}, context }: Parts = {}): string {
  return JSON.stringify({
    'current-context': 'here',
    contexts: [
      { name: 'elsewhere', context: {} },
      { name: 'here', context: { cluster: 'c', user: 'u', ...context } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

async function load(folder: TemporaryFolder, clock = new TestClock()): Promise<KubeConfig> {
  return await loadKubeConfig({ path: folder.file('config'), env: {}, clock });
}

describe('a kubeconfig', () => {
  test('a kubeconfig gives the server and the credentials of its current context', async () => {
    await using folder = await temporaryFolder({
      config: kubeconfig({
        cluster: {
          server: 'https://10.0.0.1:6443/k8s/',
          'tls-server-name': 'api',
          'certificate-authority-data': base64(TEST_CERTIFICATE),
          'proxy-url': 'http://proxy:3128',
        },
        context: { namespace: 'team' },
        user: { token: 'abc' },
      }),
    });
    const config = await load(folder);
    expect(config).toMatchObject({
      server: 'https://10.0.0.1:6443/k8s',
      namespace: 'team',
      serverName: 'api',
      isInsecure: false,
      proxyUrl: 'http://proxy:3128',
      warnings: [],
    });
    expect(await config.authorities()).toBe(TEST_CERTIFICATE);
    expect(await config.credentials()).toEqual({ authorization: 'Bearer abc' });
  });

  test('paths in a kubeconfig are relative to its folder, and tokenFile takes precedence over token', async () => {
    await using folder = await temporaryFolder({
      config: kubeconfig({
        cluster: { 'certificate-authority': 'pki/ca.crt' },
        user: {
          'client-certificate': 'pki/me.crt',
          'client-key-data': base64(TEST_KEY),
          tokenFile: 'token',
          token: 'old',
        },
      }),
      'pki/ca.crt': TEST_CERTIFICATE,
      'pki/me.crt': TEST_CERTIFICATE,
      token: 'fresh\n',
    });
    const config = await load(folder);
    expect(await config.authorities()).toBe(TEST_CERTIFICATE);
    expect(await config.credentials()).toEqual({
      certificate: TEST_CERTIFICATE,
      key: TEST_KEY,
      authorization: 'Bearer fresh',
    });
  });

  test('the controller reads a token file again after a minute, and at once when the API server refuses the token', async () => {
    await using folder = await temporaryFolder({ config: kubeconfig({ user: { tokenFile: 'token' } }), token: 'one' });
    const clock = new TestClock();
    const config = await load(folder, clock);
    const token = async () => (await config.credentials()).authorization;
    expect(await token()).toBe('Bearer one');
    await folder.write({ token: 'two' });
    await clock.pass(59_000);
    expect(await token()).toBe('Bearer one');
    await clock.pass(1_000);
    expect(await token()).toBe('Bearer two');
    await folder.write({ token: 'three' });
    config.forget();
    expect(await token()).toBe('Bearer three');
  });

  test('the controller merges several kubeconfig files, and takes each setting from the first file that has it', async () => {
    await using folder = await temporaryFolder({
      a: JSON.stringify({ clusters: [{ name: 'c', cluster: { server: 'https://first' } }] }),
      b: kubeconfig({ user: { token: 'b' } }),
    });
    const env = { KUBECONFIG: `${folder.file('a')}:${folder.file('missing')}:${folder.file('b')}` };
    const config = await loadKubeConfig({ env });
    expect(config.server).toBe('https://first');
    expect(await config.credentials()).toEqual({ authorization: 'Bearer b' });
  });

  test.each<[string, Parts, string]>([
    [
      'certificates that are not checked',
      { cluster: { 'insecure-skip-tls-verify': true } },
      'insecure-skip-tls-verify',
    ],
    ['plain http', { cluster: { server: 'http://10.0.0.1:8080' } }, 'plain http'],
  ])('a kubeconfig causes a warning for %s', async (_name, parts, warning) => {
    await using folder = await temporaryFolder({ config: kubeconfig(parts) });
    expect((await load(folder)).warnings).toEqual([expect.stringContaining(warning)]);
  });

  test.each<[string, string, string]>([
    ['a text that is not YAML', `users: [{ token: ${SECRET}\nx`, 'config: not YAML in line'],
    ['a list instead of a map', '- a', 'config: is not a kubeconfig: expected a map'],
    ['a missing current-context', '{}', 'config: current-context is not set'],
    ['an unknown user', kubeconfig({ context: { user: 'x' } }), 'config: there is no user named "x" in users'],
    ['an empty server', kubeconfig({ cluster: { server: '' } }), 'config: clusters[0].cluster.server: is missing'],
    [
      'credentials in the URL',
      kubeconfig({ cluster: { server: `https://me:${SECRET}@10.0.0.1` } }),
      'config: clusters[0].cluster.server: expected an https URL without credentials and query',
    ],
    [
      'an invalid CA certificate',
      kubeconfig({ cluster: { 'certificate-authority-data': base64(SECRET) } }),
      'config: clusters[0].cluster.certificate-authority-data: expected PEM in base64',
    ],
    [
      'a client key without its certificate',
      kubeconfig({ user: { 'client-key-data': base64(TEST_KEY) } }),
      'config: users[0].user: a client certificate and its key belong together; one is missing',
    ],
    [
      'a SOCKS proxy',
      kubeconfig({ cluster: { 'proxy-url': `socks5://me:${SECRET}@proxy` } }),
      'config: clusters[0].cluster.proxy-url: expected an http or https URL; other proxies are not supported',
    ],
    [
      'a password',
      kubeconfig({ user: { username: 'me', password: SECRET } }),
      'config: users[0].user.username: not supported; use a token, a client certificate or exec',
    ],
    [
      'an old version of exec',
      kubeconfig({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'x' } } }),
      'config: users[0].user.exec.apiVersion: only client.authentication.k8s.io/v1 is supported',
    ],
  ])('the error for a kubeconfig with a mistake names the file and the field: %s', async (_name, text, message) => {
    await using folder = await temporaryFolder({ config: text });
    const error = await load(folder).catch(error => error);
    expect(error).toBeInstanceOf(KubeConfigError);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(SECRET);
  });

  test.each([
    ['a token of two lines', 'a\nb', 'the token has blanks, line breaks or characters beyond ASCII'],
    ['an empty token', '\n', 'the token is empty'],
  ])('the controller refuses a token file whose token cannot be sent: %s', async (_name, token, message) => {
    await using folder = await temporaryFolder({ config: kubeconfig({ user: { tokenFile: 'token' } }), token });
    await expect((await load(folder)).credentials()).rejects.toThrow(message);
  });
});

describe('a credential program', () => {
  const exec = (script: string, more: object = {}): string =>
    kubeconfig({
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: process.execPath,
          args: ['-e', script],
          ...more,
        },
      },
    });
  /** The number of times that the token was requested. */
  const COUNTING = `
    const fs = require('node:fs');
    const file = process.env.COUNT;
    const count = fs.existsSync(file) ? Number(fs.readFileSync(file)) + 1 : 1;
    fs.writeFileSync(file, String(count));
    const { apiVersion, kind, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    const token = [spec.interactive, spec.cluster?.server, count].join('|');
    console.log(JSON.stringify({ apiVersion, kind, status: { token, expirationTimestamp: '2026-01-01T00:10:00Z' } }));`;

  test('the controller runs the credential program of a kubeconfig again only when the token expires or the API server refuses it', async () => {
    await using folder = await temporaryFolder();
    const env = [{ name: 'COUNT', value: folder.file('count') }];
    await folder.write({ config: exec(COUNTING, { env, provideClusterInfo: true }) });
    const clock = new TestClock();
    const config = await load(folder, clock);
    const token = async () => (await config.credentials()).authorization;
    const expected = (count: number) => `Bearer false|https://10.0.0.1:6443|${count}`;
    expect(await Promise.all([token(), token()])).toEqual([expected(1), expected(1)]);
    await clock.pass(9 * 60_000);
    expect(await token()).toBe(expected(1));
    await clock.pass(55_000);
    expect(await token()).toBe(expected(2));
    config.forget();
    expect(await token()).toBe(expected(3));
  });

  test.each<[string, string, object, string]>([
    ['that fails', 'process.exit(3)', {}, 'exit code 3'],
    [
      'that does not exist',
      '',
      { command: 'no-such-program', installHint: 'see the wiki' },
      'the program does not exist; see the wiki',
    ],
    ['whose output is not JSON', `console.log("${SECRET}")`, {}, 'the answer of the program is not JSON'],
    [
      'whose output is not an ExecCredential',
      'console.log("{}")',
      {},
      'is not an ExecCredential of client.authentication.k8s.io/v1',
    ],
  ])('the controller reports a credential program %s', async (_name, script, more, message) => {
    await using folder = await temporaryFolder({ config: exec(script, more) });
    const error = await (await load(folder)).credentials().catch(error => error);
    expect(error).toBeInstanceOf(KubeConfigError);
    expect(error.message).toContain('users[0].user.exec');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(SECRET);
  });
});

describe('in a pod', () => {
  test.each([
    ['10.0.0.1', 'https://10.0.0.1:443'],
    ['fd00::1', 'https://[fd00::1]:443'],
  ])(
    'a controller in a pod takes the address of the API server from the environment, and reads a rotated token: %s',
    async (host, server) => {
      const files = { token: 'pod-token', 'ca.crt': TEST_CERTIFICATE, namespace: 'lintel-system\n' };
      await using folder = await temporaryFolder(files);
      const clock = new TestClock();
      const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' };
      const config = await loadKubeConfig({ env, serviceAccountFolder: folder.path, clock });
      expect(config).toMatchObject({ server, namespace: 'lintel-system', isInsecure: false });
      expect(await config.authorities()).toBe(TEST_CERTIFICATE);
      expect(await config.credentials()).toEqual({ authorization: 'Bearer pod-token' });
      await folder.write({ token: 'rotated' });
      await clock.pass(60_000);
      expect(await config.credentials()).toEqual({ authorization: 'Bearer rotated' });
    },
  );

  test('a controller in a pod keeps its last CA certificate when a replacement is broken', async () => {
    const files = { token: 'pod-token', 'ca.crt': TEST_CERTIFICATE, namespace: 'lintel-system' };
    await using folder = await temporaryFolder(files);
    const clock = new TestClock();
    const told: string[] = [];
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const onStale = (message: string) => void told.push(message);
    const config = await loadKubeConfig({ env, serviceAccountFolder: folder.path, clock, onStale });
    await folder.write({ 'ca.crt': `${TEST_CERTIFICATE}-----BEGIN CERTIFICATE-----` });
    for (let n = 0; n < 3; n++) {
      await clock.pass(60_000);
      expect(await config.authorities()).toBe(TEST_CERTIFICATE);
    }
    const cause = 'holds one of 2 certificates that is broken: encode it again as PEM';
    expect(told).toEqual([
      `configuration in the pod: ${folder.file('ca.crt')} ${cause}; the previous content stays in use`,
    ]);
    await folder.write({ 'ca.crt': TEST_AUTHORITY });
    await clock.pass(60_000);
    expect(await config.authorities()).toBe(TEST_AUTHORITY);
  });

  test.each([
    ['', 'is empty'],
    ['hello', 'holds no PEM certificate'],
    [TEST_CERTIFICATE + TEST_KEY, 'holds a private key'],
  ])('a controller in a pod fails to start with an unusable CA certificate: case %#', async (pem, cause) => {
    await using folder = await temporaryFolder({ token: 'pod-token', 'ca.crt': pem, namespace: 'lintel-system' });
    const choice = { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, serviceAccountFolder: folder.path };
    const loaded = loadKubeConfig(choice);
    await expect(loaded).rejects.toBeInstanceOf(KubeConfigError);
    await expect(loaded).rejects.toThrow(`configuration in the pod: ${folder.file('ca.crt')} ${cause}`);
  });

  test('a controller in a pod without the files of its service account fails to start', async () => {
    await using folder = await temporaryFolder();
    const choice = { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, serviceAccountFolder: folder.path };
    await expect(loadKubeConfig(choice)).rejects.toThrow(`cannot read ${folder.file('namespace')}: ENOENT`);
  });
});

test('a controller outside of a pod without a kubeconfig fails to start, and the error says what to do', async () => {
  await using folder = await temporaryFolder();
  await expect(loadKubeConfig({ env: { HOME: folder.path } })).rejects.toThrow(
    'no cluster is configured: this process does not run in a pod, and there is neither --kubeconfig, nor KUBECONFIG, nor ~/.kube/config; --kubeconfig FILE names a cluster, and --standalone needs none',
  );
});
