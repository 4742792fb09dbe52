/** Gives a pod its ConfigMaps and Secrets: as files of its volumes, below a folder that stands for its root, and in its environment. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { ApiClient } from '../kube-api/client.ts';

interface Item {
  readonly key: string;
  readonly path: string;
}
interface Reference {
  readonly name?: string;
  /** The field's name in Secret volumes. */
  readonly secretName?: string;
  readonly items?: readonly Item[];
  readonly optional?: boolean;
}
interface Source {
  readonly configMap?: Reference;
  readonly secret?: Reference;
  readonly serviceAccountToken?: { readonly path: string };
  readonly downwardAPI?: {
    readonly items: readonly { readonly path: string; readonly fieldRef: { readonly fieldPath: string } }[];
  };
}
interface Volume extends Source {
  readonly name: string;
  readonly projected?: { readonly sources: readonly Source[] };
}
interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: {
      readonly secretKeyRef?: KeyReference;
      readonly configMapKeyRef?: KeyReference;
      readonly fieldRef?: { readonly fieldPath: string };
    };
  }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: number } };
}

/** The error for a missing object that the pod names: the pod waits, as with the reason ContainerCreating. */
export class NotThere extends Error {}

export class PodFiles {
  readonly #client: ApiClient;
  readonly #pod: KubeObject;
  readonly #ip: string;

  constructor(client: ApiClient, pod: KubeObject, ip: string) {
    this.#client = client;
    this.#pod = pod;
    this.#ip = ip;
  }

  /**
   * Writes a container's mounted volumes to their mount paths below `root`.
   *
   * @throws NotThere
   */
  async write(root: string, container: Container): Promise<void> {
    const { volumes = [] } = this.#pod.spec as { readonly volumes?: readonly Volume[] };
    for (const { name, mountPath } of container.volumeMounts ?? []) {
      const volume = volumes.find(one => one.name === name);
      if (volume === undefined) throw new Error(`the pod mounts a volume ${name} that it does not have`);
      const folder = join(root, mountPath);
      await mkdir(folder, { recursive: true });
      for (const source of volume.projected?.sources ?? [volume]) {
        for (const [path, content] of await this.#files(source)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), content);
        }
      }
    }
  }

  /**
   * @throws NotThere
   */
  async environment(container: Container): Promise<{ readonly [name: string]: string }> {
    const result: { [name: string]: string } = {};
    for (const { name, value = '', valueFrom } of container.env ?? []) {
      const { secretKeyRef, configMapKeyRef, fieldRef } = valueFrom ?? {};
      const reference = secretKeyRef ?? configMapKeyRef;
      if (fieldRef !== undefined) result[name] = this.#field(fieldRef.fieldPath);
      else if (reference === undefined) result[name] = value;
      else {
        const data = await this.#data(
          secretKeyRef === undefined ? 'configmaps' : 'secrets',
          reference.name,
          reference.optional,
        );
        const found = data.get(reference.key);
        if (found !== undefined) result[name] = found.toString('utf8');
        else if (reference.optional !== true)
          throw new NotThere(`couldn't find key ${reference.key} in ${reference.name}`);
      }
    }
    return result;
  }

  async #files({
    configMap,
    secret,
    serviceAccountToken,
    downwardAPI,
  }: Source): Promise<(readonly [string, Buffer])[]> {
    const files: (readonly [string, Buffer])[] = [];
    for (const [plural, reference] of [
      ['configmaps', configMap],
      ['secrets', secret],
    ] as const) {
      if (reference === undefined) continue;
      const data = await this.#data(plural, reference.name ?? reference.secretName ?? '', reference.optional);
      for (const { key, path } of reference.items ?? [...data.keys()].map(key => ({ key, path: key }))) {
        const content = data.get(key);
        if (content !== undefined) files.push([path, content]);
        else if (reference.optional !== true) throw new NotThere(`references non-existent config key: ${key}`);
      }
    }
    if (serviceAccountToken !== undefined) files.push([serviceAccountToken.path, Buffer.from('token-of-a-test')]);
    for (const { path, fieldRef } of downwardAPI?.items ?? [])
      files.push([path, Buffer.from(this.#field(fieldRef.fieldPath))]);
    return files;
  }

  async #data(plural: 'configmaps' | 'secrets', name: string, optional = false): Promise<ReadonlyMap<string, Buffer>> {
    const path = `/api/v1/namespaces/${this.#pod.metadata.namespace}/${plural}/${name}`;
    const { status, body } = await this.#client.request('GET', path);
    if (status !== 200) {
      if (optional) return new Map();
      throw new NotThere(`${plural.slice(0, -1)} ${JSON.stringify(name)} not found`);
    }
    const { data = {}, binaryData = {} } = body as { readonly data?: object; readonly binaryData?: object };
    const encoding = plural === 'secrets' ? 'base64' : 'utf8';
    return new Map([
      ...Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string, encoding)] as const),
      ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value as string, 'base64')] as const),
    ]);
  }

  #field(path: string): string {
    const { name, namespace = '', uid = '' } = this.#pod.metadata;
    const { serviceAccountName = 'default' } = this.#pod.spec as { readonly serviceAccountName?: string };
    const fields: { readonly [path: string]: string } = {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'metadata.uid': uid,
      'spec.serviceAccountName': serviceAccountName,
      'status.podIP': this.#ip,
    };
    const value = fields[path];
    if (value === undefined) throw new Error(`the kubelet of tests does not know the field ${path}`);
    return value;
  }
}
