import { hash, timingSafeEqual } from 'node:crypto'
import { pushSecretContent } from '../../contract/signing.ts'

/** Credential of a push address: `wsSecret` and `wsTime` as received. */
export interface PushKey {
  readonly wsSecret: string
  readonly wsTime: string
}

/** Milliseconds in a day. */
export const dayMs = 86_400_000
/** Grace period for an expired address after its last packet, in ms (behaviour.md#push-addresses). */
export const reconnectGrace = 15 * 60_000

const secretShape = /^[0-9a-f]{32}$/
const timeShape = /^[1-9][0-9]{0,11}$/

/** wsSecret for an expiry in s: lowercase MD5 (behaviour.md#push-addresses). */
export const pushSecret = (channelKey: string, cid: string, wsTime: number): string =>
  hash('md5', pushSecretContent(channelKey, cid, wsTime), 'hex')

/** Expiry of a key in s; undefined when its secret is wrong (compared in constant time). */
export function admittedExpiry(channelKey: string, cid: string, key: PushKey): number | undefined {
  if (!secretShape.test(key.wsSecret) || !timeShape.test(key.wsTime)) return undefined
  const wsTime = Number(key.wsTime)
  return timingSafeEqual(Buffer.from(pushSecret(channelKey, cid, wsTime)), Buffer.from(key.wsSecret))
    ? wsTime
    : undefined
}

/** Whether an address that expires at `expires` (s) has more than half of its life left. */
export const stillFresh = (expires: number, now: number, lifeDays: number): boolean =>
  expires * 1000 - now > (lifeDays * dayMs) / 2

/** Expiry of an address made now, in s. */
export const expiryFrom = (now: number, lifeDays: number): number => Math.floor((now + lifeDays * dayMs) / 1000)

/** Public addresses of the service; read per answer, since ports and names may change at each start. */
export interface PublicAddresses {
  /** Root of the media listener, without trailing slash. */
  readonly media: string
  /** Root of the RTMP listener, without trailing slash. */
  readonly rtmp: string
}

/** The addresses of a channel (behaviour.md#push-addresses). */
export const channelAddresses = (
  roots: PublicAddresses,
  { cid, channelKey, keyExpires }: { readonly cid: string; readonly channelKey: string; readonly keyExpires: number },
  /** Of the pull addresses, with its question mark. */
  pullQuery = '',
): { pushUrl: string; httpPullUrl: string; hlsPullUrl: string; rtmpPullUrl: string } => ({
  pushUrl: `${roots.rtmp}/live/${cid}?wsSecret=${pushSecret(channelKey, cid, keyExpires)}&wsTime=${keyExpires}`,
  httpPullUrl: `${roots.media}/live/${cid}.flv${pullQuery}`,
  hlsPullUrl: `${roots.media}/live/${cid}/playlist.m3u8${pullQuery}`,
  rtmpPullUrl: `${roots.rtmp}/live/${cid}${pullQuery}`,
})
