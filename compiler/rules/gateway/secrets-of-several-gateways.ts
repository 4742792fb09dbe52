import { compareText } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatList } from '../../text/describe.ts';
import type { SentSecret } from '../support/sent-secrets.ts';
import { listHosts } from './shared-secrets.ts';

/**
 * The check of `sharedSecrets` across gateways: gateways of one namespace share its Secrets, and their backends may belong to different
 * tenants. A secret that a single gateway sends to all of the hosts is reported for that gateway.
 *
 * @param shown the secrets of all gateways, in any order
 * @holds outgoingAuth and config.outgoingAuth | secrets | no secret is sent to two hosts, in one gateway or in several of a namespace |
 *   LNT6018
 * @apart it compares several gateways
 */
export function secretsOfSeveralGateways(shown: readonly SentSecret[]): Diagnostic[] {
  const bySecret = Map.groupBy(shown, ({ gateway, secret }) => JSON.stringify([gateway.namespace, secret]));
  return [...bySecret.values()].flatMap(report);
}

function report(uses: readonly SentSecret[]): Diagnostic[] {
  const hosts = listHosts(uses);
  const byGateway = [...Map.groupBy(uses, ({ gateway }) => gateway)]
    .map(([gateway, its]) => ({ gateway, uses: its, hosts: listHosts(its) }))
    .sort((a, b) => compareText(a.gateway.name, b.gateway.name));
  if (hosts.length < 2 || byGateway.some(entry => entry.hosts.length === hosts.length)) return [];
  const [first, ...others] = byGateway.flatMap(entry => entry.uses[0] ?? []);
  if (first === undefined) return [];
  const { resource, path } = first.location;
  const shown = byGateway.map(entry => `to ${formatList(entry.hosts)} by ${formatName(entry.gateway)}`);
  const message = `${first.secret} is sent ${shown.join(', ')}: each host can use it to call the others`;
  const related = others.map(({ gateway, location }) =>
    toRelatedLocation(`the same secret, sent by ${formatName(gateway)}`, location),
  );
  return [diagnose(resource.document, 'LNT6018', path, message, { related, ...(first.isVariable && IN_DOUBT) })];
}

/** The values of a Secret may differ between pods. */
const IN_DOUBT = {
  severity: 'hint',
  fix: 'use another secret for each host, and set in podTemplateSpec from which Secret each gateway reads the variable',
} as const;

function formatName({ kind, name }: Resource): string {
  return `${kind} "${name}"`;
}
