/** The defaults of volumes, of every kind that a `podTemplateSpec` may bring. */
import { isObject } from '#schemas';
import { changed, each, fill, filled, steps } from './fill.ts';
import { pullPolicy } from './pull-policy.ts';
import { canonicalizeQuantity } from './quantity.ts';
import { references, resources } from './references.ts';

/** 0644. */
const MODE = 420;

const fields = each(references);
const moded = filled({ defaultMode: MODE });

const source = changed({
  downwardAPI: changed({ items: fields }),
  serviceAccountToken: filled({ expirationSeconds: 3600 }),
});

const claim = changed({
  volumeClaimTemplate: steps(
    filled({ metadata: {} }),
    changed({ spec: steps(filled({ volumeMode: 'Filesystem' }), changed({ resources })) }),
  ),
});

const byKind = changed({
  azureDisk: filled({ cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' }),
  configMap: moded,
  downwardAPI: steps(moded, changed({ items: fields })),
  emptyDir: changed({ sizeLimit: canonicalizeQuantity }),
  ephemeral: claim,
  hostPath: filled({ type: '' }),
  image: value => (isObject(value) ? fill(value, { pullPolicy: pullPolicy(value.reference) }) : value),
  iscsi: filled({ iscsiInterface: 'default' }),
  projected: steps(moded, changed({ sources: each(source) })),
  rbd: filled({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  scaleIO: filled({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  secret: moded,
});

/** A volume without a type is an empty folder. */
export function fillVolumeDefaults(volume: unknown): unknown {
  if (isObject(volume) && Object.keys(volume).every(member => member === 'name')) return { ...volume, emptyDir: {} };
  return byKind(volume);
}
