import type { ReasonCode, ReasonOf } from '../../contract/catalogue/reasons.ts'
import { ownAuthority } from '../own-authority.ts'

/** English texts of a delivery's reason for `msg` and the command line, with `{…}` for params. For people only. */
const words: Readonly<Record<ReasonCode<'delivery'>, string>> = {
  status: 'HTTP {status}',
  redirect: 'HTTP {status}, redirects are not followed',
  late: 'no answer in time',
  unresolved: 'no answer in time: the name did not resolve',
  refused: 'connection refused',
  ended: 'connection ended',
  hostUnreachable: 'host unreachable',
  networkUnreachable: 'network unreachable',
  timedOut: 'connection timed out',
  headers: 'reply headers too large',
  notHttp: 'the reply is not HTTP',
  certificate: `the certificate is not accepted ({system}); ${ownAuthority}`,
  failed: 'connection failed',
  failedWith: 'connection failed ({system})',
  whiteSpace: 'the address has white space, control characters or a backslash',
  notUrl: 'the address must be http:// or https:// and a host',
  credentials: 'the address must not carry credentials',
  fragment: 'the address must not have a fragment',
  badPort: 'the address must have a port from 1 to 65535',
  ipv4: 'an IPv4 address must be written as four decimal numbers',
  nowhere: '{host} does not resolve to an address',
  metadata: '{host} is an address of a metadata service',
  mapped: '{host} is an IPv4 address written as an IPv6 one',
  reserved: '{host} is a link-local, multicast, broadcast, unspecified or reserved address',
  ownPort: '{host} is a port of this service itself',
  thisComputer:
    '{host} is this computer, which is not allowed; `localTargets` of /local/service/updateSettings allows it',
  localNetwork:
    '{host} is the local network, which is not allowed; `localTargets` of /local/service/updateSettings allows it',
  unset: 'the address was removed',
  kind: 'this kind is not delivered any more',
  fault: 'fault of the service, see its log',
  unknown: '{text}',
}

/** A reason of a delivery in English. */
export const wordsOf = ({ code, params }: ReasonOf<'delivery'>): string =>
  words[code].replace(/\{(\w+)\}/g, (_slot, name: string) => params[name] ?? '')
