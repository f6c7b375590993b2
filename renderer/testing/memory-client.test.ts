import { isContractProcedure } from '@orpc/contract'
import { describe, expect, it } from 'vitest'
import { rpc } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import { failureOf } from '../data/failure.ts'
import { requireChromium } from './browser-setup.ts'
import { createMemoryClient, failed, type Answers } from './memory-client.ts'

const cid = '1'.repeat(32)
const at = { profileId: 'local', cid }
const card = { server: 'rtmp://host/live', keyStart: '1111', keyEnd: '4812', expires: null }

describe('a client in memory', () => {
  it('has every procedure of the contract, and no other', () => {
    const paths = (router: object, prefix = ''): string[] =>
      Object.entries(router).flatMap(([name, member]: [string, unknown]) =>
        isContractProcedure(member) || typeof member === 'function'
          ? [`${prefix}${name}`]
          : paths(member as object, `${prefix}${name}.`),
      )
    expect(paths(createMemoryClient().rpc)).toEqual(paths(rpc))
  })

  it('answers as the test says, and keeps what was asked', async () => {
    const client = createMemoryClient({ 'push.card': ({ cid: asked }) => ({ ...card, keyStart: asked.slice(0, 4) }) })
    expect(await client.rpc.push.card(at)).toEqual(card)
    expect([client.inputs('push.card'), client.calls]).toEqual([[at], [{ path: 'push.card', input: at }]])
    client.answer({ 'push.card': () => ({ ...card, keyEnd: '0000' }) })
    expect((await client.rpc.push.card(at)).keyEnd).toBe('0000')
    expect(client.faults).toEqual([])
  })

  it('rejects a procedure that the test does not answer, by its name', async () => {
    await expect(createMemoryClient().rpc.push.card(at)).rejects.toThrow('push.card is not answered by this test')
  })

  it('refuses an input that the contract does not take, as the companion does', async () => {
    const client = createMemoryClient({ 'push.card': () => card })
    const refused = await client.rpc.push.card({ ...at, cid: 'short' }).catch(failureOf)
    expect([refused, client.calls, client.faults.length]).toMatchObject([{ kind: 'input' }, [], 1])
  })

  it.each([
    ['a procedure', { 'push.card': () => ({ ...card, keyEnd: undefined }) }, 'keyEnd'],
    ['an operation', { 'operations.local.held': () => ({ ret: { list: [] } }) }, 'ret.more'],
    ['the history of a room', { 'rooms.history': () => ({ ret: { more: false } }) }, 'ret.list'],
  ])('takes no answer to %s in which a member is missing or has another name', async (_case, answers, member) => {
    const client = createMemoryClient(answers as unknown as Answers)
    const call = { roomid: 7, limit: 1 }
    await Promise.allSettled([
      client.rpc.push.card(at),
      client.rpc.operations.local.held({ profileId: 'local', call }),
      client.rpc.rooms.history({ profileId: 'local', call }),
    ])
    expect(client.faults.map(({ message }) => message)).toEqual([expect.stringContaining(member)])
  })

  it('fails as the companion does where a test says so', async () => {
    const client = createMemoryClient({
      'push.card': () => {
        throw failed({ kind: 'late', code: 500 })
      },
    })
    expect(await client.rpc.push.card(at).catch(failureOf)).toMatchObject({ kind: 'late', code: 500 })
  })

  it('sends events of the contract to whoever follows, and no others', async () => {
    const client = createMemoryClient()
    const events = await client.rpc.app.events()
    const first = events.next()
    client.push({ type: 'channels', profileId: 'local' })
    expect((await first).value).toEqual({ type: 'channels', profileId: 'local' })
    expect(() => client.push({ type: 'tallies', profileId: 'local' } as AppEvent)).toThrow('tallies')
  })
})

it('says what to install where Chromium is missing', () => {
  expect(() => requireChromium('/nowhere/chromium')).toThrow('apt-get install chromium-headless-shell')
})
