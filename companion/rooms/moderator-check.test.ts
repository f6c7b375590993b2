import { describe, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { createModeratorCheck, createReadCheck } from './moderator-check.ts'
import { answeringClient } from './testing/answering-client.ts'

/** A check that counts how often it asks, and refuses when it is told to. */
function stage() {
  let now = 1_000
  let asked = 0
  let moderates = true
  const service = {} as Client
  const check = createReadCheck(
    () => {
      asked += 1
      return moderates ? Promise.resolve() : Promise.reject(new Failure('code', 'no moderator', { code: 403 }))
    },
    () => now,
  )
  return {
    read: (isExtended: boolean, accid = 'mei') => check(service, isExtended, { profileId: 'p', roomid: 7, accid }),
    pass: (ms: number): void => void (now += ms),
    demote: (): void => void (moderates = false),
    asked: () => asked,
  }
}

it('asks the service of this computer before each read', async () => {
  const { read, demote, asked } = stage()
  for (let times = 0; times < 3; times++) await read(true)
  expect(asked()).toBe(3)
  demote()
  await expect(read(true)).rejects.toThrow('no moderator')
})

it('asks a hosted service once in half a minute for each moderator, and keeps no refusal', async () => {
  const { read, pass, demote, asked } = stage()
  for (let times = 0; times < 15; times++) {
    await read(false)
    pass(2_000)
  }
  expect(asked()).toBe(1)
  await read(false)
  await read(false, 'rob')
  expect(asked()).toBe(3)
  demote()
  await read(false)
  pass(30_000)
  for (let times = 0; times < 2; times++) await expect(read(false)).rejects.toThrow('no moderator')
  expect(asked()).toBe(5)
})

it('remembers 1,000 moderators of hosted rooms, and asks again for the one who was read for longest ago', async () => {
  const { read, asked } = stage()
  for (let account = 0; account < 1_000; account++) await read(false, `mod ${account}`)
  await read(false, 'mod 0')
  await read(false, 'one more')
  expect(asked()).toBe(1_001)
  await read(false, 'mod 0')
  expect(asked()).toBe(1_001)
  await read(false, 'mod 1')
  expect(asked()).toBe(1_002)
})

describe('the check itself', () => {
  interface Member {
    readonly accid: string
    readonly type: number
    readonly updateTime?: number
  }
  const asked = { profileId: 'p', roomid: 7, accid: 'mei' }
  /** A room whose members are answered latest first, in pages as a hosted service does. */
  function room(initial: readonly Member[], pages?: number) {
    let members = initial
    const { client, calls } = answeringClient((operation, args) => {
      if (operation === local.roomPeople) return { ret: { list: members.filter(({ accid }) => accid === 'mei') } }
      const { endtime = Infinity, limit } = args as { endtime?: number; limit: number }
      return { desc: { data: members.filter(({ updateTime = 0 }) => updateTime < endtime).slice(0, limit) } }
    })
    const check = createModeratorCheck(pages)
    return {
      calls,
      change: (next: readonly Member[]): void => void (members = next),
      check: async (isExtended = false, of: Partial<typeof asked> = {}): Promise<string> => {
        try {
          await check(client, isExtended, { ...asked, ...of })
          return 'moderates'
        } catch (error) {
          const { kind, code } = error instanceof Failure ? error.data : expect.fail(String(error))
          return code === 403 ? 'no moderator' : kind
        }
      },
    }
  }
  const mei = (type: number, updateTime?: number): Member => ({
    accid: 'mei',
    type,
    ...(updateTime !== undefined && { updateTime }),
  })
  /** So many others, of whom the last change of the first is at `from`. */
  const others = (count: number, from: number): Member[] =>
    Array.from({ length: count }, (_, at) => ({ accid: `o${at}`, type: 0, updateTime: from - at }))

  it('asks the service of this computer for the one account: only an admin moderates', async () => {
    const { check, calls, change } = room([mei(2)])
    expect(await check(true)).toBe('moderates')
    expect(calls).toEqual([[local.roomPeople, { roomid: 7, accids: ['mei'] }]])
    for (const type of [-1, 0, 1, 3]) {
      change([mei(type)])
      expect(await check(true)).toBe('no moderator')
    }
    change([])
    expect(await check(true)).toBe('no moderator')
  })

  it('reads members of a hosted room in pages of 100, until the account is among them', async () => {
    const { check, calls } = room([...others(250, 1_000), mei(2, 500)])
    expect(await check()).toBe('moderates')
    expect(calls.map(([, args]) => args)).toEqual([
      { roomid: 7, type: 0, limit: 100 },
      { roomid: 7, type: 0, limit: 100, endtime: 901 },
      { roomid: 7, type: 0, limit: 100, endtime: 801 },
    ])
  })

  it('then asks for the place where it was, and searches again where it is no more', async () => {
    const { check, calls, change } = room([...others(250, 1_000), mei(2, 500)])
    await check()
    calls.splice(0)
    expect(await check()).toBe('moderates')
    expect(calls.map(([, args]) => args)).toEqual([{ roomid: 7, type: 0, limit: 100, endtime: 501 }])
    change([...others(250, 1_000), mei(0, 500)])
    expect(await check()).toBe('no moderator')
    change([mei(2, 2_000), ...others(250, 1_000)])
    expect(await check()).toBe('moderates')
  })

  it('keeps what it knows of each account, room and profile by itself', async () => {
    const { check, calls } = room([...others(250, 1_000), mei(2, 500)])
    await check()
    for (const of of [{ profileId: 'q' }, { roomid: 8 }, { accid: 'o249' }]) {
      calls.splice(0)
      await check(false, of)
      expect(calls, JSON.stringify(of)).toHaveLength(3)
    }
  })

  it('does not answer before the end of a room with more pages than one search reads', async () => {
    const { check, calls } = room([...others(350, 1_000), mei(2, 500)], 2)
    expect(await check()).toBe('untold')
    expect(calls).toHaveLength(2)
    calls.splice(0)
    // The first page is read again for those who came since.
    expect(await check()).toBe('untold')
    expect(calls.map(([, args]) => (args as { endtime?: number }).endtime)).toEqual([undefined, 801])
    expect(await check()).toBe('moderates')
  })

  it('knows who is none from one page when all were read before, and finds who became one since', async () => {
    const { check, calls, change } = room(others(350, 1_000))
    expect(await check()).toBe('no moderator')
    calls.splice(0)
    expect(await check()).toBe('no moderator')
    expect(calls).toHaveLength(1)
    change([...others(150, 2_000), mei(2, 1_500), ...others(350, 1_000)])
    expect(await check()).toBe('moderates')
  })

  it('cannot go on where the service gives no times', async () => {
    const untimed = others(150, 0).map(({ accid, type }) => ({ accid, type }))
    expect(await room(untimed).check()).toBe('untold')
    expect(await room([mei(2), ...untimed]).check()).toBe('moderates')
    expect(await room(untimed.slice(0, 50)).check()).toBe('no moderator')
  })
})
