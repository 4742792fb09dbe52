import { type TSchema, Type } from 'typebox';
import { DECIMAL, duration } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

export const optimizer: TSchema = fields(
  'OptimizerConfig',
  {
    embeddingService: Type.Optional(
      Type.String({
        description:
          'Base URL of the embedding service. `spec.embeddingServerRef` takes precedence. Without both, search uses keywords only.',
      }),
    ),
    embeddingServiceTimeout: Type.Optional(
      duration({
        default: '30s',
        description:
          'Time limit of a request to the embedding service. A search that gets no embedding in this time uses keywords only.',
      }),
    ),
    embeddingProvider: Type.Optional(
      oneOf(['tei', 'openai'], {
        default: 'tei',
        description:
          'Protocol of the embedding service: `tei` for text-embeddings-inference, `openai` for an OpenAI-compatible API.',
      }),
    ),
    embeddingModel: Type.Optional(
      Type.String({
        description: 'Name of the model in embedding requests. Services with provider `openai` usually require it.',
      }),
    ),
    embeddingHeaders: Type.Optional(
      record(Type.String({ minLength: 1, maxLength: 8192 }), {
        maxProperties: 32,
        description:
          'Headers to add to embedding requests; only with provider `openai`. The values are stored in plain text.',
      }),
    ),
    maxToolsToReturn: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 8,
        description: 'Maximum number of tools that one search returns.',
      }),
    ),
    hybridSearchSemanticRatio: Type.Optional(
      Type.String({
        ...DECIMAL,
        default: '0.5',
        description:
          'Weight of semantic search against keyword search, from 0.0 (keywords only) to 1.0 (semantic only).',
      }),
    ),
    semanticDistanceThreshold: Type.Optional(
      Type.String({
        ...DECIMAL,
        default: '1.0',
        description:
          'Maximum cosine distance of a semantic match, from 0 (same meaning) to 2 (opposite). It does not limit keyword matches.',
      }),
    ),
  },
  {
    description:
      'Replaces the list of tools with `find_tool` and `call_tool`, so that clients load only the definitions of tools that they need.',
    rules: [
      {
        rule: "!has(self.embeddingHeaders) || size(self.embeddingHeaders) == 0 || (has(self.embeddingProvider) && self.embeddingProvider == 'openai')",
        message: "embeddingHeaders are sent only when embeddingProvider is 'openai'",
      },
      {
        rule: "!has(self.embeddingHeaders) || self.embeddingHeaders.all(name, name.matches('^[A-Za-z0-9!#$%&*+.^_|~-]+$') && !(name.lowerAscii() in ['authorization', 'content-type']))",
        message: 'embeddingHeaders must have valid HTTP header names other than Authorization and Content-Type',
      },
    ],
  },
);
