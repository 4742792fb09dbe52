import { ACCEPTED_API_GROUPS, API_GROUP, type MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/** What a proxy in a cluster does for a server: who may call it, what is shown of it, what is recorded. No proxy is in front of a program. */
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

/** A program of this machine is guarded by the gateway alone: what asks for another guard must not be left out in silence. One of an image has a proxy. */
export function stdioPrograms(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServer') return [];
  const written = (resource.written ?? {}) as MCPServerSpec;
  if (written.command === undefined) return [];
  const isOfMachine = written.image === undefined;
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
  const unguarded = OF_PROXIES.filter(field => isOfMachine && written[field] !== undefined).map(field =>
    diagnose(
      document,
      'LNT6022',
      ['spec', field],
      `${field} is what a proxy in a cluster does, and none is in front of a command: nothing would do it`,
    ),
  );
  return [...foreign, ...unguarded];
}
