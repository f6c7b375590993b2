import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { local, operations } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { maxNonce } from '../../contract/signing.ts'
import { otherCredentials, startService, type TestService } from '../testing/start-service.ts'
import { signedClient } from '../testing/signed-client.ts'

// The codes common to all messaging operations, each from its general cause (behaviour.md#general-codes).
const served: (readonly [string, Operation])[] = operations
  .filter(({ document, pending }) => (document === 2 || document === 3) && !pending)
  .map((operation) => [operation.path, operation])
const clock = manualWallClock()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock, faults: true })
})
afterAll(() => service.close())

/** An invalid body for any operation. */
const wrong = ({ parameters }: Operation): string =>
  Object.values(parameters).some(({ required }) => required) ? '' : 'topn=0'
type Headers = readonly (readonly [string, string | undefined])[]
const signed = (changes: Record<string, string | undefined> = {}, skew = 0, nonce?: string): Headers =>
  Object.entries({ ...service.sign(skew, nonce), ...changes })

describe.each(served)('%s', (_path, operation) => {
  it.each<[string, () => Headers, string]>([
    ['no AppKey', () => signed({ AppKey: undefined }), 'bad http header'],
    ['no Nonce', () => signed({ Nonce: undefined }), 'bad http header'],
    ['no CurTime', () => signed({ CurTime: undefined }), 'bad http header'],
    ['no CheckSum', () => signed({ CheckSum: undefined }), 'bad http header'],
    ['an empty Nonce', () => signed({ Nonce: '' }), 'bad http header'],
    ['a Nonce that is too long', () => signed({}, 0, 'n'.repeat(maxNonce + 1)), 'bad http header'],
    ['a CurTime that is no number of seconds', () => signed({ CurTime: '1800000000.5' }), 'bad http header'],
    ['a CurTime of five minutes and a second ago', () => signed({}, -301), 'CurTime is expired'],
    ['a CurTime five minutes and a second ahead', () => signed({}, 301), 'CurTime is expired'],
    [
      'a CheckSum in upper case',
      () => signed({ CheckSum: service.sign(0, 'x').CheckSum!.toUpperCase(), Nonce: 'x' }),
      'checksum',
    ],
    ['a CheckSum of another Nonce', () => signed({ Nonce: 'another' }), 'checksum'],
    ['the secret of another application', () => signed({ AppKey: otherCredentials.appKey }), 'checksum'],
    ['an AppKey that nobody has', () => signed({ AppKey: 'nobody' }), 'appkey'],
  ])('answers 414 to %s', async (_what, headers, desc) => {
    expect(await service.send(operation, wrong(operation), headers())).toEqual({ code: 414, desc })
  })

  it('takes a CurTime of exactly five minutes, either way, and a Nonce of 128 characters', async () => {
    for (const headers of [signed({}, -300), signed({}, 300), signed({}, 0, 'n'.repeat(maxNonce))]) {
      const { code, desc } = await service.send(operation, wrong(operation), headers)
      expect(code).toBe(414)
      // The call has reached the check of parameters.
      expect(['bad http header', 'CurTime is expired', 'checksum', 'appkey']).not.toContain(desc)
    }
  })

  it('answers 403 while the application is frozen, and only then', async () => {
    await service.call(local.updateSettings, { frozen: true })
    expect(await service.send(operation, wrong(operation))).toEqual({ code: 403, desc: 'the application is frozen' })
    expect((await service.other.send(operation, wrong(operation))).code).toBe(414)
    await service.call(local.updateSettings, { frozen: false })
    expect((await service.send(operation, wrong(operation))).code).toBe(414)
  })

  it('answers 416 beyond the limit of the application', async () => {
    await service.call(local.updateSettings, { callsPerMinute: 1 })
    await service.send(operation, wrong(operation))
    expect(await service.send(operation, wrong(operation))).toEqual({ code: 416, desc: 'more than 1 calls in 60 s' })
    expect((await service.other.send(operation, wrong(operation))).code).toBe(414)
    await service.call(local.updateSettings, { callsPerMinute: 0 })
    expect((await service.send(operation, wrong(operation))).code).toBe(414)
  })

  it('answers 431 to a CheckSum used again while those are one-time, and takes it any number of times else', async () => {
    const headers = signed()
    for (let count = 0; count < 3; count++)
      expect((await service.send(operation, wrong(operation), headers)).code).toBe(414)
    await service.call(local.updateSettings, { oneTimeCheckSum: true })
    expect((await service.send(operation, wrong(operation), headers)).code).toBe(414)
    expect(await service.send(operation, wrong(operation), headers)).toEqual({
      code: 431,
      desc: 'this CheckSum was used before',
    })
    await service.call(local.updateSettings, { oneTimeCheckSum: false })
  })

  it('answers 500 when the service itself fails', async () => {
    await service.call(local.faults, { path: operation.path, code: 500, times: 1 })
    expect((await service.send(operation, wrong(operation))).code).toBe(500)
    expect((await service.send(operation, wrong(operation))).code).toBe(414)
  })
})

describe('the limit of an application', () => {
  it('counts all operations of messaging together, failing ones too, and leaves the extension operations alone', async () => {
    const two = await startService({ clock })
    const client = signedClient(two.service.ready.baseUrl, otherCredentials, clock)
    const [[, first], [, second]] = [served[0]!, served[1]!]
    await client.call(local.updateSettings, { callsPerMinute: 3 })
    for (const operation of [first, second, first])
      expect((await client.send(operation, wrong(operation))).code).toBe(414)
    expect((await client.send(second, wrong(second))).code).toBe(416)
    expect((await client.call(local.settings, {})).ret).toMatchObject({ callsPerMinute: 3, blockSeconds: 10 })
    await two.close()
  })
})
