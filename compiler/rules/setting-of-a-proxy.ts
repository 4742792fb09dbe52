import { ACCEPTED_API_GROUPS, API_GROUP, type MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/** Features of a proxy in a cluster: authentication, filters, audit. A stdio server on this machine has no proxy. */
const OF_PROXIES = [
  'audit',
  'authServerRef',
  'authzConfig',
  'authzConfigRef',
  'externalAuthConfigRef',
  'oidcConfigRef',
  'rateLimiting',
  'telemetryConfigRef',
  'toolConfigRef',
  'webhookConfigRef',
] as const satisfies readonly (keyof MCPServerSpec)[];

/**
 * Only the gateway protects a stdio server on this machine: a spec that requires other protection must not be ignored silently. A server with an
 * image has a proxy.
 *
 * @holds Other kinds | MCPServer `command` | no field that only a proxy in a cluster supports; API group `lintel.dev` | LNT6022
 */
export function settingOfAProxy(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServer') return [];
  const authoredSpec = (resource.authored ?? {}) as MCPServerSpec;
  if (authoredSpec.command === undefined) return [];
  const isOfMachine = authoredSpec.image === undefined;
  const { document } = resource;
  const group = document.apiVersion.split('/', 1)[0] ?? '';
  const foreign =
    group === API_GROUP || !ACCEPTED_API_GROUPS.includes(group)
      ? []
      : [
          diagnose(
            document,
            'LNT6022',
            ['spec', 'command'],
            `an MCPServer of ${group} runs an image, not a command: its own operator refuses this object`,
            { fix: `write it as ${API_GROUP}` },
          ),
        ];
  const unguarded = OF_PROXIES.filter(field => isOfMachine && authoredSpec[field] !== undefined).map(field =>
    diagnose(
      document,
      'LNT6022',
      ['spec', field],
      `${field} is a setting of a proxy in a cluster, and a command runs without a proxy: the field would have no effect`,
    ),
  );
  return [...foreign, ...unguarded];
}
