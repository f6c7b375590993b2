import type { IncomingHttpHeaders } from 'node:http'

/** Headers by which proxies, tunnels and content networks say for whom they ask, or that they do. */
const names: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'cdn-loop',
  'client-ip',
  'true-client-ip',
  'proxy-connection',
  'do-connecting-ip',
  'fastly-client-ip',
  'incap-client-ip',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-scheme',
  'x-url-scheme',
  'x-appengine-user-ip',
])
/** Beginnings of such headers. */
const beginnings = [
  'x-forwarded',
  'x-original-',
  'x-proxy',
  'x-envoy-',
  'x-amz',
  'x-azure-',
  'x-vercel-',
  'cf-',
  'fly-',
  'tailscale-',
  'ngrok-',
] as const

/** Whether a request carries a header of a proxy: it is then of somebody who may be anywhere. */
export const hasProxyHeader = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => names.has(name) || beginnings.some((begin) => name.startsWith(begin)))
