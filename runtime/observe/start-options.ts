import type { PrivateDenial } from '#schemas';

/** The options of this process that change which clients may call it or which addresses it contacts; no bundle contains them. */
export interface StartOptions {
  /** Of `--allowed-origin`. */
  readonly allowedOrigins: readonly string[];
  /** Of `--deny-private-backends`. */
  readonly denyPrivateBackends: boolean;
  /** Of `--private-backend`. */
  readonly privateBackends: readonly string[];
}

export function describeStartOptions({
  allowedOrigins = [],
  denial,
}: {
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly denial?: PrivateDenial | undefined;
}): StartOptions {
  return { allowedOrigins, denyPrivateBackends: denial !== undefined, privateBackends: denial?.except ?? [] };
}
