import { Type } from 'typebox';
import { conditions, duration, observedGeneration } from './blocks.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { fields, identifier, type KindDefinition, objectRef, oneOf } from './define.ts';
import { proxySpecFields, proxyStatusFields } from './proxy.ts';
import { rateLimiting } from './rate-limiting.ts';
import { envVar, podTemplateSpec } from './workload.ts';

const secretEnv = fields(
  'SecretEnvVar',
  {
    name: objectRef('Secret', { description: 'Name of the Secret.' }),
    key: Type.String({ description: 'Key inside the Secret.' }),
    targetEnvName: Type.Optional(
      Type.String({ description: 'Environment variable that receives the value. Default: the key.' }),
    ),
  },
  { description: 'One environment variable filled from a Secret.' },
);

const volume = fields(
  'HostPathVolume',
  {
    name: Type.String({ description: 'Name of the volume.' }),
    hostPath: Type.String({ description: 'Path on the node.' }),
    mountPath: Type.String({ description: 'Path inside the container.' }),
    readOnly: Type.Optional(Type.Boolean({ default: false, description: 'Mount without write access.' })),
  },
  { description: 'One directory of the node mounted into the container.' },
);

const permissionProfile = fields(
  'PermissionProfileRef',
  {
    type: Type.Optional(
      oneOf(['builtin', 'configmap'], {
        description: 'Whether `name` is a built-in profile or a ConfigMap.',
        default: 'builtin',
      }),
    ),
    name: Type.String({ description: 'Name of the profile or of the ConfigMap.' }),
    key: Type.Optional(Type.String({ description: 'Key inside the ConfigMap; only with type `configmap`.' })),
  },
  { description: 'What the server may reach on the network and in the file system.' },
);

const processSettings = fields(
  'StdioProcess',
  {
    shared: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'One process for all sessions. It shares its state among callers, and can ask clients nothing. Without it, each session has its own.',
      }),
    ),
    maxProcesses: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 1,
        maximum: 1000,
        default: 16,
        description: 'Most processes at the same time, where each session has its own.',
      }),
    ),
    inheritEnv: Type.Optional(
      Type.Array(Type.String({ ...identifier('HTTPS_PROXY') }), {
        description:
          'Environment variables that the program gets from the shell in which Lintel runs, besides the few that every program gets, such as `PATH` and `HOME`. A program of an image gets all of its container.',
      }),
    ),
    startTimeout: Type.Optional(
      duration({
        default: '5m',
        description:
          'Time from its start to its answer to `initialize`, with the download where a command such as `npx` begins with one.',
      }),
    ),
    requestTimeout: Type.Optional(
      duration({ default: '10m', description: 'Time for one request, from what the server last said about it.' }),
    ),
    idleTimeout: Type.Optional(duration({ default: '5m', description: 'How long an idle session is kept.' })),
  },
  { description: 'How the process of a `command` is run.' },
);

export const mcpServer: KindDefinition = {
  kind: 'MCPServer',
  plural: 'mcpservers',
  singular: 'mcpserver',
  shortNames: ['mcpserver', 'mcpservers'],
  description:
    'An MCP server image that runs in the cluster behind a proxy, or a program that runs on this machine behind a bridge.',
  specRequired: false,
  printerColumns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    readyColumn,
    { name: 'Replicas', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    ageColumn,
  ],
  spec: fields(
    'MCPServerSpec',
    {
      image: Type.Optional(Type.String({ description: 'Container image of the MCP server.' })),
      command: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Program that speaks MCP over its standard streams: a name on `PATH`, or a path. Without `image`, `lintel dev` and `lintel serve` start it on this machine; with `image`, it is a program of the image, which a bridge starts in the pod.',
        }),
      ),
      workingDir: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Folder in which `command` runs, relative to the one in which Lintel was started, or to that of the image. Default: that one.',
        }),
      ),
      process: Type.Optional(processSettings),
      transport: Type.Optional(
        oneOf(['stdio', 'streamable-http', 'sse'], {
          description: 'How the proxy talks to the container, or the bridge to the program.',
          default: 'stdio',
        }),
      ),
      proxyMode: Type.Optional(
        oneOf(['sse', 'streamable-http'], {
          description: 'What the proxy offers to clients when `transport` is `stdio`; without effect otherwise.',
          default: 'streamable-http',
        }),
      ),
      mcpPort: Type.Optional(
        Type.Integer({
          format: 'int32',
          minimum: 1,
          maximum: 65535,
          description: 'TCP port on which the container listens, for HTTP transports. Default: 8080.',
        }),
      ),
      backendReplicas: Type.Optional(
        Type.Integer({ format: 'int32', minimum: 0, description: 'Number of pods of the server itself.' }),
      ),
      args: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Arguments of the container or program. `$(NAME)` stands for a variable of `env` or `secrets`.',
        }),
      ),
      env: Type.Optional(
        Type.Array(envVar, { description: 'Plain environment variables of the container or program.' }),
      ),
      secrets: Type.Optional(Type.Array(secretEnv, { description: 'Environment variables filled from Secrets.' })),
      volumes: Type.Optional(Type.Array(volume, { description: 'Directories of the node to mount.' })),
      permissionProfile: Type.Optional(permissionProfile),
      podTemplateSpec: Type.Optional(podTemplateSpec('mcp')),
      rateLimiting: Type.Optional(rateLimiting),
      webhookConfigRef: Type.Optional(
        fields(
          'WebhookConfigRef',
          { name: Type.String({ description: 'Name of the webhook configuration.' }) },
          { description: 'Webhooks that see, change or refuse MCP calls.' },
        ),
      ),
      ...proxySpecFields,
    },
    {
      description: 'Desired state of the server and its proxy.',
      rules: [
        {
          rule: 'has(self.image) || has(self.command)',
          message:
            'give image, which runs in the cluster, or command, which runs on this machine; with both, command is a program of the image',
        },
        {
          rule: "!has(self.command) || !has(self.transport) || self.transport == 'stdio'",
          message: "a command speaks over its standard streams: set transport to 'stdio', or leave it out",
        },
        {
          rule: 'has(self.command) || (!has(self.workingDir) && !has(self.process))',
          message: 'workingDir and process are those of a command: set command, or remove them',
        },
        {
          rule: '!(has(self.authzConfig) && has(self.authzConfigRef))',
          message: 'authzConfig and authzConfigRef cannot be combined: keep one of them',
        },
        {
          rule: "!has(self.rateLimiting) || (has(self.sessionStorage) && self.sessionStorage.provider == 'redis')",
          message: "rateLimiting keeps its counters in Redis: set sessionStorage with provider 'redis'",
        },
        {
          rule: '!has(self.rateLimiting) || !has(self.rateLimiting.perUser) || has(self.oidcConfigRef) || has(self.externalAuthConfigRef)',
          message: 'rateLimiting.perUser needs to know the caller: set oidcConfigRef or externalAuthConfigRef',
        },
        {
          rule: '!has(self.rateLimiting) || !has(self.rateLimiting.tools) || has(self.oidcConfigRef) || has(self.externalAuthConfigRef) || !self.rateLimiting.tools.exists(t, has(t.perUser))',
          message: 'perUser in rateLimiting.tools needs to know the caller: set oidcConfigRef or externalAuthConfigRef',
        },
      ],
    },
  ),
  status: fields(
    'MCPServerStatus',
    {
      phase: Type.Optional(
        oneOf(['Pending', 'Ready', 'Failed', 'Terminating', 'Stopped'], { description: 'Where the server stands.' }),
      ),
      readyReplicas: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of ready pods.' })),
      ...proxyStatusFields,
      webhookConfigHash: Type.Optional(Type.String({ description: 'Last seen hash of the webhook configuration.' })),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the server.' },
  ),
};
