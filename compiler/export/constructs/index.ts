import { API_GROUP, STORAGE_VERSION } from '#schemas';
import type { Comments } from '../comments.ts';
import type { ExportedObject } from '../exported-object.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import type { CallCode } from '../typescript/code.ts';
import { emitBackend } from './backend.ts';
import { type ConstructCode, type EmitContext, NotRepresentable } from './construct.ts';
import { emitGateway } from './gateway.ts';
import { emitGroup } from './group.ts';
import { emitLowLevel } from './low-level.ts';
import { emitOidc } from './oidc.ts';
import { emitOutgoingAuth } from './outgoing-auth.ts';
import type { ConstructExtras } from './parts.ts';
import { emitRegistry } from './registry.ts';
import { emitTelemetry } from './telemetry.ts';
import { emitWorkflowDefinition } from './workflow.ts';

/** Returns the code for the construct of an object, by kind. If the construct cannot represent the object, the object is written out. */
const CONSTRUCTS: Readonly<Record<string, (context: EmitContext) => ConstructCode>> = {
  VirtualMCPServer: emitGateway,
  MCPGroup: emitGroup,
  MCPOIDCConfig: emitOidc,
  MCPExternalAuthConfig: emitOutgoingAuth,
  MCPTelemetryConfig: emitTelemetry,
  MCPRegistry: emitRegistry,
  VirtualMCPCompositeToolDefinition: emitWorkflowDefinition,
  MCPServer: emitBackend,
  MCPRemoteProxy: emitBackend,
  MCPServerEntry: emitBackend,
};

/** How the program creates an object, with the comments above it. */
export interface Choice {
  readonly code: CallCode;
  readonly before: readonly Line[];
  readonly further: readonly Line[];
  readonly parts: ConstructExtras;
  /** Why the object is written out, and not created by a construct. */
  readonly why?: string;
}

/** The construct, if it represents everything; otherwise the class of the object's kind. */
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
  const { code, further = [] } = emitLowLevel(object, program, parts);
  return { code, before: [], further, parts, ...(why !== undefined && { why }) };
}
