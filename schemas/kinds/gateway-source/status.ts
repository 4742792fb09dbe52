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
    code: Type.String({ description: 'Code of the finding; `lintel explain CODE` explains it.' }),
    severity: oneOf(['error', 'warning', 'hint'], { description: 'Severity of the finding.' }),
    message: Type.String({ description: 'Message of the finding.' }),
    file: Type.Optional(Type.String({ description: 'File in the repository, or the object in the cluster.' })),
    line: Type.Optional(Type.Integer({ description: 'Line in the file, from 1.' })),
    column: Type.Optional(Type.Integer({ description: 'Column in the line, from 1.' })),
    object: Type.Optional(Type.String({ description: 'Object as `kind/namespace/name`.' })),
  },
  { description: 'A finding of the compiler.' },
);

const sourceGateway = fields(
  'SourceGateway',
  {
    kind: oneOf(['gateway', 'registry', 'server', 'remote-proxy'], { description: 'Kind of the object.' }),
    namespace: Type.String({ description: 'Namespace of the object.' }),
    name: Type.String({ description: 'Name of the object.' }),
    digest: digest('Digest of the desired bundle.'),
    release: Type.Optional(release('Desired release: the image, `#`, and a hash of the Deployment.')),
    activeDigest: Type.Optional(digest('Digest of the last good bundle: the last one that all ready pods ran.')),
    activeRelease: Type.Optional(release('Release that ran the last good bundle.')),
    activeManifests: Type.Optional(
      digest(
        'Digest of the Kubernetes objects that ran the last good bundle. A rollback applies their stored copy only if the copy has this digest.',
      ),
    ),
    heldDigest: Type.Optional(
      digest(
        'Digest of a bundle that pods refused, or that did not become healthy in time. The controller does not try it again. If no rollback was possible, the hold ends once the bundle is healthy.',
      ),
    ),
    heldRelease: Type.Optional(release('Release that ran the held bundle.')),
    message: Type.Optional(Type.String({ description: 'Why the bundle is held.' })),
    since: Type.Optional(time('When `digest` was applied. The health timeout starts at this time.')),
  },
  { description: 'One gateway, server or registry server of the source.' },
);

const inventoryEntry = fields(
  'InventoryEntry',
  {
    id: Type.String({ description: 'Namespace, name, API group and kind, joined by underscores.' }),
    v: Type.String({ description: 'API version.' }),
    uid: Type.String({
      description: 'UID of the applied object. The controller does not delete another object of the same name.',
    }),
  },
  { description: 'An object that this source applied.' },
);

const historyEntry = fields(
  'SourceHistoryEntry',
  {
    revision: revision('Id of the commit.'),
    digest: digest('Digest over all bundles of the revision.'),
    status: Type.String({ description: 'Reason of the result, such as `Succeeded`.' }),
    firstReconciled: time('When the revision was first reconciled.'),
    lastReconciled: time('When the revision was last reconciled.'),
    totalReconciliations: Type.Integer({ description: 'Number of times that the revision was reconciled.' }),
    duration: Type.String({ description: 'Duration of the last reconciliation.' }),
    verifiedBy: Type.Optional(Type.String({ description: 'Key that signed the commit.' })),
  },
  { description: 'One revision and its result.' },
);

export const gatewaySourceStatus: TObject = fields(
  'GatewaySourceStatus',
  {
    observedGeneration,
    conditions,
    lastAttemptedRevision: Type.Optional(revision('Latest revision that the controller tried to apply.')),
    lastAppliedRevision: Type.Optional(
      revision(
        'Revision of the objects in the cluster. While its deletions wait for approval, the condition `Applied` is False.',
      ),
    ),
    lastAppliedPath: Type.Optional(
      Type.String({
        description:
          '`spec.path` of the last applied revision. A later revision without this folder counts as a revision without objects.',
      }),
    ),
    lastVerifiedCommit: Type.Optional(Type.String({ description: 'Latest commit whose signature was verified.' })),
    verifiedBy: Type.Optional(Type.String({ description: 'Key that signed the last verified commit.' })),
    lastHandledReconcileAt: Type.Optional(
      Type.String({
        description: 'Value of the annotation `lintel.dev/requested-at` that the controller last acted on.',
      }),
    ),
    digest: Type.Optional(digest('Digest of all bundles of the applied revision together.')),
    gatewaysReady: Type.Optional(
      Type.String({
        description:
          'Number of gateways and servers that run their desired bundle, and the number of all, such as `3/4`.',
      }),
    ),
    gateways: Type.Optional(
      listMap(sourceGateway, ['kind', 'namespace', 'name'], {
        description: 'Gateways, servers and registry servers of this source.',
      }),
    ),
    diagnostics: Type.Optional(
      Type.Array(sourceDiagnostic, {
        maxItems: 20,
        description: 'Findings of the last compilation, errors first; a long list is cut.',
      }),
    ),
    inventory: Type.Optional(
      fields(
        'Inventory',
        { entries: Type.Array(inventoryEntry, { description: 'Applied objects, sorted by `id`.' }) },
        { description: 'All objects that this source applied and may delete.' },
      ),
    ),
    history: Type.Optional(Type.Array(historyEntry, { maxItems: 5, description: 'Latest revisions, newest first.' })),
    lastPosted: Type.Optional(
      Type.String({
        description: 'Digest of the last report to the forge. The controller does not send the same report twice.',
      }),
    ),
  },
  { description: 'Observed state of the source.' },
);
