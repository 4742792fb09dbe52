/** Secrets by reference: a bundle names where a value is kept and never holds one. */

/**
 * Where a secret value is read at run time: a mounted file, which is read again when it changes, else an environment
 * variable. At least one of the two is given; where both are, the file wins if it is there.
 */
export interface SecretSource {
  /** Name of an environment variable. */
  readonly env: string | null;
  /** Absolute path. One line break at the end is not part of the value. */
  readonly file: string | null;
}

/** A secret value that must be present before the bundle may serve. */
export interface SecretRequirement extends SecretSource {
  /** What needs it, for messages: `client secret of token_exchange for backend "jira"`. */
  readonly use: string;
  /** The Secret it comes from in a cluster; null where the spec names a variable or a file itself. */
  readonly secret: { readonly name: string; readonly key: string } | null;
}
