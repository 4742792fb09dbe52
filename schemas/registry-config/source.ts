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
        'The repository: an `https` or `http` URL, or on the machine of the server a `file` URL or an absolute path. Not over ssh.',
    }),
    branch: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The branch to read, without `refs/heads/`; excludes `tag` and `commit`.',
      }),
    ),
    tag: Type.Optional(Type.String({ minLength: 1, description: 'The tag to read.' })),
    commit: Type.Optional(Type.String({ minLength: 1, description: 'The commit to read: its full id.' })),
    path: Type.Optional(
      Type.String({ minLength: 1, default: 'registry.json', description: 'The file inside of the repository.' }),
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
      duration({ default: '10s', description: 'When a request is given up; more than zero, at most 5m.' }),
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
          'A local file; excludes `url`. A relative path is a file of the project, relative to the file that the configuration is in: it is read and checked when the bundle is built, and is a part of it. An absolute path is a file next to the running server, which reads it again on the interval.',
      }),
    ),
    url: Type.Optional(Type.String({ minLength: 1, description: 'A file behind an http or https URL.' })),
    timeout: Type.Optional(
      duration({ description: 'When a request of `url` is given up; more than zero, at most 5m, 30s unless given.' }),
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
        Type.Array(Type.String({ minLength: 1 }), { description: 'One of them must fit, if any is given.' }),
      ),
      exclude: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), { description: 'None of them may fit; this wins.' }),
      ),
    },
    { description: what },
  );

const filter = fields(
  'RegistryFilter',
  {
    names: Type.Optional(patterns('By name: patterns in which `*` fits any text, a slash included.')),
    tags: Type.Optional(patterns('By tag: whole words.')),
  },
  { description: 'Which entries of the source are taken. An entry must pass both lists.' },
);

/** A source of entries. */
export const source: TSchema = fields(
  'RegistrySource',
  {
    name: Type.String({
      ...label('team-a'),
      description: 'By which registries name the source.',
    }),
    git: Type.Optional(git),
    api: Type.Optional(api),
    file: Type.Optional(file),
    managed: Type.Optional(
      fields(
        'RegistryManagedSource',
        {},
        { description: 'Entries that are published over an API. Not for this server.' },
      ),
    ),
    kubernetes: Type.Optional(
      fields(
        'RegistryKubernetesSource',
        {
          namespaces: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description: 'Namespaces of the objects; all of them when not given.',
            }),
          ),
        },
        {
          description:
            'Servers that are compiled together with this configuration and annotated for export: `registry-export: "true"`, `registry-url` and `registry-description`. A gateway is listed with its tools.',
        },
      ),
    ),
    syncPolicy: Type.Optional(
      fields(
        'RegistrySyncPolicy',
        { interval: duration({ description: 'How often the source is read again; at least 1s.' }) },
        {
          description:
            'When the source is read again; required for `git`, `api` and `file.url`, `1m` unless given for an absolute `file.path`.',
        },
      ),
    ),
    filter: Type.Optional(filter),
    claims: Type.Optional(claims({ description: 'Claims that entries of the source inherit.' })),
  },
  { description: 'Where entries come from: exactly one of `git`, `api`, `file`, `managed` and `kubernetes`.' },
);
