/** Replaces the active bundle: all parts of the gateway are prepared for the next bundle, then they all change in one step. */
import { formatCanonicalJson } from '#schemas';
import { type ActiveAuthenticator, openGatewayPolicy } from './active-authenticator.ts';
import { BundleError } from './bundle/bundle-error.ts';
import type { LoadedBundle } from './bundle/load.ts';
import type { Gateway, PreparedBundle } from './gateway/gateway.ts';
import { openAuthorizer, prepareCore, prepareLimits } from './gateway-parts.ts';
import type { AuditLog } from './observe/audit/audit-log.ts';
import { prepareAudit } from './observe/audit/open-audit.ts';
import type { Logger } from './observe/log.ts';
import type { ServedTelemetry } from './observe/served-telemetry.ts';
import type { ActiveAuthServer } from './open-auth-server.ts';
import { openAll } from './undo.ts';

/** The parts that a swap replaces. */
export interface SwappedParts {
  readonly gateway: Gateway;
  readonly callers: ActiveAuthenticator;
  readonly authServer: ActiveAuthServer;
  readonly audit: AuditLog;
  readonly telemetry: ServedTelemetry;
  /** Ends the GET streams and subscriptions of clients, which may reconnect. */
  readonly renewStreams: () => void;
}

/**
 * @param host the host on which clients connect
 * @throws BundleError and leaves the running bundle unchanged
 */
export function prepareSwap(
  next: LoadedBundle,
  host: string,
  { gateway, callers, authServer, audit, telemetry, renewStreams }: SwappedParts,
  log: Logger,
): Promise<PreparedBundle> {
  const { bundle } = next;
  return openAll(async undo => {
    if (
      formatCanonicalJson(bundle.sessionStorage ?? null) !== formatCanonicalJson(gateway.bundle.sessionStorage ?? null)
    ) {
      throw new BundleError(next.file, 'sessionStorage has changed: restart the process to store sessions there');
    }
    const isSamePolicy =
      formatCanonicalJson(bundle.authorization) === formatCanonicalJson(gateway.bundle.authorization);
    const authorizer = isSamePolicy ? gateway.authorizer : openAuthorizer(next, log);
    const policy = callers.isSame(bundle.incomingAuth) ? undefined : openGatewayPolicy(next, host, log, authServer);
    undo.add(() => policy?.close());
    const issuing = await authServer.prepare(next);
    undo.add(() => issuing.discard());
    const limits = await prepareLimits(next, gateway);
    undo.add(() => limits.discard());
    const recording = await prepareAudit(audit, next);
    undo.add(() => recording.cancel());
    const reporting = await telemetry.prepare(next);
    undo.add(() => reporting.discard());
    const core = await prepareCore(next, gateway, authorizer, () => {
      if (policy !== undefined) callers.replace(policy);
      issuing.use();
      limits.use();
      recording.apply();
      reporting.use();
    });
    undo.add(() => core.discard());
    return {
      use: () => {
        core.use();
        if (policy !== undefined) renewStreams(); // Clients with open streams must be authenticated by the new settings.
      },
      discard: () => void undo.run(),
    };
  });
}
