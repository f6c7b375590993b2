import { afterEach, describe, expect, it } from 'vitest'
import { live, local, operations } from '../../contract/operations/index.ts'
import { readCommandLine } from '../command-line.ts'
import { startService, type TestService } from '../testing/start-service.ts'

/** Codes that may be injected, and operations (behaviour.md#fault-injection). */
const internal = new Set([500, 501, 514, 602, 603, 604, 605])
const asked = operations
  .filter(({ pending }) => !pending)
  .flatMap((operation) =>
    operation.codes
      .filter((code) => internal.has(code) || code === 629 || code === 630)
      .map((code) => ({ operation, path: operation.path, code })),
  )

describe('fault injection', () => {
  let service: TestService
  afterEach(() => service.close())

  it.each(asked)('makes $path answer $code once', async ({ operation, path, code }) => {
    service = await startService({ faults: true })
    expect((await service.call(local.faults, { path, code })).code).toBe(200)
    expect((await service.send(operation, {})).code).toBe(code)
  })

  it('counts calls, of the application that asked for it only, and can be taken back', async () => {
    service = await startService({ faults: true })
    const codes = async (count: number): Promise<number[]> => {
      const seen: number[] = []
      for (let call = 0; call < count; call++) seen.push((await service.call(live.list, {})).code)
      return seen
    }
    await service.call(local.faults, { path: live.list.path, code: 602, times: 2 })
    expect((await service.other.call(live.list, {})).code).toBe(200)
    expect(await codes(3)).toEqual([602, 602, 200])
    await service.call(local.faults, { path: live.list.path, code: 602, times: 5 })
    await service.call(local.faults, { path: live.list.path, code: 602, times: 0 })
    expect(await codes(1)).toEqual([200])
    expect((await service.send(live.list, {}, [['CheckSum', '0'.repeat(40)]])).code).toBe(409)
  })

  it('is bounded to internal codes that the operation lists', async () => {
    service = await startService({ faults: true })
    const ask = async (body: object): Promise<number> => (await service.send(local.faults, body)).code
    for (const code of [200, 409, 607, 609, 611, 617, 618, 631, 413, 999, undefined])
      expect(await ask({ path: live.list.path, code }), String(code)).toBe(631)
    expect(await ask({ path: live.list.path, code: 604 })).toBe(631)
    expect(await ask({ path: live.list.path, code: 602, times: 1001 })).toBe(631)
    expect(await ask({ path: '/app/nothing', code: 501 })).toBe(618)
    expect(await ask({ path: operations.find(({ pending }) => pending)?.path ?? '/none', code: 501 })).toBe(618)
  })

  it('is not there without the start flag', async () => {
    service = await startService()
    for (const headers of [Object.entries(service.sign()), []]) {
      const { status, text } = await service.raw(local.faults.path, {
        headers,
        body: JSON.stringify({ path: live.list.path, code: 602 }),
      })
      const unknown = await service.raw('/local/service/nothing', { headers, body: '{}' })
      expect([status, text]).toEqual([unknown.status, unknown.text])
      expect(status).toBe(404)
    }
    expect((await service.call(live.list, {})).code).toBe(200)
  })
})

describe('the start flag --faults', () => {
  it('is off unless it is given', () => {
    expect(readCommandLine(['--data', 'x'])).not.toHaveProperty('faults')
    expect(readCommandLine(['--data', 'x', '--faults'])).toMatchObject({ faults: true })
    expect(() => readCommandLine(['--data', 'x', '--faults=yes'])).toThrow()
  })
})
