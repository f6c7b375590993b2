import { describe, expect, it } from 'vitest'
import { admittedExpiry, channelAddresses, expiryFrom, pushSecret, stillFresh } from './push-address.ts'

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
