/** `lintel.lock.json`, the tool lock: a file that `lintel lock` writes, not a kind of the API group. */
import { type TObject, Type } from 'typebox';
import { type FileDefinition, fields, form, freeForm, oneOf, record } from '../kinds/define.ts';
import { LOCK_VERSION } from '../names.ts';

const lockedItem: TObject = fields(
  'LockedItem',
  {
    digest: Type.String({
      description: 'SHA-256 of the definition as canonical JSON (RFC 8785).',
      ...form('^sha256:[0-9a-f]{64}$', 'a digest as lintel lock writes it', `sha256:${'0123456789abcdef'.repeat(4)}`),
    }),
    definition: freeForm({
      description: 'Definition as the backend returned it, including members that Lintel does not know.',
      type: 'object',
    }),
  },
  {
    description:
      'One definition with its digest. A digest that does not match the definition shows that the file was edited by hand.',
  },
);

const lockedServer: TObject = fields(
  'LockedServer',
  {
    name: Type.String({ description: 'Reported name; empty if the backend reports none.' }),
    version: Type.String({ description: 'Reported version; empty if the backend reports none.' }),
  },
  { description: 'Name and version that the backend reports (`serverInfo`).' },
);

const items = (what: string) => Type.Optional(record(lockedItem, { description: what }));

const lockedBackend: TObject = fields(
  'LockedBackendEntry',
  {
    url: Type.String({ description: 'URL at which `lintel lock` queried the backend, without query and credentials.' }),
    transport: oneOf(['streamable-http', 'sse'], {
      description: 'MCP transport over which `lintel lock` queried the backend.',
    }),
    protocolVersion: Type.String({ description: 'MCP revision that the backend negotiated.' }),
    server: lockedServer,
    tools: items('Tools by name.'),
    prompts: items('Prompts by name.'),
    resources: items('Resources by URI.'),
    resourceTemplates: items('Resource templates by URI template.'),
  },
  { description: 'What one backend offers.' },
);

export const catalogLock: FileDefinition = {
  id: 'lock',
  title: 'Tool lock of Lintel',
  schema: fields(
    'CatalogLock',
    {
      lockfileVersion: Type.Unsafe({
        type: 'integer',
        enum: [LOCK_VERSION],
        description: 'Version of the format.',
      }),
      backends: record(lockedBackend, {
        description:
          'Recorded backends. The key is `<namespace>/<Kind>/<name>` of the workload, or `<namespace>/VirtualMCPServer/<gateway>/<backend>` for a backend that a gateway lists in `config.backends`.',
      }),
    },
    {
      description: 'What the backends offered when `lintel lock` last asked them. Written by `lintel lock`; commit it.',
    },
  ),
};
