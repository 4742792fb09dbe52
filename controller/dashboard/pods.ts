/** Pods of gateways and registry servers, and why a pod is not ready. */
import { type HtmlCell, renderHtmlTable } from '#compiler';
import { DIGEST_ANNOTATION } from '#schemas';
import { readAnnotation } from '../apply/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { findPodFailure, isReady, type Pod } from '../pods/index.ts';
import { formatName, shortenDigest, toCell, toWarning, type WaitingCause } from './waiting.ts';

const HEAD = [
  { name: 'pod' },
  { name: 'of' },
  { name: 'state' },
  { name: 'digest' },
  { name: 'restarts', align: 'right' as const },
];

export function renderPodTable(pods: readonly KubeObject[]): string {
  return pods.length === 0
    ? ''
    : renderHtmlTable({ title: 'Pods', id: 'pods', level: 2, head: HEAD, rows: pods.map(renderRow) });
}

function renderRow(object: KubeObject): readonly HtmlCell[] {
  const pod = object as Pod;
  const restarts = (pod.status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return [
    toCell(formatName(pod)),
    toCell(pod.metadata.labels?.['app.kubernetes.io/instance']),
    isReady(pod) ? toCell('ready') : toWarning(findPodFailure(pod)?.problem ?? 'not ready'),
    { text: shortenDigest(readAnnotation(pod, DIGEST_ANNOTATION)), tone: 'dim' },
    toCell(restarts === 0 ? '' : restarts),
  ];
}

export function listWaitingPods(pods: readonly KubeObject[]): readonly WaitingCause[] {
  return pods.flatMap(pod => {
    const failure = findPodFailure(pod as Pod);
    if (failure === undefined) return [];
    const reason = failure.isStuck ? 'Stuck' : 'Starting';
    return [{ kind: 'Pod', name: formatName(pod), reason, message: failure.problem }];
  });
}
