import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatList } from '../../text/describe.ts';
import { listSentSecrets, type SentSecret } from '../support/sent-secrets.ts';

/**
 * A host that receives a secret can use it wherever it is valid: two hosts must not share one.
 *
 * @holds outgoingAuth and config.outgoingAuth | secrets | no secret is sent to two hosts, in one gateway or in several of a namespace |
 *   LNT6018
 * @reads credentials
 */
export function sharedSecrets(gateway: GatewayModel): Diagnostic[] {
  const bySecret = Map.groupBy(listSentSecrets(gateway), ({ secret }) => secret);
  return [...bySecret.values()].flatMap(report);
}

function report(uses: readonly SentSecret[]): Diagnostic[] {
  const hosts = listHosts(uses);
  const [first, ...others] = uses;
  if (hosts.length < 2 || first === undefined) return [];
  const { resource, path } = first.location;
  const related = others
    .map(({ location }) => location)
    .filter(location => location.resource !== resource || location.path.join('/') !== path.join('/'))
    .map(location => toRelatedLocation('the same secret', location));
  const message = `${first.secret} is sent to ${formatList(hosts)}: each host can use it to call the others`;
  return [diagnose(resource.document, 'LNT6018', path, message, { related })];
}

/** The hosts that receive a secret, each once, sorted. */
export function listHosts(uses: readonly SentSecret[]): readonly string[] {
  return [...new Set(uses.map(({ host }) => host))].sort();
}
