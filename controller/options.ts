/** The command line of `lintel-controller`. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseDurationMs } from '#compiler';
import {
  findGitRefProblem,
  findGitSourceProblem,
  INTERNAL_PORT,
  isPrivateException,
  type PrivateDenial,
} from '#schemas';
import { type Address, OptionError, type OptionValues, parseAddressOption, parseOptions } from '#shared/util';
import { LOG_LEVELS, type LogLevel } from './observe/log.ts';

export interface CompileLimitOptions {
  /** Maximum duration of a compilation, in milliseconds. */
  readonly wallMs: number;
  /** Maximum heap of a compilation, in megabytes. */
  readonly heapMb: number;
}

export interface ClusterOptions {
  readonly mode: 'cluster';
  readonly kubeconfig: string | undefined;
  /** The only watched namespace; undefined for all. */
  readonly namespace: string | undefined;
  /** Absolute path of the folder for data that can be fetched again. */
  readonly stateDir: string;
  readonly metrics: Address;
  /** The address of the webhook receiver; undefined without one. */
  readonly webhook: Address | undefined;
  readonly image: string | undefined;
  readonly bridgeImage: string | undefined;
  readonly networkPolicy: boolean | undefined;
  readonly defaultServiceAccount: string | undefined;
  readonly isSingleTenant: boolean;
  readonly leaderElection: { readonly namespace: string | undefined; readonly identity: string } | undefined;
  readonly concurrent: number;
  readonly qps: number;
  readonly burst: number;
  readonly logLevel: LogLevel;
  readonly compile: CompileLimitOptions;
  readonly denial: PrivateDenial | undefined;
}

export interface StandaloneOptions {
  readonly mode: 'standalone';
  /** URL of a repository, or a path on this machine. */
  readonly repo: string;
  readonly ref: {
    readonly branch?: string;
    readonly tag?: string;
    readonly semver?: string;
    readonly commit?: string;
  };
  /** Folder in the repository. */
  readonly path: string;
  /** Folder with the credentials for the repository; absolute. */
  readonly gitSecret: string | undefined;
  /** Absolute path of the folder for bundles. */
  readonly out: string;
  /** Absolute path of the folder for data that can be fetched again. */
  readonly stateDir: string;
  readonly intervalMs: number;
  readonly isOnce: boolean;
  readonly logLevel: LogLevel;
  readonly compile: CompileLimitOptions;
  readonly denial: PrivateDenial | undefined;
}

/** Minimum polling interval of a repository; milliseconds. */
const SHORTEST_INTERVAL_MS = 1_000;

export const USAGE: string = `Usage: lintel-controller [options]
       lintel-controller --standalone --repo URL|PATH --out DIR [options]

Applies the repositories of GatewaySources to a cluster. With --standalone it writes the bundles of one repository into
a folder, which \`lintel-runtime --watch\` serves.

The cluster:
  --kubeconfig FILE               kubeconfig (default: $KUBECONFIG, the account of the pod, ~/.kube/config)
  --namespace NAME                watch this namespace only (default: all)
  --default-service-account NAME  ServiceAccount that applies GatewaySources without serviceAccountName
  --single-tenant                 the account of the controller applies GatewaySources without serviceAccountName
  --image IMAGE                   image of the runtime in pods
  --bridge-image IMAGE            image of the bridge in pods of stdio servers
  --network-policy on|off         NetworkPolicies for gateways (default: on; annotations of gateways override it)
  --concurrent N                  GatewaySources that are reconciled at the same time (default 4)
  --kube-api-qps N                lasting rate of calls to the API server, per second (default 50)
  --kube-api-burst N              calls that may be made above that rate in one burst (default 100)
  --leader-elect                  act only while holding the Lease lintel-controller, so that several replicas may run
  --leader-election-namespace NS  namespace of the Lease (default: $POD_NAMESPACE, the namespace of the kubeconfig)
  --metrics-address ADDR          host:port of the dashboard, /metrics, /healthz and /readyz (default 127.0.0.1:${INTERNAL_PORT})
  --webhook-address ADDR          host:port where forges send webhooks about pushes (default: none)

Without a cluster:
  --standalone                    write bundles and status.json into a folder
  --repo URL|PATH                 the repository
  --branch NAME | --tag NAME | --semver RANGE | --commit ID
                                  the ref to follow (default: the default branch)
  --path PATH                     folder in the repository (default .)
  --git-secret DIR                credentials for the repository, as files: username and password, bearerToken, or
                                  identity and known_hosts; ca.crt for a private authority, and tls.crt
                                  and tls.key for a server that requires a client certificate
  --out DIR                       the folder to write into
  --interval DURATION             time between two reads of the repository, such as 10s or 1m (default 10s)
  --once                          read the repository once, and end with 0, or with 1 if the revision cannot be served

Both:
  --state-dir DIR                 mirrors of repositories, a cache (default $XDG_CACHE_HOME/lintel/controller, else
                                  ~/.cache/lintel/controller)
  --deny-private-backends         refuse backends, token endpoints and upstream registries at private and loopback
                                  addresses, even if specs and lintel.yaml allow them; Services of the cluster, too
  --private-backend HOST          exception to --deny-private-backends: a name such as tools.team.svc.cluster.local,
                                  *.team.svc.cluster.local, or an address; repeatable
  --compile-timeout DURATION      time limit of a compilation (default 60s)
  --compile-memory MB             largest heap of a compilation, in megabytes (default 512)
  --log-level LEVEL               ${LOG_LEVELS.join(', ')} (default info)
  --version                       print the version
  --help                          print this text

Exit codes: 0 stopped by a signal or --once done, 1 --once failed, 2 bad options or configuration, 70 internal error or
leadership lost.
`;

const FLAGS = {
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'default-service-account': { type: 'string' },
  'single-tenant': { type: 'boolean' },
  image: { type: 'string' },
  'bridge-image': { type: 'string' },
  'network-policy': { type: 'string' },
  concurrent: { type: 'string' },
  'kube-api-qps': { type: 'string' },
  'kube-api-burst': { type: 'string' },
  'leader-elect': { type: 'boolean' },
  'leader-election-namespace': { type: 'string' },
  'metrics-address': { type: 'string' },
  'webhook-address': { type: 'string' },
  standalone: { type: 'boolean' },
  repo: { type: 'string' },
  branch: { type: 'string' },
  tag: { type: 'string' },
  semver: { type: 'string' },
  commit: { type: 'string' },
  path: { type: 'string' },
  'git-secret': { type: 'string' },
  out: { type: 'string' },
  interval: { type: 'string' },
  once: { type: 'boolean' },
  'deny-private-backends': { type: 'boolean' },
  'private-backend': { type: 'string', multiple: true },
  'state-dir': { type: 'string' },
  'compile-timeout': { type: 'string' },
  'compile-memory': { type: 'string' },
  'log-level': { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Flag = keyof typeof FLAGS;
type Values = OptionValues<typeof FLAGS>;

const CLUSTER_ONLY: readonly Flag[] = [
  'kubeconfig',
  'namespace',
  'default-service-account',
  'single-tenant',
  'image',
  'bridge-image',
  'network-policy',
  'concurrent',
  'kube-api-qps',
  'kube-api-burst',
  'leader-elect',
  'leader-election-namespace',
  'metrics-address',
  'webhook-address',
];

const STANDALONE_ONLY: readonly Flag[] = [
  'repo',
  'branch',
  'tag',
  'semver',
  'commit',
  'path',
  'git-secret',
  'out',
  'interval',
  'once',
];

/**
 * Reads the command line.
 * @returns the options, or what to print instead of running
 * @throws OptionError
 */
export function readOptions(
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
): ClusterOptions | StandaloneOptions | 'help' | 'version' {
  const values = parseOptions(args, FLAGS);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  for (const [flag, value] of Object.entries(values)) {
    if (value === '' || (Array.isArray(value) && value.includes(''))) throw new OptionError(`--${flag} is empty`);
  }
  const isStandalone = values.standalone === true;
  const misplaced = (isStandalone ? CLUSTER_ONLY : STANDALONE_ONLY).find(flag => values[flag] !== undefined);
  if (misplaced !== undefined) {
    throw new OptionError(`--${misplaced} is for ${isStandalone ? 'a cluster, not for' : 'use with'} --standalone`);
  }
  return isStandalone ? readStandaloneOptions(values, env) : readClusterOptions(values, env);
}

function readClusterOptions(values: Values, env: { readonly [name: string]: string | undefined }): ClusterOptions {
  const webhook = values['webhook-address'];
  const policy = values['network-policy'];
  if (policy !== undefined && policy !== 'on' && policy !== 'off') {
    throw new OptionError(`--network-policy ${policy}: expected on or off`);
  }
  const electionNamespace = values['leader-election-namespace'];
  if (electionNamespace !== undefined && values['leader-elect'] !== true) {
    throw new OptionError('--leader-election-namespace has no effect without --leader-elect');
  }
  if (values['single-tenant'] === true && values['default-service-account'] !== undefined) {
    throw new OptionError('--single-tenant and --default-service-account exclude each other: choose one');
  }
  return {
    mode: 'cluster',
    kubeconfig: values.kubeconfig,
    namespace: values.namespace,
    stateDir: chooseStateDir(values, env),
    metrics: parseAddressOption('--metrics-address', values['metrics-address'] ?? `127.0.0.1:${INTERNAL_PORT}`),
    webhook: webhook === undefined ? undefined : parseAddressOption('--webhook-address', webhook),
    image: values.image,
    bridgeImage: values['bridge-image'],
    networkPolicy: policy === undefined ? undefined : policy === 'on',
    defaultServiceAccount: values['default-service-account'],
    isSingleTenant: values['single-tenant'] === true,
    leaderElection:
      values['leader-elect'] === true
        ? {
            namespace: electionNamespace ?? env.POD_NAMESPACE,
            // The part after `_` distinguishes processes on one machine, and successive pods with one name.
            identity: `${env.POD_NAME ?? hostname()}_${crypto.randomUUID()}`,
          }
        : undefined,
    concurrent: parseInteger('--concurrent', values.concurrent ?? '4', 1, 64),
    qps: parseInteger('--kube-api-qps', values['kube-api-qps'] ?? '50', 1, 10_000),
    burst: parseInteger('--kube-api-burst', values['kube-api-burst'] ?? '100', 1, 10_000),
    ...readCommonOptions(values),
  };
}

function readStandaloneOptions(
  values: Values,
  env: { readonly [name: string]: string | undefined },
): StandaloneOptions {
  const { repo, out, branch, tag, semver, commit } = values;
  if (repo === undefined) throw new OptionError('--standalone needs --repo: the URL or path of a repository');
  if (out === undefined) throw new OptionError('--standalone needs --out: the folder to write into');
  const refs = Object.entries({ branch, tag, semver, commit }).filter(([, ref]) => ref !== undefined);
  if (refs.length > 1) {
    throw new OptionError(`${refs.map(([name]) => `--${name}`).join(' and ')}: choose one of them`);
  }
  // Checked before anything is written, and without showing the value: an address with credentials would end up in logs and status.json.
  const isElsewhere = /^[a-z]+:\/\//i.test(repo) || /^[^/]+@[^/]+:/.test(repo);
  const problem = isElsewhere ? findGitSourceProblem(repo, true) : undefined;
  if (problem !== undefined) throw new OptionError(`--repo: the address ${problem}`);
  for (const [type, name] of Object.entries({ branch, tag, commit })) {
    const wrong = name === undefined ? undefined : findGitRefProblem(type as 'branch' | 'tag' | 'commit', name);
    if (wrong !== undefined) throw new OptionError(`--${type} ${name}: ${wrong}`);
  }
  const intervalMs = parseDuration('--interval', values.interval ?? '10s');
  if (intervalMs < SHORTEST_INTERVAL_MS) throw new OptionError(`--interval ${values.interval}: expected 1s or more`);
  return {
    mode: 'standalone',
    repo,
    ref: Object.fromEntries(refs),
    path: values.path ?? '.',
    gitSecret: values['git-secret'] === undefined ? undefined : resolve(values['git-secret']),
    out: resolve(out),
    stateDir: chooseStateDir(values, env),
    intervalMs,
    isOnce: values.once === true,
    ...readCommonOptions(values),
  };
}

function readCommonOptions(values: Values): Pick<ClusterOptions, 'logLevel' | 'compile' | 'denial'> {
  const level = values['log-level'] ?? 'info';
  const logLevel = LOG_LEVELS.find(known => known === level);
  if (logLevel === undefined) throw new OptionError(`--log-level ${level}: expected one of ${LOG_LEVELS.join(', ')}`);
  return {
    logLevel,
    compile: {
      wallMs: parseDuration('--compile-timeout', values['compile-timeout'] ?? '60s'),
      heapMb: parseInteger('--compile-memory', values['compile-memory'] ?? '512', 64, 65_536),
    },
    denial: toPrivateDenial(values['deny-private-backends'] === true, values['private-backend'] ?? []),
  };
}

function toPrivateDenial(isDenied: boolean, except: readonly string[]): PrivateDenial | undefined {
  const wrong = except.find(host => !isPrivateException(host));
  if (wrong !== undefined) {
    throw new OptionError(
      `--private-backend ${wrong}: expected a host, such as tools.team.svc or *.team.svc, or an address`,
    );
  }
  if (!isDenied && except.length > 0) {
    throw new OptionError('--private-backend makes an exception to --deny-private-backends: give both');
  }
  return isDenied ? { except } : undefined;
}

function chooseStateDir(values: Values, env: { readonly [name: string]: string | undefined }): string {
  const stateDir = values['state-dir'];
  if (stateDir !== undefined) return resolve(stateDir);
  const cache = env.XDG_CACHE_HOME ?? (env.HOME === undefined ? undefined : resolve(env.HOME, '.cache'));
  if (cache === undefined || cache === '') throw new OptionError('--state-dir DIR is required where HOME is not set');
  return resolve(cache, 'lintel', 'controller');
}

function parseInteger(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new OptionError(`${flag} ${text}: expected a number from ${least} to ${most}`);
  }
  return value;
}

/** Parses a duration in Go's syntax, as in specs. */
function parseDuration(flag: string, text: string): number {
  const ms = /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text) ? parseDurationMs(text) : 0;
  // Longer durations would make timers fire immediately.
  if (ms <= 0 || ms > 86_400_000) throw new OptionError(`${flag} ${text}: expected a duration such as 30s, up to 24h`);
  return ms;
}
