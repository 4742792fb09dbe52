import { type TSchema, Type } from 'typebox';
import { duration } from '../kinds/blocks.ts';
import { fields } from '../kinds/define.ts';
import { claims, filePath, label } from './define.ts';

const git = fields(
  'RegistryGitSource',
  {
    repository: Type.String({
      minLength: 1,
      description:
        'URL of the repository (`https` or `http`). A `file` URL or an absolute path names a repository on the machine that runs the registry server. ssh is not supported.',
    }),
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Branch to read, without `refs/heads/`. At most one of `branch`, `tag` and `commit` may be set.',
      }),
    ),
    tag: Type.Optional(Type.String({ minLength: 1, description: 'Tag to read.' })),
    commit: Type.Optional(Type.String({ minLength: 1, description: 'Full id of the commit to read.' })),
    path: Type.Optional(
      Type.String({ minLength: 1, default: 'registry.json', description: 'Path of the file in the repository.' }),
    ),
    auth: Type.Optional(
      fields(
        'RegistryGitAuth',
        {
          username: Type.String({ minLength: 1, description: 'User name.' }),
          passwordFile: filePath({ description: 'File with the password or token.' }),
        },
        { description: 'Credentials for HTTP basic authentication.' },
      ),
    ),
  },
  { description: 'A file in a Git repository.' },
);

const auth = (what: string): TSchema =>
  Type.Optional(
    fields(
      'RegistryHttpAuth',
      {
        username: Type.Optional(Type.String({ minLength: 1, description: 'User name, with `passwordFile`.' })),
        passwordFile: Type.Optional(
          filePath({
            description: 'File with the password for HTTP basic authentication (RFC 7617), with `username`.',
          }),
        ),
        tokenFile: Type.Optional(
          filePath({ description: 'File with a bearer token (RFC 6750); excludes `username` and `passwordFile`.' }),
        ),
      },
      { description: `Credentials ${what}: \`tokenFile\`, or \`username\` and \`passwordFile\`.` },
    ),
  );

const api = fields(
  'RegistryApiSource',
  {
    endpoint: Type.String({ minLength: 1, description: 'Base URL of the registry, without `/v0.1`.' }),
    timeout: Type.Optional(
      duration({ default: '10s', description: 'Time limit of one request: more than zero, at most 5m.' }),
    ),
    auth: auth('for the registry'),
  },
  { description: 'Another registry that speaks the API of the official one.' },
);

const file = fields(
  'RegistryFileSource',
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Path of a local file; cannot be combined with `url`. A relative path is resolved against the folder of this configuration file. The compiler reads and checks that file and puts its entries into the bundle. An absolute path is a file on the machine that runs the registry server, which reads it again at every `syncPolicy.interval`.',
      }),
    ),
    url: Type.Optional(
      Type.String({ minLength: 1, description: '`http` or `https` URL of the file; cannot be combined with `path`.' }),
    ),
    timeout: Type.Optional(
      duration({ description: 'Time limit of a request to `url`: more than zero, at most 5m. Default: 30s.' }),
    ),
    auth: auth('for `url`'),
  },
  {
    description:
      'A file of entries, as JSON with a list of servers (`server.json`) in `data.servers`: exactly one of `path` and `url`.',
  },
);

const patterns = (what: string): TSchema =>
  fields(
    'RegistryFilterLists',
    {
      include: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: 'If set, an entry must match at least one of these.',
        }),
      ),
      exclude: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: 'An entry that matches any of these is left out, even if `include` matches it too.',
        }),
      ),
    },
    { description: what },
  );

const filter = fields(
  'RegistryFilter',
  {
    names: Type.Optional(patterns('Patterns for names of entries. `*` matches any text, including slashes.')),
    tags: Type.Optional(patterns('Tags of entries, compared as whole words.')),
  },
  { description: 'Selects entries of the source. An entry must pass both `names` and `tags`.' },
);

/** A source of entries. */
export const source: TSchema = fields(
  'RegistrySource',
  {
    name: Type.String({
      ...label('team-a'),
      description: 'Name of the source; `registries` refer to it.',
    }),
    git: Type.Optional(git),
    api: Type.Optional(api),
    file: Type.Optional(file),
    managed: Type.Optional(
      fields(
        'RegistryManagedSource',
        {},
        {
          description: "Entries that are published over an API. Lintel's registry server does not support this source.",
        },
      ),
    ),
    kubernetes: Type.Optional(
      fields(
        'RegistryKubernetesSource',
        {
          namespaces: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description: 'Namespaces whose objects are listed. Default: all namespaces.',
            }),
          ),
        },
        {
          description:
            'Servers and gateways that are compiled together with this configuration and that carry the annotations `registry-export: "true"`, `registry-url` and `registry-description`. The entry of a gateway lists its tools.',
        },
      ),
    ),
    syncPolicy: Type.Optional(
      fields(
        'RegistrySyncPolicy',
        { interval: duration({ description: 'Time between two readings of the source; at least 1s.' }) },
        {
          description:
            'When the registry server reads the source again. Required for `git`, `api` and `file.url`; an absolute `file.path` has the default `1m`.',
        },
      ),
    ),
    filter: Type.Optional(filter),
    claims: Type.Optional(
      claims({
        description:
          "Claims that every entry of the source inherits. A caller must have an entry's claims to see it. With `auth.authz`, only super admins see entries without claims, unless their path is public.",
      }),
    ),
  },
  { description: 'A source of entries. Exactly one of `git`, `api`, `file`, `managed` and `kubernetes` must be set.' },
);
