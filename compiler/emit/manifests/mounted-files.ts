/**
 * The files that a bundle reads and that manifests provide: values of Secrets, certificate authorities, and the pod's credentials for the
 * API server.
 */
import { compareText, type GatewayBundle, type RegistryBundle, type TokenProviderPlan } from '#schemas';
import { findMountedCaBundle, findMountedSecret } from '../../resolve/mounted-secret.ts';

export interface MountedFiles {
  /** Keys by name of the Secret, all sorted. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** ConfigMaps with certificate authorities, sorted. */
  readonly caBundles: readonly string[];
  /** Folders with the API server's token and certificate authorities; sorted. */
  readonly serviceAccountFolders: readonly string[];
}

/** Where programs look for the pod's API server credentials; in most images the second path links to the first. */
const SERVICE_ACCOUNT_FOLDERS = [
  '/var/run/secrets/kubernetes.io/serviceaccount',
  '/run/secrets/kubernetes.io/serviceaccount',
];

export function listMountedFiles(bundle: GatewayBundle | RegistryBundle): MountedFiles {
  const paths = bundle.kind === 'gateway' ? listGatewayFiles(bundle) : bundle.files.map(({ path }) => path);
  const keys = paths.flatMap(file => findMountedSecret({ env: null, file }) ?? []);
  return {
    secrets: new Map(
      [...Map.groupBy(keys, ({ name }) => name)]
        .sort(([a], [b]) => compareText(a, b))
        .map(([name, found]) => [name, [...new Set(found.map(({ key }) => key))].sort(compareText)]),
    ),
    caBundles: [...new Set(paths.flatMap(path => findMountedCaBundle(path) ?? []))].sort(compareText),
    serviceAccountFolders: SERVICE_ACCOUNT_FOLDERS.filter(folder => paths.some(path => path.startsWith(`${folder}/`))),
  };
}

function listGatewayFiles({ secrets, incomingAuth, backends, telemetry }: GatewayBundle): readonly string[] {
  const providers: readonly TokenProviderPlan[] = incomingAuth.type === 'oidc' ? incomingAuth.providers : [];
  return [
    ...secrets.flatMap(({ file }) => file ?? []),
    ...providers.flatMap(({ trust }) => (trust.type === 'file' ? [trust.path] : [])),
    ...backends.flatMap(({ caFile }) => caFile ?? []),
    ...(telemetry?.otlp?.caFile === undefined ? [] : [telemetry.otlp.caFile]),
  ];
}
