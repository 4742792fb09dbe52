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
        description: 'Whether `name` names a built-in profile or a ConfigMap.',
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
          'Use one process for all sessions. All callers then share its state, and the process cannot send requests to clients. Default: each session has its own process.',
      }),
    ),
    maxProcesses: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 1,
        maximum: 1000,
        default: 16,
        description: 'Maximum number of processes at the same time, if each session has its own.',
      }),
    ),
    inheritEnv: Type.Optional(
      Type.Array(Type.String({ ...identifier('HTTPS_PROXY') }), {
        description:
          'Names of environment variables that the program inherits from the process of Lintel, in addition to a few that every program inherits, such as `PATH` and `HOME`. A program of an image inherits all variables of its container.',
      }),
    ),
    startTimeout: Type.Optional(
      duration({
        default: '5m',
        description:
          'Time limit from the start of the process to its response to `initialize`. It includes the download of a package by a command such as `npx`.',
      }),
    ),
    requestTimeout: Type.Optional(
      duration({
        default: '10m',
        description:
          'How long the bridge waits for the server to send something for a request: its response, or progress.',
      }),
    ),
    idleTimeout: Type.Optional(
      duration({ default: '5m', description: 'How long a session without requests is kept.' }),
    ),
  },
  { description: 'How the bridge runs the process of `command`.' },
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
            'Program that speaks MCP over its standard streams: a name on `PATH`, or a path. Without `image`, `lintel dev` and `lintel serve` start it on this machine. With `image`, it is a program of that image, and a bridge starts it in the pod.',
        }),
      ),
      workingDir: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Working directory of `command`. A relative path is resolved against the folder in which Lintel was started or, with `image`, against the working directory of the image. That folder is also the default.',
        }),
      ),
      process: Type.Optional(processSettings),
      transport: Type.Optional(
        oneOf(['stdio', 'streamable-http', 'sse'], {
          description: 'MCP transport between the proxy and the container, or between the bridge and the program.',
          default: 'stdio',
        }),
      ),
      proxyMode: Type.Optional(
        oneOf(['sse', 'streamable-http'], {
          description:
            'MCP transport that the proxy offers to clients if `transport` is `stdio`; it has no effect otherwise.',
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
        Type.Integer({
          format: 'int32',
          minimum: 0,
          description: 'Number of pods of the MCP server, without its proxy.',
        }),
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
          { description: 'Webhooks that inspect, change or refuse MCP calls.' },
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
        oneOf(['Pending', 'Ready', 'Failed', 'Terminating', 'Stopped'], { description: 'Phase of the server.' }),
      ),
      readyReplicas: Type.Optional(Type.Integer({ format: 'int32', description: 'Number of ready pods.' })),
      ...proxyStatusFields,
      webhookConfigHash: Type.Optional(
        Type.String({ description: 'Hash of the webhook configuration that was last read.' }),
      ),
      observedGeneration,
      conditions,
    },
    { description: 'Observed state of the server.' },
  ),
};
