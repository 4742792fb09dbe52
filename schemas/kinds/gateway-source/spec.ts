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
        description:
          'Range of versions, such as `>=1.2.0 <2.0.0`. The tag with the highest version in the range is applied.',
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
    description:
      'Branch, tag, version range or commit to apply; at most one of them. Default: the default branch of the repository.',
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
          '`Head`: the applied commit must be signed. `EveryCommit`: every commit since the last verified commit must be signed too.',
      }),
    ),
    secretRef: secretNamed(
      'VerificationKeys',
      'Secret with the trusted keys: `allowed_signers` in the format of ssh-keygen, and `*.asc` for armored OpenPGP public keys.',
    ),
  },
  {
    description:
      'Signatures that commits must have. The controller applies no commit that lacks a signature by a trusted key. Absent: signatures are not checked.',
  },
);

const deletion: TSchema = fields(
  'DeletionGuards',
  {
    allowEmpty: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a revision without objects may delete all applied objects without approval.',
      }),
    ),
    maxPercent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        default: 50,
        description:
          'Share of the applied gateways and registry servers that one revision may delete without approval, in percent.',
      }),
    ),
    protectedKinds: Type.Optional(
      listSet(Type.String({ minLength: 1, maxLength: 63 }), {
        maxItems: 32,
        description: 'Kinds whose objects are never deleted without approval.',
      }),
    ),
  },
  {
    description:
      'Deletions that need approval. An operator approves them with the annotation `lintel.dev/allow-deletions`, whose value is the revision.',
  },
);

const commitStatus: TSchema = fields(
  'CommitStatusProvider',
  {
    provider: oneOf(['github', 'gitlab', 'gitea'], { description: 'Software of the forge that hosts the repository.' }),
    apiUrl: Type.Optional(
      Type.String({
        ...HTTPS_URL,
        maxLength: 2048,
        description:
          "Base URL of the forge's API, for a self-hosted forge. Default: derived from the URL of the repository.",
      }),
    ),
    secretRef: secretNamed(
      'ForgeToken',
      'Secret with `token`. The token needs permission to write commit statuses, and comments if `comment` is true.',
    ),
    context: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: 'lintel',
        description: 'Prefix of the names of commit statuses. Give each cluster its own.',
      }),
    ),
    comment: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the controller comments on the pull request of a commit: which callers gain or lose access to which tools.',
      }),
    ),
  },
  {
    description:
      'Commit statuses and comments on pull requests that report results. Absent: the controller reports nothing to the forge.',
  },
);

const webhook: TSchema = fields(
  'SourceWebhook',
  {
    secretRef: secretNamed(
      'WebhookSecret',
      'Secret with `token`: the secret with which the forge signs its webhooks. For GitLab it may also be the secret token that GitLab sends.',
    ),
  },
  {
    description:
      'Webhooks of the forge. A webhook at `/hook/<namespace>/<name>` makes the controller fetch the repository at once.',
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
      description: 'URL of the repository over https or ssh, without credentials.',
    }),
    ref: Type.Optional(gitRef),
    path: Type.Optional(
      Type.String({
        maxLength: 1024,
        default: '.',
        description:
          'Folder in the repository with the specs. The project file (`lintel.yaml`) is found in the same way as by `lintel check`.',
      }),
    ),
    interval: Type.Optional(
      duration({ default: '1m', description: 'Time between two fetches of the repository; at least 10s.' }),
    ),
    timeout: Type.Optional(duration({ default: '60s', description: 'Time limit of one fetch.' })),
    suspend: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Suspends the source: the controller fetches and applies nothing until the field is unset or false.',
      }),
    ),
    secretRef: Type.Optional(
      secretNamed(
        'GitCredentials',
        'Secret with the credentials of the repository. For https: `username` and `password`, or `bearerToken`; optionally `ca.crt`, and `tls.crt` and `tls.key` if the server requires a client certificate. For ssh: `identity` and `known_hosts`.',
      ),
    ),
    verify: Type.Optional(verification),
    prune: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the controller deletes objects that are no longer in the repository, and all applied objects when the source is deleted.',
      }),
    ),
    deletion: Type.Optional(deletion),
    targetNamespace: Type.Optional(
      Type.String({
        ...form('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a name of a namespace', 'team-a'),
        maxLength: 63,
        description:
          'Namespace of all objects; an object that names another namespace is an error. Absent: each object keeps its own namespace, by default the namespace of the source.',
      }),
    ),
    serviceAccountName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description:
          'ServiceAccount in the namespace of the source. The controller impersonates it to read and apply objects.',
      }),
    ),
    drift: Type.Optional(
      oneOf(['correct', 'report', 'off'], {
        default: 'correct',
        description:
          'What to do about changes that other clients made to applied objects. Write "off" in quotes, because `kubectl` reads an unquoted off as `false`.',
      }),
    ),
    healthTimeout: Type.Optional(
      duration({
        default: '5m',
        description:
          'How long new pods may take to become ready. After that, the controller rolls back to the previous bundle.',
      }),
    ),
    commitStatus: Type.Optional(commitStatus),
    webhook: Type.Optional(webhook),
  },
  {
    description: 'Repository of the specs, and how they are applied.',
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
