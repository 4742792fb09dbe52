import { emitAuthServer, findGatewayOfIssuer } from './auth-server.ts';
import type { ConsumedMapping } from './block.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct, NotRepresentable } from './construct.ts';
import { isAbsolutePath, isHttp, isHttps } from './prop-guards.ts';

/** The code `Oidc.inline(…)` or `Oidc.serviceAccounts(…)`, or `new AuthServer(…)` for the issuer of an authorization server. */
export function emitOidc(context: EmitContext): ConstructCode {
  const gateway = findGatewayOfIssuer(context.object, context.program);
  if (gateway === undefined) return emitIssuer(context);
  try {
    return emitAuthServer(context, gateway);
  } catch (error) {
    // The issuer and the authorization server cannot become one `AuthServer`. Then the issuer is created alone, and the gateway is written out with
    // its authorization server.
    if (error instanceof NotRepresentable) return emitIssuer(context);
    throw error;
  }
}

function emitIssuer(context: EmitContext): ConstructCode {
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const type = fields.take('type');
  const block = type === 'inline' || type === 'kubernetesServiceAccount' ? fields.block(type) : undefined;
  if (block === undefined)
    throw new NotRepresentable(
      '`type` is neither `inline` nor `kubernetesServiceAccount`, or the settings of the type are missing.',
    );
  fields.done();
  const callee = type === 'inline' ? 'Oidc.inline' : 'Oidc.serviceAccounts';
  const members = type === 'inline' ? inline(block) : emitServiceAccounts(block);
  block.done();
  return { code: emitConstruct(callee, context, [...naming, ...members]) };
}

function inline(block: ConsumedMapping) {
  const isInsecure = block.take('insecureAllowHTTP') === true;
  const isUrl = (url: unknown) => isHttps(url) || (isInsecure && isHttp(url));
  const introspection = [
    ...block.prop('url', 'introspectionUrl', isUrl),
    ...block.client('client', 'clientId', 'clientSecretRef'),
  ];
  if (introspection.length > 0 && introspection[0]?.key !== 'url')
    throw new NotRepresentable('a client has no effect without `introspectionUrl`.');
  return [
    ...block.required('issuer', 'issuer', isUrl),
    ...block.prop('jwksUrl', 'jwksUrl', isUrl),
    ...block.emit(
      'introspection',
      'introspectionUrl',
      introspection.length === 0 ? undefined : { type: 'object', members: introspection },
    ),
    ...block.caBundle('caBundle', 'caBundleRef'),
    ...block.prop('jwksAuthTokenPath', 'jwksAuthTokenPath', isAbsolutePath),
    ...block.props('insecureAllowHTTP', 'jwksAllowPrivateIP'),
  ];
}

function emitServiceAccounts(block: ConsumedMapping) {
  return [
    ...block.prop('issuer', 'issuer', isHttps),
    ...block.prop('jwksUrl', 'jwksUrl', isHttps),
    ...block.prop('introspectionUrl', 'introspectionUrl', isHttps),
    ...block.props('useClusterAuth'),
  ];
}
