import { Construct } from 'constructs';
import { isCarrierHeader } from '#shared/plan';
import { type Call, captureCall } from '../origins.ts';
import type { BoundStrategy, OutgoingStrategy } from '../outgoing.ts';
import type { NamingProps } from '../resource.ts';
import type { SecretKey } from '../values/secret.ts';
import { type AwsStsProps, awsStsBlock } from './aws-sts.ts';
import { type CrossAppProps, xaaBlock } from './cross-app.ts';
import { type AuthReference, externalAuth } from './external-auth.ts';
import { type OnBehalfOfProps, oboBlock } from './on-behalf-of.ts';
import { type TokenExchangeProps, tokenExchangeBlock } from './token-exchange.ts';

/** Sets one header to a fixed value. */
export interface HeaderProps extends NamingProps {
  /** Name of the header. */
  readonly header: string;
  /** Reference to the value of the header. */
  readonly value: SecretKey;
}

/** Sends the access token that an upstream issued for the person. */
export interface UpstreamInjectProps extends NamingProps {
  /** Name of an upstream of the gateway's authorization server. */
  readonly provider: string;
}

/**
 * The credential that a gateway sends to backends (`MCPExternalAuthConfig`): set for a single backend, as the default of a gateway, or at a
 * workload itself.
 *
 * @example
 * const ledgerToken = OutgoingAuth.tokenExchange(this, 'ledger-token', {
 *   tokenUrl: 'https://id.corp.example/token',
 *   audience: 'ledger',
 *   client: { id: 'gateway', secret: Secret.key('ledger', 'client-secret') },
 * });
 * new Gateway(this, 'office', { group, incoming, outgoing: { backends: { ledger: ledgerToken } } });
 */
export class OutgoingAuth extends Construct implements AuthReference, OutgoingStrategy {
  readonly kind = 'MCPExternalAuthConfig';
  readonly name: string;
  readonly #call: Call;

  private constructor(scope: Construct, id: string, props: NamingProps, call: Call) {
    super(scope, id);
    this.name = props.name ?? id;
    this.#call = call;
  }

  /**
   * Exchanges the caller's token for one that the backend accepts (RFC 8693).
   *
   * @example
   * OutgoingAuth.tokenExchange(this, 'ledger-token', { tokenUrl: 'https://id.corp.example/token', audience: 'ledger' });
   */
  static tokenExchange(scope: Construct, id: string, props: TokenExchangeProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.tokenExchange);
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'tokenExchange', tokenExchangeBlock(props), call, {
      clientId: [2, 'client', 'id'],
      clientSecretRef: [2, 'client', 'secret'],
      subjectProviderName: [2, 'subjectProvider'],
    });
    return auth;
  }

  /**
   * Sets one header to a fixed value, such as an API key.
   *
   * @throws Error for a header that the connection or the protocol uses
   * @example
   * OutgoingAuth.header(this, 'letters-key', { header: 'X-Letters-Key', value: Secret.key('letters', 'key') });
   */
  static header(scope: Construct, id: string, props: HeaderProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.header);
    const { header: headerName, value: valueSecretRef } = props;
    if (!isCarrierHeader(headerName))
      throw new Error(
        `the header "${headerName}" of "${id}" cannot carry a credential: it steers the connection or the protocol, or is not a valid name of a header`,
      );
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'headerInjection', { headerName, valueSecretRef }, call, {
      headerName: [2, 'header'],
      valueSecretRef: [2, 'value'],
    });
    return auth;
  }

  /**
   * Sends the access token that an upstream issued for the person who signed in.
   *
   * @example
   * OutgoingAuth.upstreamInject(this, 'github-token', { provider: 'github' });
   */
  static upstreamInject(scope: Construct, id: string, props: UpstreamInjectProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.upstreamInject);
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'upstreamInject', { providerName: props.provider }, call, {
      providerName: [2, 'provider'],
    });
    return auth;
  }

  /**
   * Assumes an AWS role with the identity of the caller and signs requests with its credentials.
   *
   * @example
   * OutgoingAuth.awsSts(this, 'aws', {
   *   region: 'eu-central-1',
   *   roles: [{ claim: 'analysts', role: 'arn:aws:iam::123456789012:role/reader' }],
   * });
   */
  static awsSts(scope: Construct, id: string, props: AwsStsProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.awsSts);
    const auth = new OutgoingAuth(scope, id, props, call);
    const roles = (props.roles ?? []).map((_, index) => [`roleMappings/${index}/roleArn`, [2, 'roles', index, 'role']]);
    externalAuth(auth, props, 'awsSts', awsStsBlock(props), call, {
      fallbackRoleArn: [2, 'fallbackRole'],
      roleMappings: [2, 'roles'],
      ...Object.fromEntries(roles),
      subjectProviderName: [2, 'subjectProvider'],
    });
    return auth;
  }

  /**
   * Gets a delegated token for the person from a directory (on-behalf-of).
   *
   * @example
   * OutgoingAuth.onBehalfOf(this, 'graph', {
   *   tenantId: 'corp.example',
   *   client: { id: 'gateway', secret: Secret.key('directory', 'client-secret') },
   *   scopes: ['https://graph.microsoft.com/Mail.Read'],
   * });
   */
  static onBehalfOf(scope: Construct, id: string, props: OnBehalfOfProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.onBehalfOf);
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'obo', oboBlock(props), call, {
      clientId: [2, 'client', 'id'],
      clientSecretRef: [2, 'client', 'secret'],
      subjectTokenProviderName: [2, 'subjectProvider'],
    });
    return auth;
  }

  /**
   * Cross-application access: an identity assertion of the identity provider gives access to another application.
   *
   * @example
   * OutgoingAuth.crossApp(this, 'wiki', {
   *   idp: { tokenUrl: 'https://id.corp.example/token', client: { id: 'gateway', secret: Secret.key('idp', 'secret') } },
   *   target: { tokenUrl: 'https://wiki.example/token', audience: 'https://wiki.example' },
   * });
   */
  static crossApp(scope: Construct, id: string, props: CrossAppProps): OutgoingAuth {
    const call = captureCall(OutgoingAuth.crossApp);
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'xaa', xaaBlock(props), call, {
      idpTokenUrl: [2, 'idp', 'tokenUrl'],
      idpClientId: [2, 'idp', 'client', 'id'],
      idpClientSecretRef: [2, 'idp', 'client', 'secret'],
      targetTokenUrl: [2, 'target', 'tokenUrl'],
      insecureTargetTokenUrl: [2, 'target', 'insecure'],
      targetClientId: [2, 'target', 'client', 'id'],
      targetClientSecretRef: [2, 'target', 'client', 'secret'],
      targetAudience: [2, 'target', 'audience'],
      targetResource: [2, 'target', 'resource'],
      subjectProviderName: [2, 'subjectProvider'],
    });
    return auth;
  }

  /**
   * Explicitly sends no credential.
   *
   * @example
   * new Gateway(this, 'docs', { group, incoming, outgoing: { default: OutgoingAuth.unauthenticated(this, 'open') } });
   */
  static unauthenticated(scope: Construct, id: string, props: NamingProps = {}): OutgoingAuth {
    const call = captureCall(OutgoingAuth.unauthenticated);
    const auth = new OutgoingAuth(scope, id, props, call);
    externalAuth(auth, props, 'unauthenticated', undefined, call);
    return auth;
  }

  /**
   * An MCPExternalAuthConfig that is declared elsewhere, such as in YAML.
   *
   * @example
   * new Gateway(this, 'eng', { group, incoming, outgoing: { default: OutgoingAuth.existing('corp-token') } });
   */
  static existing(name: string): AuthReference & OutgoingStrategy {
    const callSite = captureCall(OutgoingAuth.existing).at(0);
    const auth = { type: 'externalAuthConfigRef', externalAuthConfigRef: { name } } as const;
    return { kind: 'MCPExternalAuthConfig', name, bind: () => ({ auth, callSite }) };
  }

  /**
   * The credential that the backend itself refers to.
   *
   * @example
   * new Gateway(this, 'eng', { group, incoming, outgoing: { default: OutgoingAuth.discovered() } });
   */
  static discovered(): OutgoingStrategy {
    const callSite = captureCall(OutgoingAuth.discovered).at();
    return { bind: () => ({ auth: { type: 'discovered' }, callSite }) };
  }

  /** Renders the settings for the gateway that uses this credential. */
  bind(): BoundStrategy {
    const { name } = this;
    return { auth: { type: 'externalAuthConfigRef', externalAuthConfigRef: { name } }, callSite: this.#call.at() };
  }
}
