import { describe, expect, it } from 'vitest'
import {
  admittedExpiry,
  channelAddresses,
  dayMs,
  expiryFrom,
  pushSecret,
  reconnectGrace,
  stillFresh,
} from './push-address.ts'

const cid = '0123456789abcdef0123456789abcdef'

describe('a push address', () => {
  it('has the lowercase MD5 of key, path and expiry as its secret', () => {
    // printf '%s' 'key/live/0123456789abcdef0123456789abcdef1800000000' | md5sum
    expect(pushSecret('key', cid, 1_800_000_000)).toBe('702bf4ff6b2f01118e30ea31be84f8dd')
    expect(admittedExpiry('key', cid, { wsSecret: '702bf4ff6b2f01118e30ea31be84f8dd', wsTime: '1800000000' })).toBe(
      1_800_000_000,
    )
    expect(
      admittedExpiry('kez', cid, { wsSecret: '702bf4ff6b2f01118e30ea31be84f8dd', wsTime: '1800000000' }),
    ).toBeUndefined()
  })

  it('is composed from where the listeners are now', () => {
    const row = { cid, channelKey: 'key', keyExpires: 1_800_000_000 }
    expect(channelAddresses({ media: 'http://[::1]:2', rtmp: 'rtmp://a.example:1' }, row)).toEqual({
      pushUrl: `rtmp://a.example:1/live/${cid}?wsSecret=702bf4ff6b2f01118e30ea31be84f8dd&wsTime=1800000000`,
      httpPullUrl: `http://[::1]:2/live/${cid}.flv`,
      hlsPullUrl: `http://[::1]:2/live/${cid}/playlist.m3u8`,
      rtmpPullUrl: `rtmp://a.example:1/live/${cid}`,
    })
  })

  it('is fresh while more than half of its life is left', () => {
    const now = 1_800_000_000_000
    const expires = expiryFrom(now, 2)
    expect(expires).toBe(1_800_000_000 + 2 * 86_400)
    expect(stillFresh(expires, now + 86_400_000 - 1, 2)).toBe(true)
    expect(stillFresh(expires, now + 86_400_000, 2)).toBe(false)
  })
})

describe('the key of a push address', () => {
  const secret = '702bf4ff6b2f01118e30ea31be84f8dd'
  const expiry = (wsSecret: string, wsTime: string) => admittedExpiry('key', cid, { wsSecret, wsTime })

  it('is admitted in the exact form of its address only', () => {
    expect(expiry(secret, '1800000000')).toBe(1_800_000_000)
    for (const wrong of [secret.toUpperCase(), secret.slice(1), `${secret}0`, ` ${secret}`, '', 'é'.repeat(16)])
      expect(expiry(wrong, '1800000000'), wrong).toBeUndefined()
    for (const wrong of ['01800000000', '1800000000.0', '+1800000000', ' 1800000000', '1.8e9', '0x6b49d200', '', '-1'])
      expect(expiry(secret, wrong), wrong).toBeUndefined()
  })

  it('has an expiry of one to twelve digits', () => {
    const of = (wsTime: number): number | undefined => expiry(pushSecret('key', cid, wsTime), String(wsTime))
    expect([of(1), of(999_999_999_999), of(1_000_000_000_000), of(0)]).toEqual([
      1,
      999_999_999_999,
      undefined,
      undefined,
    ])
  })

  it('is that of its channel and its expiry only', () => {
    expect(admittedExpiry('key', cid.replace('0', '1'), { wsSecret: secret, wsTime: '1800000000' })).toBeUndefined()
    expect(expiry(secret, '1800000001')).toBeUndefined()
  })
})

it('an address that has expired is good for 15 minutes after its last packet, and its life is counted in days', () => {
  expect([reconnectGrace, dayMs]).toEqual([900_000, 86_400_000])
  // Whole seconds, rounded down.
  expect([expiryFrom(1_999, 1), expiryFrom(2_000, 1), expiryFrom(0, 30)]).toEqual([86_401, 86_402, 2_592_000])
})
