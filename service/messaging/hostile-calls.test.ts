import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Arguments } from '../../contract/operation.ts'
import { accounts, friends, history, local, messages, relations, teams } from '../../contract/operations/index.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'

const clock = manualWallClock()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service.close())

const text = (msg: string): string => JSON.stringify({ msg })
type Headers = readonly (readonly [string, string | undefined])[]

describe('a signature of a messaging call', () => {
  const seconds = (): string => String(clock.now() / 1000)
  const over = (nonce: string, curTime: string): string =>
    hash('sha1', testCredentials.appSecret + nonce + curTime, 'hex')
  const ask = (headers: Headers) => service.send(accounts.getUinfos, { accids: ['ann'] }, headers)

  it.each([
    '01800000000',
    '180000000',
    '18000000000',
    '1800000000.0',
    '+1800000000',
    '0x6b49d200',
    '1.8e9',
    '1800000000000',
  ])('with CurTime %s is refused though its digest is right', async (curTime) => {
    expect(
      (
        await ask([
          ...Object.entries(service.sign()),
          ['CurTime', curTime],
          ['Nonce', 'n'],
          ['CheckSum', over('n', curTime)],
        ])
      ).code,
    ).toBe(414)
  })

  it('cannot cut Nonce and CurTime differently under the same CheckSum', async () => {
    const CheckSum = over('x1', seconds())
    const cut = (nonce: string, curTime: string): Headers =>
      Object.entries({ ...service.sign(), Nonce: nonce, CurTime: curTime, CheckSum })
    expect((await ask(cut('x1', seconds()))).code).toBe(200)
    expect((await ask(cut('x', `1${seconds()}`))).code).toBe(414)
    await service.call(local.updateSettings, { oneTimeCheckSum: true })
    expect((await ask(cut('x1', seconds()))).code).toBe(200)
    expect((await ask(cut('x', `1${seconds()}`))).code).toBe(414)
    expect((await ask(cut('x1', seconds()))).code).toBe(431)
    await service.call(local.updateSettings, { oneTimeCheckSum: false })
  })

  it('with a header given twice is refused, also with equal values', async () => {
    for (const name of ['AppKey', 'Nonce', 'CurTime', 'CheckSum']) {
      const signed = service.sign()
      expect(await ask([...Object.entries(signed), [name, signed[name]]]), name).toMatchObject({ code: 414 })
    }
  })

  it('follows the clock of the service when that jumps, either way', async () => {
    const before = Object.entries(service.sign())
    clock.advance(36_000_000)
    expect(await ask(before)).toEqual({ code: 414, desc: 'CurTime is expired' })
    expect((await ask(Object.entries(service.sign()))).code).toBe(200)
    clock.advance(-36_000_000)
    expect((await ask(before)).code).toBe(200)
  })
})

describe('names of the language itself', () => {
  // All are valid accids by the specification.
  const names = ['__proto__', 'constructor', 'tostring', 'hasownproperty', 'valueof']

  it('are accounts like others, in every place that has an accid', async () => {
    for (const accid of names)
      expect(await service.call(accounts.getUinfos, { accids: [accid] }), accid).toMatchObject({ uinfos: [] })
    for (const accid of names)
      expect((await service.call(accounts.create, { accid, name: accid })).code, accid).toBe(200)
    expect((await service.call(accounts.create, { accid: '__PROTO__' })).code).toBe(414)
    await service.call(accounts.create, { accid: 'plain' })
    for (const accid of names) {
      expect((await service.call(friends.add, { accid: 'plain', faccid: accid, type: 1 })).code).toBe(200)
      expect(
        (await service.call(relations.set, { accid: 'plain', targetAcc: accid, relationType: 1, value: 1 })).code,
      ).toBe(200)
      expect(
        (await service.call(messages.send, { from: accid, ope: 0, to: 'plain', type: 0, body: text(accid) })).code,
      ).toBe(200)
    }
    expect((await service.call(relations.list, { accid: 'plain' })).blacklist).toEqual(names)
    const { tid } = await service.call(teams.create, { tname: '__proto__', owner: 'plain', members: names, magree: 0 })
    expect((await service.call(teams.query, { tids: [tid!], ope: 1 })).tinfos?.[0]?.members).toEqual(names)
    for (const accid of names)
      expect(
        (await service.call(history.session, { from: accid, to: 'plain', limit: 10 })).msgs?.map(({ body }) =>
          JSON.stringify(body),
        ),
      ).toEqual([expect.stringContaining(accid)])
  })

  it('are no parameters, options or members of a body', async () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
      expect(
        (await service.send(accounts.getUinfos, `accids=${encodeURIComponent('["plain"]')}&${name}=x&${name}[a]=y`))
          .code,
        name,
      ).toBe(200)
    for (const option of ['{"__proto__":{"history":false}}', '{"constructor":{"prototype":{"route":false}}}'])
      expect(
        (
          await service.call(messages.send, {
            from: 'plain',
            ope: 0,
            to: 'constructor',
            type: 0,
            body: text('kept'),
            option,
          })
        ).code,
      ).toBe(200)
    expect((await service.call(history.session, { from: 'plain', to: 'constructor', limit: 10 })).size).toBe(2)
    expect(
      (
        await service.call(messages.send, {
          from: 'plain',
          ope: 0,
          to: 'constructor',
          type: 0,
          body: '{"__proto__":{"msg":"x"}}',
        })
      ).code,
    ).toBe(414)
    expect(({} as Record<string, unknown>)['history']).toBeUndefined()
  })
})

describe('numbers', () => {
  it.each([
    '1e0',
    '1.0',
    '0x0',
    '+0',
    '-0.5',
    ' 1',
    '1 ',
    '٠',
    '1'.repeat(400),
    '9007199254740993',
    'NaN',
    'Infinity',
    '[0]',
    '{}',
    'null',
  ])('written %j are refused where an enumeration is asked for', async (ope) => {
    const body = new URLSearchParams({ from: 'plain', ope, to: 'constructor', type: '0', body: text('x') }).toString()
    expect((await service.send(messages.send, body)).code).toBe(414)
  })
})

describe('a list in a string', () => {
  it.each([
    ['300,000 numbers', `[${'1,'.repeat(300_000)}1]`],
    ['200,000 texts', `[${'"a",'.repeat(200_000)}"a"]`],
    ['arrays in arrays', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ])('of %s is refused, and the next call is answered', async (_what, list) => {
    for (const [operation, body] of [
      [accounts.getUinfos, 'accids='],
      [messages.sendBatch, `fromAccid=plain&type=0&body=${encodeURIComponent(text('x'))}&toAccids=`],
      [teams.query, 'ope=0&tids='],
    ] as const)
      expect((await service.send(operation, body + list)).code).toBe(414)
    expect((await service.call(accounts.getUinfos, { accids: ['plain'] })).code).toBe(200)
  })
})

describe('counters of rates', () => {
  it('are in memory and begin anew with the service (docs/decisions)', async () => {
    const batch: Arguments<typeof messages.sendBatch> = {
      fromAccid: 'plain',
      toAccids: ['constructor'],
      type: 0,
      body: text('x'),
    }
    for (let call = 0; call < 120; call++) await service.call(messages.sendBatch, batch)
    expect((await service.call(messages.sendBatch, batch)).code).toBe(416)
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect((await service.call(messages.sendBatch, batch)).code).toBe(200)
  })
})
