import { type TObject, type TSchema, Type } from 'typebox';
import { duration, HTTPS_URL } from '../blocks.ts';
import { fields, form, listSet, objectRef, oneOf } from '../define.ts';

/** A Secret of the source's own namespace. */
function secretNamed(title: string, description: string): TSchema {
  return fields(
    title,
    { name: objectRef('Secret', { description: 'Name of the Secret.', minLength: 1 }) },
    { description },
  );
}

/** Excludes options of Git and ranges of commits; Git's own rules refuse all other texts that are not refs. */
const REF = form('^[^-\\s~^:?*\\[\\\\@][^\\s~^:?*\\[\\\\]*$', 'a name of a branch or tag', 'main');

const gitRef: TSchema = fields(
  'GitRef',
  {
    branch: Type.Optional(Type.String({ ...REF, maxLength: 255, description: 'Branch to follow.' })),
    tag: Type.Optional(Type.String({ ...REF, maxLength: 255, description: 'Tag to follow.' })),
    semver: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Range of versions such as `>=1.2.0 <2.0.0`; the highest tag within it is taken.',
      }),
    ),
    commit: Type.Optional(
      Type.String({
        ...form('^([0-9a-f]{40}|[0-9a-f]{64})$', 'the full id of a commit', '9ae1f3c27d0b4e5f8a6c1d2e3f405162738495a6'),
        maxLength: 64,
        description: 'Full id of a commit.',
      }),
    ),
  },
  {
    description: 'What to follow: one of these. Without any the default branch of the repository.',
    rules: [
      {
        rule: '[has(self.branch), has(self.tag), has(self.semver), has(self.commit)].filter(x, x).size() <= 1',
        message: 'choose one of branch, tag, semver and commit',
      },
    ],
  },
);

const verification: TSchema = fields(
  'CommitVerification',
  {
    mode: Type.Optional(
      oneOf(['Head', 'EveryCommit'], {
        default: 'Head',
        description:
          '`Head`: the commit that is applied is signed. `EveryCommit`: so is every commit since the last one that was verified.',
      }),
    ),
    secretRef: secretNamed(
      'VerificationKeys',
      'Keys that are trusted: `allowed_signers` in the format of ssh-keygen, `*.asc` for armored OpenPGP public keys.',
    ),
  },
  { description: 'Signatures that commits must have. What is not signed by a trusted key is not applied.' },
);

const deletion: TSchema = fields(
  'DeletionGuards',
  {
    allowEmpty: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether a revision without any object may delete all of them.' }),
    ),
    maxPercent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        default: 50,
        description: 'The most of the applied gateways and registry servers, in percent, that one revision may delete.',
      }),
    ),
    protectedKinds: Type.Optional(
      listSet(Type.String({ minLength: 1, maxLength: 63 }), {
        maxItems: 32,
        description: 'Kinds of which nothing is deleted without `lintel.dev/allow-deletions`.',
      }),
    ),
  },
  {
    description:
      'Deletions that wait until an operator agrees, by annotation `lintel.dev/allow-deletions` with the revision that may delete.',
  },
);

const commitStatus: TSchema = fields(
  'CommitStatusProvider',
  {
    provider: oneOf(['github', 'gitlab', 'gitea'], { description: 'What kind of forge the repository is on.' }),
    apiUrl: Type.Optional(
      Type.String({
        ...HTTPS_URL,
        maxLength: 2048,
        description: 'Root of the API of a forge of your own. Default: derived from the URL of the repository.',
      }),
    ),
    secretRef: secretNamed('ForgeToken', 'Holds `token`, which may write commit statuses, and comments if wanted.'),
    context: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: 'lintel',
        description: 'What the names of statuses start with. Give each cluster its own.',
      }),
    ),
    comment: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether the pull request of a commit gets a comment on who can reach what else through it.',
      }),
    ),
  },
  { description: 'Where results are written back to commits and pull requests.' },
);

const webhook: TSchema = fields(
  'SourceWebhook',
  {
    secretRef: secretNamed(
      'WebhookSecret',
      'Holds `token`, the secret that the forge signs its webhooks with, or at GitLab also the secret token that it sends.',
    ),
  },
  {
    description:
      'Webhooks of the forge, received at `/hook/<namespace>/<name>`, have the repository looked at before the interval is over.',
  },
);

export const gatewaySourceSpec: TObject = fields(
  'GatewaySourceSpec',
  {
    url: Type.String({
      ...form(
        '^(https://|ssh://|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:)',
        'an https or ssh URL',
        'https://git.example.com/team/gateways.git',
      ),
      maxLength: 2048,
      description: 'The repository, by https or ssh, without credentials.',
    }),
    ref: Type.Optional(gitRef),
    path: Type.Optional(
      Type.String({
        maxLength: 1024,
        default: '.',
        description: 'Folder in the repository with the specs; its project file is found as `lintel check` finds it.',
      }),
    ),
    interval: Type.Optional(
      duration({ default: '1m', description: 'How often the repository is looked at; 10s or more.' }),
    ),
    timeout: Type.Optional(
      duration({ default: '60s', description: 'Longest time for one conversation with the repository.' }),
    ),
    suspend: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to leave everything as it is until further notice.' }),
    ),
    secretRef: Type.Optional(
      secretNamed(
        'GitCredentials',
        '`username` and `password`, or `bearerToken`, for https, with `ca.crt` where wanted, and `tls.crt` and `tls.key` for servers that want a certificate of their clients; `identity` and `known_hosts` for ssh.',
      ),
    ),
    verify: Type.Optional(verification),
    prune: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether objects are deleted that the repository no longer has, and with the source all that it applied.',
      }),
    ),
    deletion: Type.Optional(deletion),
    targetNamespace: Type.Optional(
      Type.String({
        ...form('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a name of a namespace', 'team-a'),
        maxLength: 63,
        description:
          'The one namespace of all objects; those that name another are an error. Without it they stay where they say, by default in the namespace of the source.',
      }),
    ),
    serviceAccountName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'ServiceAccount of the same namespace in whose name everything is read and applied.',
      }),
    ),
    drift: Type.Optional(
      oneOf(['correct', 'report', 'off'], {
        default: 'correct',
        description:
          'What to do about changes that others made to applied objects. Quote "off": YAML 1.1, which `kubectl` reads, takes it for `false`.',
      }),
    ),
    healthTimeout: Type.Optional(
      duration({ default: '5m', description: 'How long new pods may take until the former bundle is put back.' }),
    ),
    commitStatus: Type.Optional(commitStatus),
    webhook: Type.Optional(webhook),
  },
  {
    description: 'Where specs come from, and how they are applied.',
    rules: [
      {
        rule: "!self.url.matches('^https://[^/]*@')",
        message: 'url must be without credentials: put them into the Secret of secretRef',
      },
      {
        rule: "!has(self.path) || !self.path.matches('(^|/)[.][.](/|$)')",
        message: 'path must stay inside of the repository: it goes up with ..',
      },
      {
        rule: "!has(self.interval) || duration(self.interval) >= duration('10s')",
        message: 'interval must be 10s or more',
      },
      {
        rule: "!has(self.timeout) || (duration(self.timeout) >= duration('1s') && duration(self.timeout) <= duration('1h'))",
        message: 'timeout must be from 1s to 1h',
      },
      {
        rule: "!has(self.healthTimeout) || duration(self.healthTimeout) >= duration('1s')",
        message: 'healthTimeout must be 1s or more',
      },
    ],
  },
);
