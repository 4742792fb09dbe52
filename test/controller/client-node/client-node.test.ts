/**
 * How `@kubernetes/client-node` behaves in the cases for which the controller has its own client (`controller/adr/0001`). A test that fails with
 * another version is a reason to reconsider that record.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { eventually, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { TEST_AUTHORITY } from '../../support/tls-fixture.ts';

/** The part that is used here. The package's own types exist only where the peers are installed. */
interface ClientNode {
  KubeConfig: new () => KubeConfig;
  Watch: new (
    config: KubeConfig,
  ) => {
    watch(path: string, query: object, event: (type: string) => void, done: (error: unknown) => void): Promise<unknown>;
  };
  KubernetesObjectApi: {
    makeApiClient(config: KubeConfig): { read(object: object): Promise<{ spec: Record<string, unknown> }> };
  };
}

interface KubeConfig {
  loadFromString(text: string): void;
  loadFromFile(path: string): void;
  loadFromDefault(): void;
  applySecurityAuthentication(context: RequestContext): Promise<void>;
}

class RequestContext {
  readonly headers: Record<string, string> = {};
  dispatcher: unknown;
  setHeaderParam(name: string, value: string): void {
    this.headers[name] = value;
  }
  setDispatcher(dispatcher: unknown): void {
    this.dispatcher = dispatcher;
  }
}

/** A secret in a kubeconfig, which no message may contain. */
const TOKEN = 'seekrit-1234';

function kubeconfig(user: object, { server = 'https://127.0.0.1:6443', context = { cluster: 'c', user: 'u' } } = {}) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user }],
  });
}

withPeers('@kubernetes/client-node').describe('@kubernetes/client-node', () => {
  let library: ClientNode;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    const name: string = '@kubernetes/client-node';
    library = await import(name);
    folder = await temporaryFolder();
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());
  beforeEach(() => {
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
  });

  const loaded = (text: string): KubeConfig => {
    const config = new library.KubeConfig();
    config.loadFromString(text);
    return config;
  };

  const headersOf = async (config: KubeConfig): Promise<Record<string, string>> => {
    const context = new RequestContext();
    await config.applySecurityAuthentication(context);
    return context.headers;
  };

  test('@kubernetes/client-node sends no token that is in the `tokenFile` of a user', async () => {
    await folder.write({ token: TOKEN });
    expect(await headersOf(loaded(kubeconfig({ tokenFile: folder.file('token') })))).toEqual({});
  });

  test('@kubernetes/client-node fails at a missing file of KUBECONFIG', () => {
    vi.stubEnv('KUBECONFIG', folder.file('missing'));
    expect(() => new library.KubeConfig().loadFromDefault()).toThrow('ENOENT');
  });

  test('@kubernetes/client-node fails when two files of KUBECONFIG have the same cluster', async () => {
    await folder.write({ one: kubeconfig({}), two: kubeconfig({}) });
    vi.stubEnv('KUBECONFIG', `${folder.file('one')}:${folder.file('two')}`);
    expect(() => new library.KubeConfig().loadFromDefault()).toThrow('Duplicate cluster: c');
  });

  test('@kubernetes/client-node puts a token into the error about the line that has the token', () => {
    expect(() => loaded(`users:\n- name: u\n  user:\n    token: ${TOKEN}: "\n`)).toThrow(TOKEN);
  });

  test('@kubernetes/client-node puts the output of a credential program into its error', async () => {
    await folder.write({ prints: `#!/bin/sh\necho '${TOKEN}'\n` });
    chmodSync(folder.file('prints'), 0o755);
    const config = loaded(kubeconfig({ exec: { command: folder.file('prints') } }));
    await expect(headersOf(config)).rejects.toThrow(TOKEN.slice(0, 7));
  });

  test('@kubernetes/client-node sends requests without credentials for a context whose user is missing', async () => {
    const context = { cluster: 'c', user: 'nobody' };
    expect(await headersOf(loaded(kubeconfig({ token: TOKEN }, { context })))).toEqual({});
  });

  test('@kubernetes/client-node gives a credential program no KUBERNETES_EXEC_INFO, and starts it once for each waiting call', async () => {
    const credential = { kind: 'ExecCredential', status: { token: TOKEN } };
    await folder.write({
      started: '',
      counted: `#!/bin/sh\necho "info:$KUBERNETES_EXEC_INFO" >>'${folder.file('started')}'\necho '${JSON.stringify(credential)}'\n`,
    });
    chmodSync(folder.file('counted'), 0o755);
    const exec = { command: folder.file('counted'), provideClusterInfo: true };
    const config = loaded(kubeconfig({ exec }));
    await Promise.all([headersOf(config), headersOf(config)]);
    expect(readFileSync(folder.file('started'), 'utf8')).toBe('info:\ninfo:\n');
  });

  test('@kubernetes/client-node creates a dispatcher, and with it a connection, for each request', async () => {
    const authority = Buffer.from(TEST_AUTHORITY).toString('base64');
    const text = kubeconfig({ token: TOKEN }).replace(
      '{"server"',
      `{"certificate-authority-data":"${authority}","server"`,
    );
    const config = loaded(text);
    const [one, two] = [new RequestContext(), new RequestContext()];
    await config.applySecurityAuthentication(one);
    await config.applySecurityAuthentication(two);
    expect(one.dispatcher).toBeDefined();
    expect(one.dispatcher).not.toBe(two.dispatcher);
  });

  /** Plays an API server over plain HTTP, which the library accepts where it does not verify certificates. */
  const answering = async (answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<KubeConfig> => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const text = kubeconfig({}, { server: `http://127.0.0.1:${port}` });
    return loaded(text.replace('{"server"', '{"insecure-skip-tls-verify":true,"server"'));
  };

  test('@kubernetes/client-node skips a watch event that is not JSON, so that a cache misses the change', async () => {
    const config = await answering((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end('{"type":"ADDED","object":{}}\n{"type":"DELETED","obj\n{"type":"MODIFIED","object":{}}\n');
    });
    const types: string[] = [];
    const ends: unknown[] = [];
    await new library.Watch(config).watch(
      '/api/v1/pods',
      {},
      type => types.push(type),
      error => ends.push(error),
    );
    await eventually(() => ends.length > 0);
    expect({ types, ends }).toEqual({ types: ['ADDED', 'MODIFIED'], ends: [null] });
  });

  test('@kubernetes/client-node drops fields of an object that its version does not know', async () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'd' },
      spec: { containers: [{ name: 'c', image: 'i' }], fieldOfTomorrow: true },
    };
    const resources = [{ name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get'] }];
    const config = await answering((req, res) => {
      const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1', resources };
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify(req.url === '/api/v1' ? list : object));
    });
    const { spec } = await library.KubernetesObjectApi.makeApiClient(config).read(object);
    expect(Object.keys(spec)).toContain('containers');
    expect(spec).not.toHaveProperty('fieldOfTomorrow');
  });
});
