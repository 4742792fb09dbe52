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
            'Files and folders that a command reads if it gets no PATH, relative to this file, such as `specs` or `teams/*/gateways/**`. In folders, files that end with `.yaml`, `.yml` or `.json` are read.',
        }),
      ),
      exclude: Type.Optional(
        Type.Array(pattern('A file, a folder or a pattern.'), {
          description:
            'Files and folders that are skipped in folders, relative to this file, with the same patterns as `sources`. A file that is itself a PATH is never skipped.',
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
            description: 'Additional API groups whose objects are read like those of `lintel.dev`.',
          },
        ),
      ),
      profile: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Set of severities: `minimal` (only definite mistakes are findings), `recommended`, or `strict` (likely mistakes are errors too). A version, such as `recommended@2026.1`, keeps the severities of that version: rules that later versions of Lintel add are then at most hints. Default: the latest `recommended`.',
        }),
      ),
      severity: Type.Optional(
        record(
          oneOf([...SEVERITIES, 'off'], { description: 'The severity of findings with this code; `off` drops them.' }),
          {
            description:
              'Severities that replace those of the profile. The key is a code or its name, such as `LNT3020` or `keyword-search-only`. Findings for which the API server would refuse an object, or for which no bundle can be built, stay errors. `build`, `serve` and `dev` stop at every finding that keeps a bundle from being built, even if its severity is lowered here.',
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
          description:
            'File of known findings, relative to this file. `lintel baseline` writes it. Absent: every finding counts.',
        }),
      ),
      catalog: Type.Optional(
        Type.String({
          minLength: 1,
          default: 'lintel.lock.json',
          description: 'Tool lock, relative to this file: the tools that the backends offer. `lintel lock` writes it.',
        }),
      ),
      budgets: Type.Optional(
        fields(
          'ProjectBudgets',
          {
            tools: Type.Optional(
              Type.Integer({ minimum: 1, description: 'Maximum number of tools that a gateway advertises.' }),
            ),
            tokens: Type.Optional(
              Type.Integer({
                minimum: 1,
                description:
                  'Maximum number of tokens that the advertised tools of a gateway take in the context of a model.',
              }),
            ),
          },
          {
            description:
              'Limits on the number and size of the tools of a gateway. A gateway that exceeds them is a finding.',
          },
        ),
      ),
      clients: Type.Optional(
        listSet(Type.String({ minLength: 1, description: 'Name of a client, such as `cursor`.' }), {
          description:
            'Clients that use the gateways. A gateway that exceeds their limits on names and tools, or needs a feature that they lack, is a finding.',
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
            'URL of the documentation as a site, which `npm run site` generates. Editors, `lintel explain` and reports link to its pages of codes and fields.',
        }),
      ),
      denyPrivateBackends: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether private and loopback addresses are refused for backends, token endpoints and upstream registries; Services of the cluster count as private. The compiler refuses such addresses in specs. Gateways and registry servers that `build --manifests`, `serve` and `dev` start refuse to connect to them. The controller has its own option `--deny-private-backends`; either setting is enough.',
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
                description:
                  'Time limit of one program, such as `500ms`, `30s` or `2m`. The option `--synth-timeout` takes precedence.',
              }),
            ),
            memory: Type.Optional(
              Type.Integer({
                minimum: 64,
                maximum: 65536,
                default: 1024,
                description: 'Maximum heap size of one program, in megabytes.',
              }),
            ),
            network: Type.Optional(
              Type.Boolean({
                default: false,
                description: 'Whether programs may use the network. Their output may then differ from run to run.',
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
                    'Names of environment variables that programs can read, in addition to those that the option `--env` names. Programs can read no others.',
                },
              ),
            ),
          },
          {
            description: 'How programs in TypeScript are run. The controller runs no programs and ignores this field.',
          },
        ),
      ),
    },
    { description: 'How the specs of a project are found and checked: the file `lintel.yaml`.' },
  ),
};
