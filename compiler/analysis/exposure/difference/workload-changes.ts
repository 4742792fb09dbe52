/** Changes of the programs behind a gateway: of the servers that are its backends, and of its embedding server. */
import { compareText } from '#schemas';
import type { ExposedBackend, Exposure, Workload } from '../exposure.ts';
import { toAspects, withAlarm } from './aspect.ts';
import { formatOwnSecrets } from './credential-changes.ts';
import type { Alarm, Aspect } from './difference.ts';

/** Fields about the number and size of pods: they do not change what the pods do. */
const AVAILABILITY: ReadonlySet<string> = new Set([
  'spec.backendReplicas',
  'spec.replicas',
  'spec.resources',
  'spec.sessionAffinity',
]);

/** Fields that decide which code runs. */
const PROGRAM: ReadonlySet<string> = new Set([
  'spec.args',
  'spec.command',
  'spec.env',
  'spec.image',
  'spec.model',
  'spec.permissionProfile',
  'spec.podTemplateSpec',
  'spec.process',
  'spec.resourceOverrides',
  'spec.volumes',
  'spec.workingDir',
]);

/**
 * A program on this machine is part of the plan, which reports its changes. Only these fields are compared here as well, under the names of their
 * leaves in the plan.
 */
const LOCAL: { readonly [field: string]: string } = {
  'spec.args': 'stdio.args',
  'spec.command': 'stdio.command',
  'spec.workingDir': 'stdio.workingDir',
};

/** Fields whose change also changes the secrets of the server, and is then reported there. */
const OWN_SECRETS: ReadonlySet<string> = new Set(['spec.secrets', 'spec.serviceAccount']);

/** Kinds of backends with a workload. */
const WITH_WORKLOAD = /^[^/]*\/(?:MCPServer|MCPRemoteProxy)\//;

export function diffWorkloads(was: ExposedBackend, is: ExposedBackend): readonly Aspect[] {
  const [old, now] = [was.workload, is.workload];
  if (old === undefined || now === undefined) return listUnknown(was, is);
  const areLocal = isLocal(old) && isLocal(now);
  const hasOtherSecrets = formatOwnSecrets(was) !== formatOwnSecrets(is);
  const isReportedElsewhere = (field: string) =>
    areLocal ? LOCAL[field] === undefined : hasOtherSecrets && OWN_SECRETS.has(field);
  return diffFields(old, now, getsSecrets(is))
    .filter(({ name }) => !isReportedElsewhere(name))
    .map(aspect => (areLocal ? { ...aspect, name: LOCAL[aspect.name] ?? aspect.name } : aspect));
}

/** Changes of the embedding server. It is compared only if both sides have the same one: another one has another URL, which the plan reports. */
export function diffEmbeddingServers(before: Exposure, after: Exposure): readonly Aspect[] {
  const [old, now] = [before.embeddingServer, after.embeddingServer];
  if (old === undefined || now === undefined || old.name !== now.name) return [];
  const hasSecret = now.workload['spec.hfTokenSecretRef'] !== undefined;
  return diffFields(old.workload, now.workload, hasSecret).map(aspect => ({
    ...aspect,
    name: `embedding server ${aspect.name}`,
  }));
}

/** The program that gets the secrets of a backend; equal texts mean the same program with the same settings. */
export function formatProgram({ workload = {} }: ExposedBackend): string {
  return JSON.stringify(Object.entries(workload).filter(([field]) => PROGRAM.has(field)));
}

function diffFields(old: Workload, now: Workload, hasSecrets: boolean): readonly Aspect[] {
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort(compareText);
  return fields.flatMap(field =>
    toAspects(field, old[field] ?? null, now[field] ?? null, AVAILABILITY.has(field) ? 'same' : 'mixed').map(aspect =>
      withAlarm(aspect, findAlarm(field, hasSecrets, now)),
    ),
  );
}

function findAlarm(field: string, hasSecrets: boolean, now: Workload): Alarm | undefined {
  if (PROGRAM.has(field)) return hasSecrets ? 'otherProgram' : undefined;
  // If a credential is gone, no program gets it any more.
  if (now[field] === undefined) return undefined;
  if (field === 'spec.hfTokenSecretRef') return 'otherSecret';
  return field.startsWith('MCPExternalAuthConfig ') ? 'otherCredential' : undefined;
}

/** A side without workloads was written by an earlier version. */
function listUnknown(was: ExposedBackend, is: ExposedBackend): readonly Aspect[] {
  if (![was.key, is.key].some(key => WITH_WORKLOAD.test(key))) return [];
  const text = ({ workload }: ExposedBackend) =>
    workload === undefined ? 'not known: written by an earlier version of lintel' : 'known';
  return [{ name: 'what runs', before: text(was), after: text(is), effect: 'unclassified' }];
}

/** A program on this machine, behind a bridge. */
function isLocal(workload: Workload): boolean {
  return workload['spec.command'] !== undefined && workload['spec.image'] === undefined;
}

function getsSecrets({ credential, headers, ownSecrets = [] }: ExposedBackend): boolean {
  return credential.strategy !== 'none' || ownSecrets.length > 0 || headers.some(({ from }) => from === 'secret');
}
