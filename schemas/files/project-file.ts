/** `lintel.yaml`: how a project is checked. Not a kind: it is never applied to a cluster. */
import { Type } from 'typebox';
import { type FileDefinition, fields, form, identifier, listSet, oneOf, record } from '../kinds/define.ts';

const SEVERITIES = ['error', 'warning', 'hint'];

const pattern = (description: string) => Type.String({ minLength: 1, description });

export const projectFile: FileDefinition = {
  id: 'project',
  title: 'Configuration of a Lintel project',
  schema: fields(
    'ProjectFile',
    {
      sources: Type.Optional(
        Type.Array(pattern('A file, a folder or a pattern; `*` stays within a folder, `**` does not.'), {
          minItems: 1,
          description:
            'What is read when a command is given no PATH, relative to this file, such as `specs` or `teams/*/gateways/**`. Folders are searched for `.yaml`, `.yml` and `.json`.',
        }),
      ),
      exclude: Type.Optional(
        Type.Array(pattern('A file, a folder or a pattern.'), {
          description:
            'What is passed over in folders, relative to this file and written as in `sources`. A file that is itself a PATH is read all the same.',
        }),
      ),
      apiGroups: Type.Optional(
        listSet(
          Type.String({
            ...form(
              '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$',
              'an API group: a domain name in lower case',
              'mcp.example.com',
            ),
            maxLength: 253,
            description: 'An API group, such as `mcp.example.com`.',
          }),
          {
            description:
              'API groups whose objects are read as if they were of `lintel.dev`, besides the accepted ones.',
          },
        ),
      ),
      profile: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'What counts, and how much: `minimal` (certain mistakes), `recommended` or `strict` (likely mistakes are errors), with the version that is meant, such as `recommended@2026.1`. What later versions of Lintel add is at most a hint then. Without this field it is the newest `recommended`.',
        }),
      ),
      severity: Type.Optional(
        record(
          oneOf([...SEVERITIES, 'off'], { description: 'The severity of findings with this code; `off` drops them.' }),
          {
            description:
              'Severities by code, such as `LNT3020` or `keyword-search-only`, instead of those of the profile. A finding that the API server would refuse an object, or that no bundle can be built, stays an error. `build`, `serve` and `dev` stop at every finding that keeps a bundle from being built, even if its severity is lowered here.',
          },
        ),
      ),
      failOn: Type.Optional(
        oneOf(SEVERITIES, { description: 'The least severity that makes the exit code 1.', default: 'error' }),
      ),
      baseline: Type.Optional(
        Type.String({
          minLength: 1,
          default: 'lintel-baseline.json',
          description: 'File of the known findings, relative to this file; `lintel baseline` writes it.',
        }),
      ),
      catalog: Type.Optional(
        Type.String({
          minLength: 1,
          default: 'lintel.lock.json',
          description: 'File of the tools that the backends offer, relative to this file.',
        }),
      ),
      budgets: Type.Optional(
        fields(
          'ProjectBudgets',
          {
            tools: Type.Optional(Type.Integer({ minimum: 1, description: 'Most tools that a gateway advertises.' })),
            tokens: Type.Optional(
              Type.Integer({
                minimum: 1,
                description: 'Most tokens that the advertised tools of a gateway take in the context of a model.',
              }),
            ),
          },
          { description: 'What the tools of one gateway may cost its clients.' },
        ),
      ),
      clients: Type.Optional(
        listSet(Type.String({ minLength: 1, description: 'Name of a client, such as `cursor`.' }), {
          description:
            'The clients that the gateways are for: their limits on names and tools are respected, and what they cannot do is a finding.',
        }),
      ),
      documentation: Type.Optional(
        Type.String({
          ...form(
            '^https?://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?$',
            'a URL of http or https without a query',
            'https://docs.example.com/lintel/',
          ),
          description:
            'Where the documentation is as a site, which `npm run site` writes: editors, `lintel explain` and reports lead to its page of a code or field.',
        }),
      ),
      denyPrivateBackends: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether backends, token endpoints and upstream registries at private and loopback addresses are refused, Services of the cluster included: where they are written, and by the gateways and registry servers that `build --manifests`, `serve` and `dev` start. The controller denies what its own `--deny-private-backends` says as well.',
        }),
      ),
      privateBackends: Type.Optional(
        listSet(
          Type.String({
            ...form(
              '^(\\*\\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$',
              'a host name, `*.` and a domain, or an address without brackets',
              '*.team.svc.cluster.local',
            ),
            description: 'A host, such as `tools.team.svc.cluster.local`, `*.team.svc.cluster.local` or `10.0.0.5`.',
          }),
          { description: 'Hosts that may be at private addresses although `denyPrivateBackends` is true.' },
        ),
      ),
      programs: Type.Optional(
        fields(
          'ProjectPrograms',
          {
            timeout: Type.Optional(
              Type.String({
                ...form('^[1-9][0-9]{0,5}(ms|s|m)$', 'a whole number of milliseconds, seconds or minutes', '30s'),
                default: '30s',
                description: 'Time for one program, such as `500ms`, `30s` or `2m`; `--synth-timeout` counts more.',
              }),
            ),
            memory: Type.Optional(
              Type.Integer({
                minimum: 64,
                maximum: 65536,
                default: 1024,
                description: 'Most memory for the objects of one running program, in megabytes.',
              }),
            ),
            network: Type.Optional(
              Type.Boolean({
                default: false,
                description: 'Whether programs may use the network, so that they may give something else each time.',
              }),
            ),
            env: Type.Optional(
              listSet(
                Type.String({
                  ...identifier('STAGE'),
                  description: 'The name of a variable, such as `STAGE`.',
                }),
                {
                  description:
                    'Environment variables that programs get, besides those that `--env` names; they get no other.',
                },
              ),
            ),
          },
          {
            description:
              'How programs in TypeScript are run. The controller runs no programs; there this member has no effect.',
          },
        ),
      ),
    },
    { description: 'How the specs of a project are found and checked: the file `lintel.yaml`.' },
  ),
};
