/** Names of a source's settings for messages, as a person wrote them. */

export interface SourceNames {
  /** The source itself. */
  readonly source: (namespace: string, name: string) => string;
  /** The name of a Secret of the source. */
  readonly nameSecret: (namespace: string, name: string) => string;
  readonly path: string;
  readonly url: string;
  /** The followed ref as written, such as `spec.ref.branch`; all possible fields when none is set. */
  readonly ref: (type?: 'branch' | 'commit' | 'semver' | 'tag') => string;
  readonly secret: string;
  /** The location of the credentials. */
  readonly credentials: string;
  /** The name of the setting for the time limit; undefined when there is no such setting. */
  readonly timeout: string | undefined;
  /** The name of the setting for the polling interval. */
  readonly interval: string;
  /** The whole source. */
  readonly whole: string;
  /** The machine on which missing programs have to be installed. */
  readonly machine: string;
}

/** The names of settings in a GatewaySource. */
export const FIELD_NAMES: SourceNames = {
  source: (namespace, name) => `GatewaySource ${namespace}/${name}`,
  nameSecret: (namespace, name) => `Secret ${namespace}/${name}`,
  path: 'spec.path',
  url: 'spec.url',
  ref: type => (type === undefined ? 'spec.ref' : `spec.ref.${type}`),
  secret: 'spec.secretRef',
  credentials: 'the Secret of spec.secretRef',
  timeout: 'spec.timeout',
  interval: 'spec.interval',
  whole: 'the spec of the source',
  machine: 'in the image of the controller',
};

/** The names of settings on the command line of `--standalone`. */
export const OPTION_NAMES: SourceNames = {
  source: () => 'lintel-controller',
  nameSecret: (_, folder) => `--git-secret ${folder}`,
  path: '--path',
  url: '--repo',
  ref: type => (type === undefined ? '--branch, --tag, --semver or --commit' : `--${type}`),
  secret: '--git-secret',
  credentials: '--git-secret',
  timeout: undefined,
  interval: '--interval',
  whole: 'the options',
  machine: 'on this machine',
};
