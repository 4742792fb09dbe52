/** The address and credentials of the API server: from inside of a pod, or from a kubeconfig. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { validateAuthorities } from '#schemas';
import { toBearer } from './bearer.ts';
import { type Clock, systemClock } from './clock.ts';
import { KubeConfigError } from './config-error.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { type FileRules, ReloadingFile } from './reloading-file.ts';

/** Where the kubelet mounts the files of a ServiceAccount. */
const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The identity of calls. Never logged. */
export interface ApiCredentials {
  /** Value of the header `Authorization`. */
  readonly authorization?: string;
  /** PEM; either both members are set or neither. */
  readonly certificate?: string;
  readonly key?: string;
}

export interface KubeConfig {
  /** URL of the API server without a trailing slash. */
  readonly server: string;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  /** The name in the server's certificate, if it is not its host. */
  readonly serverName?: string | undefined;
  /** Whether the server's certificate is accepted without verification. */
  readonly isInsecure: boolean;
  /** HTTP proxy in front of the API server. */
  readonly proxyUrl?: string | undefined;
  /** Printable problems of the configuration that do not prevent its use, for the log. */
  readonly warnings: readonly string[];
  /**
   * PEM of the certificate authorities; undefined for the defaults.
   * @throws KubeConfigError
   */
  authorities(): Promise<string | undefined>;
  /**
   * The current credentials.
   * @throws KubeConfigError
   */
  credentials(): Promise<ApiCredentials>;
  /** Called when the server refused the credentials: the next call gets new ones. */
  forget(): void;
}

export interface ConfigChoice {
  /** The path of `--kubeconfig`; no other location is then searched. */
  readonly path?: string | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock?: Clock;
  /** Called with the reason when a changed certificate authority file is unusable and the previous content stays in use. */
  readonly onStale?: FileRules['onStale'];
  /** For tests. */
  readonly serviceAccountFolder?: string;
}

/**
 * Loads the configuration as other controllers do: `--kubeconfig`, then `KUBECONFIG`, then the pod's, then `~/.kube/config`.
 * @throws KubeConfigError
 */
export async function loadKubeConfig({
  path,
  env,
  clock = systemClock,
  onStale,
  serviceAccountFolder = SERVICE_ACCOUNT_FOLDER,
}: ConfigChoice): Promise<KubeConfig> {
  const authorities = createAuthoritiesRules(clock, onStale);
  if (path !== undefined) return await readKubeconfig([path], clock, authorities);
  const named = (env.KUBECONFIG ?? '').split(':').filter(part => part !== '');
  if (named.length > 0) return await readKubeconfig(await filterExisting(named), clock, authorities);
  if (env.KUBERNETES_SERVICE_HOST !== undefined)
    return await loadInClusterConfig(env, serviceAccountFolder, clock, authorities);
  const own = env.HOME === undefined ? [] : await filterExisting([join(env.HOME, '.kube', 'config')]);
  if (own.length > 0) return await readKubeconfig(own, clock, authorities);
  throw new KubeConfigError(
    'no cluster is configured: this process does not run in a pod, and there is neither --kubeconfig, nor KUBECONFIG, nor ~/.kube/config; --kubeconfig FILE names a cluster, and --standalone needs none',
  );
}

function createAuthoritiesRules(clock: Clock, onStale: FileRules['onStale']): FileRules {
  return {
    findProblem: pem => validateAuthorities(pem, new Date(clock.now())).problem,
    ...(onStale === undefined ? {} : { onStale }),
  };
}

/** Drops the paths of missing files: KUBECONFIG may name them, as in kubectl. */
async function filterExisting(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(path =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}

async function loadInClusterConfig(
  env: ConfigChoice['env'],
  folder: string,
  clock: Clock,
  rules: FileRules,
): Promise<KubeConfig> {
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  const port = env.KUBERNETES_SERVICE_PORT ?? '443';
  const field = 'configuration in the pod';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(server)) {
    throw new KubeConfigError(
      `${field}: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not an address: ${host}, ${port}`,
    );
  }
  const token = new ReloadingFile(join(folder, 'token'), field, clock);
  const authorities = new ReloadingFile(join(folder, 'ca.crt'), field, clock, rules);
  const namespace = new ReloadingFile(join(folder, 'namespace'), field, clock);
  const ownNamespace = (await namespace.text()).trim();
  await authorities.text();
  return {
    server,
    namespace: ownNamespace,
    isInsecure: false,
    warnings: [],
    authorities: () => authorities.text(),
    async credentials() {
      return { authorization: toBearer(await token.text(), `${field}: ${join(folder, 'token')}`) };
    },
    forget: () => token.forget(),
  };
}
