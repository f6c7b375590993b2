import { hash, timingSafeEqual } from 'node:crypto'
import { pushSecretContent } from '../../contract/signing.ts'

/** The credential of a push address: its `wsSecret` and `wsTime` as a publisher gave them. */
export interface PushKey {
  readonly wsSecret: string
  readonly wsTime: string
}

/** Milliseconds in a day, the unit of a push address's life. */
export const dayMs = 86_400_000
/** How long after its last packet an admitted publisher may return with an address that has expired, in ms (behaviour.md#push-addresses). */
export const reconnectGrace = 15 * 60_000

const secretShape = /^[0-9a-f]{32}$/
const timeShape = /^[1-9][0-9]{0,11}$/

/** wsSecret of a channel for an expiry in seconds: lowercase MD5 (behaviour.md#push-addresses). */
export const pushSecret = (channelKey: string, cid: string, wsTime: number): string =>
  hash('md5', pushSecretContent(channelKey, cid, wsTime), 'hex')

/** The expiry in seconds that a key carries, when its secret is right for the channel (compared in constant time); undefined when it is not. */
export function admittedExpiry(channelKey: string, cid: string, key: PushKey): number | undefined {
  if (!secretShape.test(key.wsSecret) || !timeShape.test(key.wsTime)) return undefined
  const wsTime = Number(key.wsTime)
  return timingSafeEqual(Buffer.from(pushSecret(channelKey, cid, wsTime)), Buffer.from(key.wsSecret))
    ? wsTime
    : undefined
}

/** Whether the newest address, expiring at `expires` seconds, has more than half of its life left and is given out again. */
export const stillFresh = (expires: number, now: number, lifeDays: number): boolean =>
  expires * 1000 - now > (lifeDays * dayMs) / 2

/** Expiry in seconds of an address made now. */
export const expiryFrom = (now: number, lifeDays: number): number => Math.floor((now + lifeDays * dayMs) / 1000)

/** Where players and encoders reach the service now; read when an answer is composed, for ports and names may differ at each start. */
export interface PublicAddresses {
  /** Root of the media listener, without a slash at the end. */
  readonly media: string
  /** Root of the RTMP listener, without a slash at the end. */
  readonly rtmp: string
}

/** The addresses of a channel (behaviour.md#push-addresses). */
export const channelAddresses = (
  roots: PublicAddresses,
  { cid, channelKey, keyExpires }: { readonly cid: string; readonly channelKey: string; readonly keyExpires: number },
): { pushUrl: string; httpPullUrl: string; hlsPullUrl: string; rtmpPullUrl: string } => ({
  pushUrl: `${roots.rtmp}/live/${cid}?wsSecret=${pushSecret(channelKey, cid, keyExpires)}&wsTime=${keyExpires}`,
  httpPullUrl: `${roots.media}/live/${cid}.flv`,
  hlsPullUrl: `${roots.media}/live/${cid}/playlist.m3u8`,
  rtmpPullUrl: `${roots.rtmp}/live/${cid}`,
})
