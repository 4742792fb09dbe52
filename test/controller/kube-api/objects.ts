/** Objects that the rows write. */

type Fields = { readonly [field: string]: unknown };

export const configMap = (name: string, fields: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...fields,
});

export const gatewaySource = (name: string, spec: Fields = {}, rest: Fields = {}): Fields => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  metadata: { name },
  spec: { url: 'https://git.example/specs.git', ...spec },
  ...rest,
});

export const mcpGroup = (name: string, spec: Fields = {}, rest: Fields = {}): Fields => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'MCPGroup',
  metadata: { name },
  spec,
  ...rest,
});

/** A Deployment with all defaults that the real server would add to the compared fields. */
export const deployment = (
  name: string,
  container: Fields = {},
  spec: Fields = {},
  more: readonly Fields[] = [],
): Fields => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'image:1', ...container }, ...more] },
    },
    ...spec,
  },
});
