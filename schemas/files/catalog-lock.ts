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
    definition: freeForm({ description: 'What the backend said, members unknown to us included.', type: 'object' }),
  },
  { description: 'One definition and its digest, by which an edit by hand is noticed.' },
);

const lockedServer: TObject = fields(
  'LockedServer',
  {
    name: Type.String({ description: 'Its name; empty when it gave none.' }),
    version: Type.String({ description: 'Its version; empty when it gave none.' }),
  },
  { description: 'What a backend said of itself.' },
);

const items = (what: string) => Type.Optional(record(lockedItem, { description: what }));

const lockedBackend: TObject = fields(
  'LockedBackendEntry',
  {
    url: Type.String({ description: 'Where it was asked; without query and credentials.' }),
    transport: oneOf(['streamable-http', 'sse'], { description: 'How it was asked.' }),
    protocolVersion: Type.String({ description: 'The MCP revision that it answered with.' }),
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
          'By `<namespace>/<Kind>/<name>` of the workload, or `<namespace>/VirtualMCPServer/<gateway>/<backend>` for a backend that is written out in a gateway.',
      }),
    },
    {
      description: 'What the backends offered when `lintel lock` last asked them. Written by `lintel lock`; commit it.',
    },
  ),
};
