import { type TObject, type TSchema, Type } from 'typebox';
import { conditions, observedGeneration } from '../blocks.ts';
import { fields, listMap, oneOf } from '../define.ts';

const revision = (description: string): TSchema => Type.String({ description, maxLength: 512 });
const digest = (description: string): TSchema => Type.String({ description, maxLength: 71 });
const release = (description: string): TSchema => Type.String({ description, maxLength: 1024 });
const time = (description: string): TSchema => Type.String({ format: 'date-time', description });

const sourceDiagnostic = fields(
  'SourceDiagnostic',
  {
    code: Type.String({ description: 'Code of the finding; `lintel explain CODE` tells more.' }),
    severity: oneOf(['error', 'warning', 'hint'], { description: 'How grave it is.' }),
    message: Type.String({ description: 'What is wrong.' }),
    file: Type.Optional(Type.String({ description: 'File in the repository, or the object of the cluster.' })),
    line: Type.Optional(Type.Integer({ description: 'Line in the file, from 1.' })),
    column: Type.Optional(Type.Integer({ description: 'Column in the line, from 1.' })),
    object: Type.Optional(Type.String({ description: 'Kind, namespace and name of the object, with slashes.' })),
  },
  { description: 'A finding of the compiler.' },
);

const sourceGateway = fields(
  'SourceGateway',
  {
    kind: oneOf(['gateway', 'registry', 'server', 'remote-proxy'], { description: 'What it is.' }),
    namespace: Type.String({ description: 'Its namespace.' }),
    name: Type.String({ description: 'Its name.' }),
    digest: digest('Bundle that its objects are to run.'),
    release: Type.Optional(release('What is to run the bundle: the image, `#` and a hash of the Deployment.')),
    activeDigest: Type.Optional(digest('The last bundle that every ready pod ran: the last good one.')),
    activeRelease: Type.Optional(release('What ran the last good bundle.')),
    activeManifests: Type.Optional(
      digest(
        'Digest of the objects that ran the last good bundle. The record of them in the cluster is restored only if it has this digest.',
      ),
    ),
    heldDigest: Type.Optional(
      digest(
        'A bundle that was refused or not healthy in time; it is not tried again. Where nothing could be put back, it counts once it is healthy.',
      ),
    ),
    heldRelease: Type.Optional(release('What was to run the bundle that is held.')),
    message: Type.Optional(Type.String({ description: 'Why a bundle is held.' })),
    since: Type.Optional(time('When `digest` was applied; the health timeout counts from here.')),
  },
  { description: 'One gateway, server or registry server of the source.' },
);

const inventoryEntry = fields(
  'InventoryEntry',
  {
    id: Type.String({ description: 'Namespace, name, API group and kind, with underscores between.' }),
    v: Type.String({ description: 'API version.' }),
    uid: Type.String({ description: 'Identity of the object that was applied: another of the same name is not ours.' }),
  },
  { description: 'An object that this source applied.' },
);

const historyEntry = fields(
  'SourceHistoryEntry',
  {
    revision: revision('Revision that was tried.'),
    digest: digest('Digest over all bundles of the revision.'),
    status: Type.String({ description: 'Reason with which it ended, such as `Succeeded`.' }),
    firstReconciled: time('When it was first tried.'),
    lastReconciled: time('When it was last tried.'),
    totalReconciliations: Type.Integer({ description: 'How often it was tried.' }),
    duration: Type.String({ description: 'How long the last try took.' }),
    verifiedBy: Type.Optional(Type.String({ description: 'Key that signed the commit.' })),
  },
  { description: 'One revision and how it went.' },
);

export const gatewaySourceStatus: TObject = fields(
  'GatewaySourceStatus',
  {
    observedGeneration,
    conditions,
    lastAttemptedRevision: Type.Optional(revision('Newest revision that was looked at.')),
    lastAppliedRevision: Type.Optional(
      revision(
        'Revision that the objects in the cluster are from. While deletions that it asks for wait, condition Applied is False.',
      ),
    ),
    lastAppliedPath: Type.Optional(
      Type.String({
        description:
          '`spec.path` at which that revision was read. A later revision without this folder is an empty one.',
      }),
    ),
    lastVerifiedCommit: Type.Optional(Type.String({ description: 'Newest commit up to which signatures were good.' })),
    verifiedBy: Type.Optional(Type.String({ description: 'Key that signed it.' })),
    lastHandledReconcileAt: Type.Optional(
      Type.String({ description: 'Value of annotation `lintel.dev/requested-at` that was last obeyed.' }),
    ),
    digest: Type.Optional(digest('Digest over all bundles of the applied revision.')),
    gatewaysReady: Type.Optional(
      Type.String({ description: 'How many gateways run what they should, such as `3/4`.' }),
    ),
    gateways: Type.Optional(
      listMap(sourceGateway, ['kind', 'namespace', 'name'], { description: 'What this source deploys.' }),
    ),
    diagnostics: Type.Optional(
      Type.Array(sourceDiagnostic, {
        maxItems: 20,
        description: 'First findings of the last compilation, errors first.',
      }),
    ),
    inventory: Type.Optional(
      fields(
        'Inventory',
        { entries: Type.Array(inventoryEntry, { description: 'Sorted by `id`.' }) },
        { description: 'All objects that this source applied and may delete.' },
      ),
    ),
    history: Type.Optional(Type.Array(historyEntry, { maxItems: 5, description: 'Last revisions, the newest first.' })),
    lastPosted: Type.Optional(
      Type.String({
        description: 'Digest of what was last written back to the forge, so that nothing is posted twice.',
      }),
    ),
  },
  { description: 'Where the source stands.' },
);
