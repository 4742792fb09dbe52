/** Sets the address of the bridge that runs the stdio servers of a bundle. The bundle itself names only the bridge's default port. */
import { type BackendPlan, BRIDGE_TOKEN_HEADER, BRIDGE_TOKEN_VARIABLE, type GatewayBundle } from '#schemas';

/**
 * @param bridge URL of the bridge; undefined keeps the bundle's value
 * @param hasToken whether `LINTEL_BRIDGE_TOKEN` is set
 */
export function withBridge(bundle: GatewayBundle, bridge: string | undefined, hasToken: boolean): GatewayBundle {
  if (bundle.backends.every(({ stdio }) => stdio === undefined)) return bundle;
  const reach = (plan: BackendPlan): BackendPlan => ({
    ...plan,
    url: bridge === undefined ? plan.url : `${bridge.replace(/\/$/, '')}${new URL(plan.url).pathname}`,
    headers: hasToken ? [...plan.headers, TOKEN] : plan.headers,
  });
  return { ...bundle, backends: bundle.backends.map(plan => (plan.stdio === undefined ? plan : reach(plan))) };
}

const TOKEN: BackendPlan['headers'][number] = {
  name: BRIDGE_TOKEN_HEADER,
  value: { type: 'secret', from: { env: BRIDGE_TOKEN_VARIABLE, file: null } },
};
