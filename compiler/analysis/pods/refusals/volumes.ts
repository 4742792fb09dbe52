import { getMember } from '#schemas';
import { DNS_LABEL_FORM, isDnsLabel } from '../../../source/name-syntax.ts';
import { parseQuantity } from '../../../text/quantity.ts';
import { checkField } from './field-references.ts';
import { checkLabels } from './metadata.ts';
import { findFilePathProblem } from './paths.ts';
import {
  getMapping,
  getNumber,
  getPodSpec,
  getText,
  has,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

/** The highest file mode: 0777. */
const MAX_MODE = 0o777;

const SOURCES = ['configMap', 'downwardAPI', 'secret', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

/** Lifetime of a service account token, in seconds. */
const TOKEN_SECONDS = { min: 600, max: 2 ** 32 };

/** Checks that a volume has a unique name and one type, and that its files have distinct paths. */
export function checkPodVolumes(pod: Pod): Refusal[] {
  return listMappings(getPodSpec(pod), 'volumes').flatMap(volume => [
    ...checkName(volume),
    ...checkKind(volume),
    ...checkFile(volume),
    ...listVolumesOfKind(volume, 'projected').flatMap(projected => [
      ...listMappings(projected, 'sources').flatMap(checkSource),
      ...checkFilesOnce(projected),
    ]),
    ...listVolumesOfKind(volume, 'hostPath').flatMap(checkHostPath),
    ...listVolumesOfKind(volume, 'csi').flatMap(csi =>
      listVolumesOfKind(csi, 'nodePublishSecretRef').flatMap(ref => requireText(ref, 'name')),
    ),
    ...listVolumesOfKind(volume, 'emptyDir').flatMap(checkSize),
    ...listVolumesOfKind(volume, 'ephemeral').flatMap(claimRefusals),
  ]);
}

function listVolumesOfKind(volume: PodMapping, kind: string): PodMapping[] {
  const found = getMapping(volume, kind);
  return found === undefined ? [] : [found];
}

function checkName(volume: PodMapping): Refusal[] {
  const name = getText(volume, 'name');
  if (name === undefined || isDnsLabel(name)) return [];
  return [refuse(volume, 'name', `${JSON.stringify(name)} is not a valid name of a volume: ${DNS_LABEL_FORM}`)];
}

function checkKind(volume: PodMapping): Refusal[] {
  const kinds = Object.keys(volume.value).filter(name => name !== 'name' && getMapping(volume, name) !== undefined);
  if (kinds.length < 2) return [];
  const message = `a volume is of one kind, not ${kinds.join(' and ')}: set the other to null, or choose another name`;
  return [{ places: kinds.map(kind => [...volume.path, kind]), at: 'key', message }];
}

/** Errors of the API server about the files of a volume, and of each source of a projected volume. */
function checkFile(volume: PodMapping): Refusal[] {
  const modes = ['configMap', 'secret', 'downwardAPI', 'projected'].flatMap(kind => listVolumesOfKind(volume, kind));
  return [
    ...modes.flatMap(source => checkMode(source, 'defaultMode')),
    ...['configMap', 'secret', 'downwardAPI'].flatMap(kind =>
      listVolumesOfKind(volume, kind).flatMap(source =>
        listMappings(source, 'items').flatMap(item => checkItem(item, kind)),
      ),
    ),
    ...listVolumesOfKind(volume, 'secret').flatMap(secret => requireText(secret, 'secretName')),
    ...listVolumesOfKind(volume, 'configMap').flatMap(configMap => requireText(configMap, 'name')),
  ];
}

/** The API server requires these members although OpenAPI does not. */
function requireText(source: PodMapping, name: string): Refusal[] {
  return getText(source, name) === undefined
    ? [{ places: [source.path], at: 'key', message: `${source.path.at(-1)} needs a ${name}` }]
    : [];
}

function checkItem(item: PodMapping, kind: string): Refusal[] {
  const path = getText(item, 'path');
  const problem = path === undefined ? undefined : findFilePathProblem(path);
  const sources = ['fieldRef', 'resourceFieldRef'].filter(name => has(item, name));
  return [
    ...(problem === undefined ? [] : [refuse(item, 'path', problem)]),
    ...(kind === 'downwardAPI' && sources.length !== 1
      ? [{ places: [item.path], message: 'a file has one of fieldRef and resourceFieldRef' }]
      : []),
    ...(kind === 'downwardAPI' ? checkField(item, 'volume') : []),
    ...checkMode(item, 'mode'),
  ];
}

function checkMode(source: PodMapping, name: string): Refusal[] {
  const mode = getNumber(source, name);
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [refuse(source, name, `a mode is from 0 to 0777 (511), this is ${mode}`)];
}

function checkSource(source: PodMapping): Refusal[] {
  const kinds = SOURCES.filter(name => has(source, name));
  const token = getMapping(source, 'serviceAccountToken');
  const problem = findFilePathProblem((token && getText(token, 'path')) ?? '');
  const seconds = (token && getNumber(token, 'expirationSeconds')) ?? TOKEN_SECONDS.min;
  const isTime = seconds >= TOKEN_SECONDS.min && seconds <= TOKEN_SECONDS.max;
  return [
    ...(kinds.length > 1
      ? [
          {
            places: [[...source.path, kinds[1] ?? '']],
            at: 'key' as const,
            message: `a source is of one kind, not ${kinds.join(' and ')}`,
          },
        ]
      : []),
    ...['configMap', 'secret'].flatMap(kind =>
      listVolumesOfKind(source, kind).flatMap(mapping => requireText(mapping, 'name')),
    ),
    ...['configMap', 'secret', 'downwardAPI'].flatMap(kind =>
      listVolumesOfKind(source, kind).flatMap(mapping =>
        listMappings(mapping, 'items').flatMap(item => checkItem(item, kind)),
      ),
    ),
    ...(token === undefined || problem === undefined ? [] : [refuse(token, 'path', problem)]),
    ...(token === undefined || isTime
      ? []
      : [refuse(token, 'expirationSeconds', 'a token lives from 600 to 4294967296 seconds')]),
  ];
}

/** Reports paths that a projected volume has twice: all of its sources share one folder. The API server does not compare the path of the token. */
function checkFilesOnce(projected: PodMapping): Refusal[] {
  const taken = new Set<string>();
  const files = listMappings(projected, 'sources').flatMap(source =>
    ['configMap', 'secret', 'downwardAPI'].flatMap(kind =>
      listVolumesOfKind(source, kind).flatMap(mapping => listMappings(mapping, 'items')),
    ),
  );
  return files.flatMap(file => {
    const path = getText(file, 'path');
    if (path === undefined) return [];
    if (taken.has(path)) return [refuse(file, 'path', `the volume has two files at ${JSON.stringify(path)}`)];
    taken.add(path);
    return [];
  });
}

function checkHostPath(source: PodMapping): Refusal[] {
  const hasSteps = getText(source, 'path')?.split('/').includes('..') === true;
  return hasSteps ? [refuse(source, 'path', 'the path must not contain ".."')] : [];
}

function checkSize(source: PodMapping): Refusal[] {
  const size = parseQuantity(getMember(source.value, 'sizeLimit'));
  return size !== undefined && size < 0n ? [refuse(source, 'sizeLimit', 'a size is not negative')] : [];
}

function claimRefusals(ephemeral: PodMapping): Refusal[] {
  const template = getMapping(ephemeral, 'volumeClaimTemplate');
  if (template === undefined)
    return [{ places: [ephemeral.path], at: 'key', message: 'ephemeral needs a volumeClaimTemplate' }];
  const metadata = getMapping(template, 'metadata');
  const spec = getMapping(template, 'spec');
  const others = Object.keys(metadata?.value ?? {}).filter(name => name !== 'labels' && name !== 'annotations');
  const modes = spec && getMember(spec.value, 'accessModes');
  const resources = spec && getMapping(spec, 'resources');
  const size = parseQuantity(getMember(resources && getMember(resources.value, 'requests'), 'storage'));
  return [
    ...(metadata === undefined ? [] : checkLabels(metadata, 'labels')),
    ...(metadata === undefined
      ? []
      : others.map(name =>
          refuse(metadata, name, 'a claim of a volume has only labels and annotations', { at: 'key' }),
        )),
    ...(spec !== undefined && !(Array.isArray(modes) && modes.length > 0)
      ? [{ places: [spec.path], at: 'key' as const, message: 'a claim needs accessModes' }]
      : []),
    ...(spec !== undefined && (size === undefined || size <= 0n)
      ? [
          {
            places: [[...spec.path, 'resources', 'requests', 'storage']],
            message: 'a claim needs a size: resources.requests.storage, more than 0',
          },
        ]
      : []),
  ];
}
