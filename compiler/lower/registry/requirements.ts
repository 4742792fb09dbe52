import {
  compareText,
  type FileRequirement,
  type RegistryBundle,
  type RegistryFeature,
  type RegistryOrigin,
} from '#schemas';

type RegistryParts = Pick<RegistryBundle, 'audit' | 'auth' | 'authorization' | 'sources' | 'telemetry'>;

/** The features that a runtime needs to serve the plan. */
export function listFeatures({ audit, auth, authorization, sources, telemetry }: RegistryParts): RegistryFeature[] {
  const features: RegistryFeature[] = ['registry'];
  if (audit !== undefined) features.push('registry-audit');
  if (auth.mode === 'oauth') {
    features.push('registry-oauth');
    if (auth.providers.some(({ introspection }) => introspection !== null)) features.push('registry-introspection');
  }
  if (authorization.type === 'claims') features.push('registry-claims');
  for (const { from } of sources) features.push(`registry-source-${from.type}`);
  if (telemetry !== undefined) features.push('registry-telemetry');
  return [...new Set(features)].sort(compareText);
}

function listOriginFiles(from: RegistryOrigin): [string, FileRequirement['use']][] {
  if (!('credentials' in from) || !from.credentials) return [];
  const { credentials } = from;
  return 'tokenFile' in credentials ? [[credentials.tokenFile, 'token']] : [[credentials.passwordFile, 'password']];
}

/** The files of the plan: manifests mount them, and the runtime checks them before it serves. */
export function listFiles({ auth, sources }: RegistryParts): FileRequirement[] {
  const providers = auth.mode === 'oauth' ? auth.providers : [];
  const files: [string | null, FileRequirement['use']][] = [
    ...providers.flatMap(({ trust, keysToken, introspection }): [string | null, FileRequirement['use']][] => [
      [trust.type === 'file' ? trust.path : null, 'ca-certificates'],
      [keysToken?.file ?? null, 'token'],
      [introspection?.credentials.type === 'basic' ? introspection.credentials.secret.file : null, 'client-secret'],
    ]),
    ...sources.flatMap(({ from }) => listOriginFiles(from)),
  ];
  const byKey = new Map(
    files.flatMap(([path, use]) => (path === null ? [] : [[JSON.stringify([path, use]), { path, use }] as const])),
  );
  return [...byKey.values()].sort((a, b) => compareText(a.path, b.path) || compareText(a.use, b.use));
}
