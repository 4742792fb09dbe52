import { API_GROUP, STORAGE_VERSION } from '#schemas';
import type { Comments } from '../comments.ts';
import type { ExportedObject } from '../exported-object.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import type { CallCode } from '../typescript/code.ts';
import { backend } from './backend.ts';
import { type EmitContext, NotRepresentable } from './construct.ts';
import { gateway } from './gateway.ts';
import { group } from './group.ts';
import { lowLevel } from './low-level.ts';
import { oidc } from './oidc.ts';
import { outgoingAuth } from './outgoing-auth.ts';
import type { ConstructExtras } from './parts.ts';
import { registry } from './registry.ts';
import { telemetry } from './telemetry.ts';
import { workflowDefinition } from './workflow.ts';

/** By kind; an object that its construct cannot represent becomes a low-level construct. */
const CONSTRUCTS: Readonly<Record<string, (context: EmitContext) => ConstructCode>> = {
  VirtualMCPServer: gateway,
  MCPGroup: group,
  MCPOIDCConfig: oidc,
  MCPExternalAuthConfig: outgoingAuth,
  MCPTelemetryConfig: telemetry,
  MCPRegistry: registry,
  VirtualMCPCompositeToolDefinition: workflowDefinition,
  MCPServer: backend,
  MCPRemoteProxy: backend,
  MCPServerEntry: backend,
};

export interface ConstructCode {
  readonly code: CallCode;
  readonly before?: readonly Line[];
  readonly further?: readonly Line[];
}

/** How an object is written, with the comments above it. */
export interface Choice {
  readonly code: CallCode;
  readonly before: readonly Line[];
  readonly further: readonly Line[];
  readonly parts: ConstructExtras;
  /** Why it is not a high-level construct. */
  readonly why?: string;
}

/** A high-level construct if it represents everything, otherwise a low-level one. */
export function chooseConstruct(
  object: ExportedObject,
  program: ProgramScope,
  annotations: Readonly<Record<string, string>>,
  comments: () => Comments,
): Choice {
  const construct = object.apiVersion === `${API_GROUP}/${STORAGE_VERSION}` ? CONSTRUCTS[object.kind] : undefined;
  let why: string | undefined;
  if (construct !== undefined) {
    const parts = { comments: comments(), annotations };
    try {
      const { code, before = [], further = [] } = construct({ object, program, parts });
      program.noteConstruct(object, code.callee);
      return { code, before, further, parts };
    } catch (error) {
      if (!(error instanceof NotRepresentable)) throw error;
      why = `Written out: ${error.message}`;
    }
  }
  const parts = { comments: comments(), annotations };
  const { code, further = [] } = lowLevel(object, program, parts);
  return { code, before: [], further, parts, ...(why !== undefined && { why }) };
}
