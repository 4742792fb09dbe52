/** Secrets by reference: a bundle names where a value is stored and never contains one. */

/**
 * Where a secret value is read at run time: from a mounted file, which is read again when it changes, or from an environment variable. At least
 * one is set; if both are, the file wins when it exists.
 */
export interface SecretSource {
  /** Name of an environment variable. */
  readonly env: string | null;
  /** Absolute path. One trailing line break is not part of the value. */
  readonly file: string | null;
}

/** A secret value that must be available before the bundle is served. */
export interface SecretRequirement extends SecretSource {
  /** The purpose of the secret, for messages: `client secret of token_exchange for backend "jira"`. */
  readonly use: string;
  /** The Kubernetes Secret with the value in a cluster; null when the spec itself names a variable or file. */
  readonly secret: { readonly name: string; readonly key: string } | null;
}
