import type { SecretSource } from '#schemas';
import type { CompiledGateway } from '../../compile/gateways.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findMountedSecret } from '../../resolve/mounted-secret.ts';
import type { CompiledPaths } from '../compile-paths.ts';
import { isOnMachine } from './missing-secrets.ts';

/**
 * Drops findings that a Secret cannot be verified, if everything that bundles read from it is in the environment or in files of this machine.
 * Missing values are reported elsewhere, by their variables.
 */
export function withoutVerifiedSecrets(compiled: CompiledPaths): CompiledPaths {
  const { gateways, findings } = compiled.compilation;
  const secrets = Map.groupBy(gateways.flatMap(listSources), ({ secret }) => secret);
  const isVerified = ({ code, object, subject }: Diagnostic) => {
    const sources = code === 'LNT2004' ? secrets.get(`${object?.namespace} ${subject}`) : undefined;
    return sources?.every(({ source }) => isOnMachine(source)) === true;
  };
  const diagnostics = findings.diagnostics.filter(found => !isVerified(found));
  const counts = { ...findings.counts };
  for (const { severity } of findings.diagnostics.filter(isVerified)) counts[severity] -= 1;
  return { ...compiled, compilation: { ...compiled.compilation, findings: { ...findings, diagnostics, counts } } };
}

/** What a gateway's bundle reads from Secrets, each Secret in the form of findings. */
function listSources({
  object,
  bundle,
}: CompiledGateway): readonly { readonly secret: string; readonly source: SecretSource }[] {
  const ofServers = (bundle?.backends ?? []).flatMap(({ stdio }) =>
    (stdio?.env ?? []).flatMap(({ value }) => (value.type === 'secret' ? [value.from] : [])),
  );
  return [...(bundle?.secrets ?? []), ...ofServers].flatMap(source => {
    const name = findMountedSecret(source)?.name;
    return name === undefined ? [] : [{ secret: `${object.namespace} Secret "${name}"`, source }];
  });
}
