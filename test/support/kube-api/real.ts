/** A real `kube-apiserver` with its `etcd`, from the folder in `KUBEBUILDER_ASSETS`, for suites that both servers must pass. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Agent } from 'undici';
import { ApiClient, type Connection } from './client.ts';

/** The folder with the programs. Undefined when the variable is not set: suites report that and are skipped. */
export const ASSETS: string | undefined = process.env.KUBEBUILDER_ASSETS || undefined;

export interface RealApi {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  readonly url: string;
  readonly token: string;
  /** PEM of the server's own certificate. */
  readonly ca: string;
  /** How a client reaches the server as administrator. */
  readonly connection: Connection;
  readonly client: ApiClient;
  request: ApiClient['request'];
  /** The text of a kubeconfig file for clients with this token. */
  kubeconfig(token: string): string;
  /** The requests of ServiceAccounts so far, in order; a watch is included as soon as it has begun. */
  audit(): Promise<readonly AuditEntry[]>;
}

/** One request, as far as suites read it (audit.k8s.io/v1 Event). */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  /** Set when `user` impersonated another user. */
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
}

/** How long the server may take to become ready; milliseconds. */
const LIMIT_MS = 300_000;

/** How often to try with other ports, because another program may take a free port before the server listens. */
const TRIES = 3;

/** @throws Error with the last output when the programs are missing or do not become ready */
export async function startRealApi(): Promise<RealApi> {
  if (ASSETS === undefined)
    throw new Error('KUBEBUILDER_ASSETS is not set: it names the folder of kube-apiserver and etcd');
  for (let left = TRIES; ; left--) {
    try {
      return await startOnce();
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

async function startOnce(): Promise<RealApi> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-kube-'));
  const [etcdPort, peerPort, port] = await Promise.all([freePort(), freePort(), freePort()]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const token = 'admin-token';
  await writeFile(
    join(folder, 'tokens.csv'),
    `${token},admin,admin,system:masters\nother-token,jane,jane,"developers"\n`,
  );
  const auditLog = join(folder, 'audit.log');
  await writeFile(join(folder, 'audit.json'), JSON.stringify(AUDIT_POLICY));
  const etcd = run(program('etcd'), [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  ]);
  const server = run(program('kube-apiserver'), [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--service-account-key-file=${join(folder, 'sa.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    // As in general-purpose clusters: admission decides whether a pod may be privileged.
    '--allow-privileged=true',
    `--audit-policy-file=${join(folder, 'audit.json')}`,
    `--audit-log-path=${auditLog}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // No controller manager runs that would create the default ServiceAccounts.
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const close = async () => {
    await server.stop();
    await etcd.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const ca = join(folder, 'certs', 'apiserver.crt');
    await until(
      // The key is written after the certificate, which is complete then.
      () => existsSync(join(folder, 'certs', 'apiserver.key')),
      [server, etcd],
    );
    const pem = await readFile(ca, 'utf8');
    const url = `https://127.0.0.1:${port}`;
    const connection: Connection = { url, token, dispatcher: new Agent({ connect: { ca: pem } }) };
    const client = new ApiClient(connection);
    await until(
      async () => (await client.request('GET', '/readyz').catch(() => undefined))?.status === 200,
      [server, etcd],
    );
    const closeAll = async () => {
      await client.close();
      await close();
    };
    return {
      url,
      token,
      ca: pem,
      connection,
      client,
      request: client.request.bind(client),
      kubeconfig: one => kubeconfigOf(url, pem, one),
      audit: async () => linesOf(await readFile(auditLog, 'utf8').catch(() => '')),
      close: closeAll,
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Records only requests of ServiceAccounts, because administrators and the server itself make many more. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }, { level: 'None' }],
};

/** The entries in the text of the audit log, whose last line may be incomplete. */
function linesOf(text: string): readonly AuditEntry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line) as AuditEntry);
}

function kubeconfigOf(server: string, ca: string, token: string): string {
  const named = (kind: string, value: object) => [{ name: 'test', [kind]: value }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: named('cluster', { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    users: named('user', { token }),
    contexts: named('context', { cluster: 'test', user: 'test' }),
  });
}

/** The path of a program in the folder; `etcd` may also be in PATH, because distributions package it. */
function program(name: string): string {
  const folders = [ASSETS ?? '', ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map(folder => join(folder, name)).find(existsSync);
  if (found === undefined) throw new Error(`there is no ${name} in ${ASSETS}, and none in the path`);
  return found;
}

function run(path: string, args: readonly string[]) {
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH ?? '' } });
  let tail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-4_000);
  });
  let isOver = false;
  const ended = new Promise<void>(resolve =>
    child.once('close', () => {
      isOver = true;
      resolve();
    }),
  );
  return {
    output: () => tail,
    isOver: () => isOver,
    stop: async () => {
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(hard);
    },
  };
}

async function until(
  check: () => boolean | Promise<boolean>,
  programs: readonly ReturnType<typeof run>[],
): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await check())) {
    const over = programs.find(one => one.isOver());
    if (over !== undefined) throw new Error(`a program of the API server ended: ${over.output()}`);
    const output = programs.map(one => one.output()).join('\n');
    if (performance.now() > end) throw new Error(`kube-apiserver is not ready after ${LIMIT_MS} ms: ${output}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
  });
}
