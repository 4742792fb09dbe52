import { describe, expect, test } from 'vitest';
import { OptionError } from '#shared/util';
import { readOptions, USAGE } from '../../../controller/index.ts';

const ENV = { HOME: '/home/jane' };
const STANDALONE = ['--standalone', '--repo', '.', '--out', '/tmp/out'];

describe('the command line of the controller', () => {
  test('the controller has default options for a cluster', () => {
    expect(readOptions([], ENV)).toEqual({
      mode: 'cluster',
      kubeconfig: undefined,
      namespace: undefined,
      stateDir: '/home/jane/.cache/lintel/controller',
      metrics: { host: '127.0.0.1', port: 8081 },
      webhook: undefined,
      image: undefined,
      networkPolicy: undefined,
      defaultServiceAccount: undefined,
      isSingleTenant: false,
      leaderElection: undefined,
      concurrent: 4,
      qps: 50,
      burst: 100,
      logLevel: 'info',
      compile: { wallMs: 60_000, heapMb: 512 },
      denial: undefined,
    });
  });

  test('the controller has default options for --standalone', () => {
    expect(readOptions(STANDALONE, ENV)).toEqual({
      mode: 'standalone',
      repo: '.',
      ref: {},
      path: '.',
      gitSecret: undefined,
      out: '/tmp/out',
      stateDir: '/home/jane/.cache/lintel/controller',
      intervalMs: 10_000,
      isOnce: false,
      logLevel: 'info',
      compile: { wallMs: 60_000, heapMb: 512 },
      denial: undefined,
    });
  });

  test.each<[readonly string[], object]>([
    [['--metrics-address', ':9000'], { metrics: { host: '0.0.0.0', port: 9000 } }],
    [['--webhook-address', '[::1]:9292'], { webhook: { host: '::1', port: 9292 } }],
    [['--network-policy', 'off'], { networkPolicy: false }],
    [['--network-policy', 'on'], { networkPolicy: true }],
    [['--single-tenant', '--image=a/b:c'], { isSingleTenant: true, image: 'a/b:c' }],
    [['--bridge-image', 'a/bridge:c'], { bridgeImage: 'a/bridge:c' }],
    [['--state-dir', '/var/lib/lintel'], { stateDir: '/var/lib/lintel' }],
    [['--compile-timeout', '1m30s', '--compile-memory', '1024'], { compile: { wallMs: 90_000, heapMb: 1024 } }],
    [['--deny-private-backends'], { denial: { except: [] } }],
    [
      ['--private-backend', '*.team.svc', '--deny-private-backends', '--private-backend', 'fd00::1'],
      { denial: { except: ['*.team.svc', 'fd00::1'] } },
    ],
    [[...STANDALONE, '--deny-private-backends'], { denial: { except: [] } }],
    [[...STANDALONE, '--semver', '>=1.0.0', '--interval', '1m'], { ref: { semver: '>=1.0.0' }, intervalMs: 60_000 }],
    [[...STANDALONE, '--git-secret', '/run/secrets/git'], { gitSecret: '/run/secrets/git' }],
    [[...STANDALONE, '--branch', 'main', '--once'], { ref: { branch: 'main' }, isOnce: true }],
  ])('the controller accepts the options %j', (args, expected) => {
    expect(readOptions(args, ENV)).toMatchObject(expected);
  });

  test('each controller process has its own identity for leader election, and the Lease is in the namespace of the pod', () => {
    const env = { ...ENV, POD_NAMESPACE: 'lintel-system', POD_NAME: 'controller-1' };
    const identities = [0, 1].map(() => {
      const options = readOptions(['--leader-elect'], env);
      if (typeof options === 'string' || options.mode !== 'cluster') throw new Error('not read');
      expect(options.leaderElection?.namespace).toBe('lintel-system');
      return options.leaderElection?.identity ?? '';
    });
    expect(identities[0]).toMatch(/^controller-1_/);
    expect(identities[0]).not.toBe(identities[1]);
    expect(readOptions(['--leader-elect', '--leader-election-namespace', 'ops'], env)).toMatchObject({
      leaderElection: { namespace: 'ops' },
    });
  });

  test.each<[readonly string[], string]>([
    [['--kube-config', 'x'], 'unknown option --kube-config; did you mean --kubeconfig?'],
    [['--quack'], 'unknown option --quack'],
    [['serve'], 'unexpected argument serve; every value belongs to an option'],
    [['--kubeconfig'], "Option '--kubeconfig <value>' argument missing"],
    [['--kubeconfig', ''], '--kubeconfig is empty'],
    [['--metrics-address', '8081'], '--metrics-address 8081: expected HOST:PORT, with an IPv6 address in brackets'],
    [['--metrics-address', ':99999'], '--metrics-address 99999: expected a port from 0 to 65535'],
    [['--concurrent', '0'], '--concurrent 0: expected a number from 1 to 64'],
    [['--kube-api-qps', 'many'], '--kube-api-qps many: expected a number from 1 to 10000'],
    [['--network-policy', 'yes'], '--network-policy yes: expected on or off'],
    [['--log-level', 'loud'], '--log-level loud: expected one of debug, info, warn, error, silent'],
    [['--compile-timeout', '60'], '--compile-timeout 60: expected a duration such as 30s, up to 24h'],
    [
      ['--single-tenant', '--default-service-account', 'a'],
      '--single-tenant and --default-service-account exclude each other: choose one',
    ],
    [['--leader-election-namespace', 'a'], '--leader-election-namespace has no effect without --leader-elect'],
    [['--private-backend', 'a'], '--private-backend makes an exception to --deny-private-backends: give both'],
    [['--deny-private-backends', '--private-backend', 'http://a'], '--private-backend http://a: expected a host'],
    [['--deny-private-backends', '--private-backend', ''], '--private-backend is empty'],
    [['--repo', '.'], '--repo is for use with --standalone'],
    [['--standalone', '--out', 'x'], '--standalone needs --repo: the URL or path of a repository'],
    [['--standalone', '--repo', 'x'], '--standalone needs --out: the folder to write into'],
    [[...STANDALONE, '--leader-elect'], '--leader-elect is for a cluster, not for --standalone'],
    [[...STANDALONE, '--tag', 'v1', '--branch', 'x'], '--branch and --tag: choose one of them'],
    [[...STANDALONE, '--interval', '10ms'], '--interval 10ms: expected 1s or more'],
    [[...STANDALONE, '--commit', 'abc'], '--commit abc: is not a full commit id'],
    [[...STANDALONE, '--branch', '--x'], '--branch'],
    [['--standalone', '--out', 'x', '--repo', 'http://git.example.com/a.git'], '--repo: the address is read over http'],
    [
      ['--standalone', '--out', 'x', '--repo', 'https://u:hunter2@a.example.com/b.git'],
      '--repo: the address contains credentials',
    ],
  ])('the controller refuses the options %j', (args, message) => {
    let error: unknown;
    try {
      readOptions(args, ENV);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(OptionError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('hunter2');
  });

  test('the controller needs --state-dir if HOME is not set', () => {
    expect(() => readOptions([], {})).toThrow('--state-dir DIR is required where HOME is not set');
  });

  test('--help and --version take precedence over other options, and the help names every option', () => {
    expect(readOptions(['--help', '--concurrent', '0'], ENV)).toBe('help');
    expect(readOptions(['--version'], ENV)).toBe('version');
    for (const flag of ['--kubeconfig', '--standalone', '--compile-memory', '--webhook-address']) {
      expect(USAGE).toContain(flag);
    }
    for (const line of USAGE.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });
});
