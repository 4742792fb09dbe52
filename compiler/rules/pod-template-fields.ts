/**
 * The fields of a pod template down to the containers, with the type of each. Below that the API server decides.
 *
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#podtemplatespec-v1-core
 */
export type FieldType = 'boolean' | 'integer' | 'list' | 'mapping' | 'string' | 'texts';

export type Fields = Readonly<Record<string, FieldType>>;

function table(names: Readonly<Record<FieldType, string>>): Fields {
  return Object.fromEntries(
    Object.entries(names).flatMap(([type, list]) =>
      list
        .split(/\s+/)
        .filter(name => name !== '')
        .map(name => [name, type as FieldType]),
    ),
  );
}

export const TEMPLATE_FIELDS: Fields = { metadata: 'mapping', spec: 'mapping' };

/** Those that a template can set; the API server fills in the others. */
export const METADATA_FIELDS: Fields = table({
  boolean: '',
  integer: 'deletionGracePeriodSeconds generation',
  list: 'finalizers managedFields ownerReferences',
  mapping: '',
  string: 'creationTimestamp deletionTimestamp generateName name namespace resourceVersion selfLink uid',
  texts: 'annotations labels',
});

export const POD_FIELDS: Fields = table({
  boolean:
    'automountServiceAccountToken enableServiceLinks hostIPC hostNetwork hostPID hostUsers setHostnameAsFQDN shareProcessNamespace',
  integer: 'activeDeadlineSeconds priority terminationGracePeriodSeconds',
  list: 'containers ephemeralContainers hostAliases imagePullSecrets initContainers readinessGates resourceClaims schedulingGates tolerations topologySpreadConstraints volumes',
  mapping: 'affinity dnsConfig os resources securityContext overhead workloadRef',
  string:
    'dnsPolicy hostname hostnameOverride nodeName preemptionPolicy priorityClassName restartPolicy runtimeClassName schedulerName serviceAccount serviceAccountName subdomain',
  texts: 'nodeSelector',
});

export const CONTAINER_FIELDS: Fields = table({
  boolean: 'stdin stdinOnce tty',
  integer: '',
  list: 'args command env envFrom ports resizePolicy restartPolicyRules volumeDevices volumeMounts',
  mapping: 'lifecycle livenessProbe readinessProbe resources securityContext startupProbe',
  string:
    'image imagePullPolicy name restartPolicy targetContainerName terminationMessagePath terminationMessagePolicy workingDir',
  texts: '',
});
