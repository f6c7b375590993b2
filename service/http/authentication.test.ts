import { manualClock, manualWallClock } from '../../platform/testing/manual-clock.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'
import { createAuthentication, isFault, type AuthenticationFault } from './authentication.ts'
import { createOneTimeCheckSums } from './one-time-check-sums.ts'

const clock = manualWallClock()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service.close())

type Headers = Record<string, string>
const { path } = live.list
/** Sends exactly these headers. */
const codeOf = async (
  headers: Headers | readonly (readonly [string, string])[],
  body = '{}',
): Promise<{ code: number; msg: string }> => {
  const list = Array.isArray(headers)
    ? (headers as readonly (readonly [string, string])[])
    : Object.entries(headers as Headers)
  const { status, text } = await service.raw(path, { headers: [['content-type', 'application/json'], ...list], body })
  expect(status).toBe(200)
  return JSON.parse(text) as { code: number; msg: string }
}
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
const signed = (change: { nonce?: string; curTime?: string; key?: string; secret?: string } = {}): Headers => {
  const {
    nonce = 'n',
    curTime = String(clock.now() / 1000),
    key = testCredentials.appKey,
    secret = testCredentials.appSecret,
  } = change
  return { AppKey: key, Nonce: nonce, CurTime: curTime, CheckSum: sha1(secret + nonce + curTime) }
}
const without = (...names: string[]): Headers =>
  Object.fromEntries(Object.entries(signed()).filter(([name]) => !names.includes(name)))

describe('a request', () => {
  it('with a right signature is answered, whatever the case of its header names', async () => {
    expect((await codeOf(signed())).code).toBe(200)
    expect(
      (await codeOf(Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))))
        .code,
    ).toBe(200)
  })

  it('lacks CheckSum before AppKey before CurTime before Nonce', async () => {
    expect((await codeOf({})).code).toBe(613)
    expect((await codeOf(without('CheckSum', 'AppKey', 'CurTime', 'Nonce'))).code).toBe(613)
    expect((await codeOf(without('AppKey', 'CurTime', 'Nonce'))).code).toBe(614)
    expect((await codeOf(without('CurTime', 'Nonce'))).code).toBe(615)
    expect((await codeOf(without('Nonce'))).code).toBe(409)
    for (const [name, code] of [
      ['CheckSum', 613],
      ['AppKey', 614],
      ['CurTime', 615],
      ['Nonce', 409],
    ] as const) {
      expect((await codeOf({ ...signed(), [name]: '' })).code, name).toBe(code)
    }
  })

  it('may have a Nonce of 128 characters and not of 129', async () => {
    expect((await codeOf(signed({ nonce: 'n'.repeat(128) }))).code).toBe(200)
    expect((await codeOf(signed({ nonce: 'n'.repeat(129) }))).code).toBe(409)
  })

  it('may be 300 s off either way and not 301, and is told by how much', async () => {
    const now = clock.now() / 1000
    expect((await codeOf(signed({ curTime: String(now - 300) }))).code).toBe(200)
    expect((await codeOf(signed({ curTime: String(now + 300) }))).code).toBe(200)
    expect(await codeOf(signed({ curTime: String(now - 301) }))).toEqual({
      code: 409,
      msg: 'CurTime is off by 301 s (behind)',
    })
    expect(await codeOf(signed({ curTime: String(now + 301) }))).toEqual({
      code: 409,
      msg: 'CurTime is off by 301 s (ahead)',
    })
  })

  it.each([
    '01800000000',
    '180000000',
    '18000000000',
    '1800000000.0',
    '+1800000000',
    '0x6b49d200',
    '1.8e9',
    '1800000000,1800000000',
  ])('with CurTime %s is refused though its digest is right', async (curTime) => {
    expect((await codeOf(signed({ curTime }))).code).toBe(409)
  })

  it('cannot cut Nonce and CurTime differently under the same CheckSum', async () => {
    const now = String(clock.now() / 1000)
    const { CheckSum } = signed({ nonce: 'x1', curTime: now })
    expect((await codeOf({ ...signed(), Nonce: 'x', CurTime: `1${now}`, CheckSum: CheckSum! })).code).toBe(409)
  })

  it('with upper-case hexadecimal, another length or another secret is refused', async () => {
    const right = signed()
    for (const CheckSum of [
      right.CheckSum!.toUpperCase(),
      right.CheckSum!.slice(1),
      `${right.CheckSum!}0`,
      'x'.repeat(40),
      signed({ secret: 'wrong' }).CheckSum!,
    ])
      expect((await codeOf({ ...right, CheckSum })).code, CheckSum).toBe(409)
  })

  it('of an unknown application is refused in the same words as a wrong digest', async () => {
    const unknown = await codeOf(signed({ key: 'nobody' }))
    expect(unknown.code).toBe(409)
    expect(await codeOf(signed({ secret: 'wrong' }))).toEqual(unknown)
  })

  it('that repeats a header of the signature is refused, also with equal values', async () => {
    for (const name of ['AppKey', 'Nonce', 'CurTime', 'CheckSum']) {
      const headers = Object.entries(signed())
      expect((await codeOf([...headers, [name, signed()[name]!]])).code, name).toBe(409)
    }
    // Node joins repeated headers with a comma; signing the joined text must not help.
    const { CheckSum } = signed({ nonce: 'a, b' })
    const rest = Object.entries(signed()).filter(([name]) => name !== 'Nonce' && name !== 'CheckSum')
    expect((await codeOf([...rest, ['Nonce', 'a'], ['Nonce', 'b'], ['CheckSum', CheckSum!]])).code).toBe(409)
    expect((await codeOf([...rest, ['Nonce', 'a, b'], ['CheckSum', CheckSum!]])).code).toBe(200)
  })

  it('with a header that is not plain ASCII is refused', async () => {
    for (const nonce of ['caf\u00e9', '\u00a0', 'a\tb'])
      expect(
        (await codeOf({ ...signed(), Nonce: nonce, CheckSum: sha1(`test-secret${nonce}${clock.now() / 1000}`) })).code,
        nonce,
      ).toBe(409)
  })

  it('that is unsigned learns nothing of what is wrong with its body', async () => {
    expect((await codeOf({}, '{"pnum":-1}')).msg).toBe((await codeOf({}, 'no json')).msg)
  })

  it('never meets the secret in an answer', async () => {
    expect(JSON.stringify([await codeOf(signed()), await codeOf(signed({ secret: 'wrong' }))])).not.toContain(
      testCredentials.appSecret,
    )
  })
})

describe('one-time CheckSums', () => {
  it('are off until they are set, and then a header set serves once', async () => {
    const headers = Object.entries(service.sign(0, 'once'))
    expect((await service.send(live.list, {}, headers)).code).toBe(200)
    expect((await service.send(live.list, {}, headers)).code).toBe(200)
    await service.call(local.updateSettings, { oneTimeCheckSum: true })
    expect((await service.send(live.list, {}, headers)).code).toBe(200)
    expect(await service.send(live.list, {}, headers)).toEqual({ code: 409, msg: 'this CheckSum was used before' })
    expect((await service.send(live.create, { name: 'a' }, headers)).code).toBe(409)
    // The same Nonce at another second gives another CheckSum.
    expect((await service.send(live.list, {}, Object.entries(service.sign(1, 'once')))).code).toBe(200)
    await service.call(local.updateSettings, { oneTimeCheckSum: false })
    expect((await service.send(live.list, {}, headers)).code).toBe(200)
  })

  it('are refused where they may have been used before any were remembered', async () => {
    const before = Object.entries(service.sign(-5, 'before'))
    expect((await service.send(live.list, {}, before)).code).toBe(200)
    await service.call(local.updateSettings, { oneTimeCheckSum: true })
    expect(await service.send(live.list, {}, before)).toMatchObject({ code: 409 })
    expect((await service.send(live.list, {}, Object.entries(service.sign(0, 'after')))).code).toBe(200)
    await service.call(local.updateSettings, { oneTimeCheckSum: false })

    let now = 0
    const taken = createOneTimeCheckSums({ monotonic: () => now }, 10_900)
    expect([taken.take('a', 9), taken.take('b', 10)]).toEqual(['early', 'fresh'])
    // If the wall clock was set back, not all calls may be refused.
    now = 600_001
    expect(taken.take('a', 9)).toBe('fresh')
  })

  it('are remembered for both sides of the window, and no longer', () => {
    let now = 0
    const taken = createOneTimeCheckSums({ monotonic: () => now }, 0)
    expect(taken.take('a', 0)).toBe('fresh')
    now = 600_000
    expect(taken.take('a', 0)).toBe('used')
    now = 600_001
    expect(taken.take('a', 0)).toBe('fresh')
  })

  it('beyond what can be remembered are refused rather than forgotten', () => {
    let now = 0
    const taken = createOneTimeCheckSums({ monotonic: () => now }, 0, 2)
    expect([taken.take('a', 0), taken.take('b', 0), taken.take('c', 0), taken.take('a', 0)]).toEqual([
      'fresh',
      'fresh',
      'full',
      'used',
    ])
    now = 600_001
    expect(taken.take('c', 0)).toBe('fresh')
  })
})

describe('why a request is not authenticated', () => {
  const time = manualClock()
  const seconds = time.now() / 1000
  const signer = { uid: 1, appKey: 'key', appSecret: 'secret', settings: { oneTimeCheckSum: false } }
  const check = (change: Headers) => {
    const { nonce = 'n', curtime = String(seconds), ...rest } = change
    const headers = { appkey: 'key', nonce, curtime, checksum: sha1(`secret${nonce}${curtime}`), ...rest }
    const { check: checked } = createAuthentication({
      byKey: (key) => (key === 'key' ? signer : undefined),
      clock: time,
      random: (bytes) => Buffer.alloc(bytes, 1),
    })
    return checked({ headers, rawHeaders: [] })
  }

  it.each<[string, Headers, AuthenticationFault]>([
    [
      'no CheckSum',
      { checksum: '' },
      { kind: 'noCheckSum', reason: 'CheckSum is empty', about: 'signature', desc: 'bad http header' },
    ],
    [
      'no AppKey',
      { appkey: '' },
      { kind: 'noAppKey', reason: 'AppKey is empty', about: 'signature', desc: 'bad http header' },
    ],
    [
      'no CurTime',
      { curtime: '' },
      { kind: 'noCurTime', reason: 'CurTime is empty', about: 'signature', desc: 'bad http header' },
    ],
    [
      'no Nonce',
      { nonce: '' },
      { kind: 'failed', reason: 'Nonce is empty', about: 'signature', desc: 'bad http header' },
    ],
    [
      'a long Nonce',
      { nonce: 'n'.repeat(129) },
      { kind: 'failed', reason: 'Nonce has more than 128 characters', about: 'signature', desc: 'bad http header' },
    ],
    [
      'a Nonce that is not ASCII',
      { nonce: 'é' },
      { kind: 'failed', reason: 'Nonce is repeated or not plain ASCII', about: 'signature', desc: 'bad http header' },
    ],
    [
      'a CurTime of nine digits',
      { curtime: '180000000' },
      { kind: 'failed', reason: 'CurTime is not ten decimal digits', about: 'signature', desc: 'bad http header' },
    ],
    [
      'a late CurTime',
      { curtime: String(seconds - 301) },
      { kind: 'failed', reason: 'CurTime is off by 301 s (behind)', about: 'clock', desc: 'CurTime is expired' },
    ],
    [
      'a CheckSum that is none',
      { checksum: 'X'.repeat(40) },
      { kind: 'failed', reason: 'CheckSum is not a lowercase SHA1', about: 'signature', desc: 'checksum' },
    ],
    [
      'a wrong CheckSum',
      { checksum: '0'.repeat(40) },
      {
        kind: 'failed',
        reason: 'the AppKey is not known or the CheckSum is not right',
        about: 'signature',
        desc: 'checksum',
      },
    ],
    [
      'an unknown AppKey',
      { appkey: 'other' },
      {
        kind: 'failed',
        reason: 'the AppKey is not known or the CheckSum is not right',
        about: 'signature',
        desc: 'appkey',
      },
    ],
  ])('is said for logs, programs and clients of messaging: %s', (_what, change, fault) => {
    expect(check(change)).toEqual(fault)
    expect(check({})).toBe(signer)
  })

  it('is, with one-time CheckSums, that one was used, or may have been used before they were remembered', () => {
    const once = { ...signer, settings: { oneTimeCheckSum: true } }
    const clockNow = manualClock()
    const { check: checked } = createAuthentication({
      byKey: () => once,
      clock: clockNow,
      random: (bytes) => Buffer.alloc(bytes, 1),
    })
    const asked = (curtime: string) =>
      checked({
        headers: { appkey: 'key', nonce: 'n', curtime, checksum: sha1(`secretn${curtime}`) },
        rawHeaders: [],
      })
    const now = clockNow.now() / 1000
    expect(asked(String(now))).toBe(once)
    expect(asked(String(now))).toEqual({
      kind: 'repeated',
      reason: 'this CheckSum was used before',
      about: 'signature',
      desc: 'this CheckSum was used before',
    })
    expect(asked(String(now - 1))).toEqual({
      kind: 'repeated',
      reason: 'CurTime is before CheckSums were remembered; sign again with the present time',
      about: 'signature',
      desc: 'this CheckSum may have been used before',
    })
  })

  it('is nothing where CheckSums serve again, and forgotten are those from before they were switched on again', () => {
    const settings = { oneTimeCheckSum: true }
    const clockNow = manualClock()
    const { check: checked } = createAuthentication({
      byKey: () => ({ ...signer, settings }),
      clock: clockNow,
      random: (bytes) => Buffer.alloc(bytes, 1),
    })
    const curtime = String(clockNow.now() / 1000)
    const asked = (nonce: string, at = curtime) =>
      isFault(
        checked({
          headers: { appkey: 'key', nonce, curtime: at, checksum: sha1(`secret${nonce}${at}`) },
          rawHeaders: [],
        }),
      )
    expect([asked('a'), asked('a')]).toEqual([false, true])
    settings.oneTimeCheckSum = false
    expect([asked('a'), asked('a')]).toEqual([false, false])
    clockNow.advance(10_000)
    expect(asked('b')).toBe(false)
    settings.oneTimeCheckSum = true
    // The last call without memory was 10 s after this CurTime.
    expect(asked('c')).toBe(true)
    expect(asked('c', String(clockNow.now() / 1000))).toBe(false)
  })
})
