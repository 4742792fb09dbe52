import { type TSchema, Type } from 'typebox';
import { DECIMAL, duration } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

export const optimizer: TSchema = fields(
  'OptimizerConfig',
  {
    embeddingService: Type.Optional(
      Type.String({
        description:
          'Base URL of the embedding service. `spec.embeddingServerRef` wins. With neither, tools are found by keywords only.',
      }),
    ),
    embeddingServiceTimeout: Type.Optional(
      duration({
        default: '30s',
        description:
          'Longest request to the embedding service; a search waits no longer for it, and then finds by keywords.',
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
      Type.String({ description: 'Model to ask for; `openai` services usually demand one.' }),
    ),
    embeddingHeaders: Type.Optional(
      record(Type.String({ minLength: 1, maxLength: 8192 }), {
        maxProperties: 32,
        description: 'Headers to add to embedding requests; only with provider `openai`. They are stored readable.',
      }),
    ),
    maxToolsToReturn: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 8, description: 'Tools that one search returns at most.' }),
    ),
    hybridSearchSemanticRatio: Type.Optional(
      Type.String({
        ...DECIMAL,
        default: '0.5',
        description: 'Weight of meaning against keywords, from 0.0 (keywords only) to 1.0 (meaning only).',
      }),
    ),
    semanticDistanceThreshold: Type.Optional(
      Type.String({
        ...DECIMAL,
        default: '1.0',
        description: 'Largest distance of a hit by meaning, from 0 (same) to 2 (unrelated). Keyword hits ignore it.',
      }),
    ),
  },
  {
    description: 'Replaces the list of tools by `find_tool` and `call_tool`, so that clients read only what they need.',
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
