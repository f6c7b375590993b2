import { expect, it } from 'vitest'
import { Refused } from '../refusal.ts'
import type { Line, RoomLines } from './room-lines.ts'
import { createRoomMessages } from './room-messages.ts'
import type { RoomContext } from './room-context.ts'
import type { Room } from './room.ts'

/** Messages of a room with lines in memory; `during` runs while one is being stored. */
function made(during: () => void) {
  const stored: Line[] = []
  const told: string[] = []
  let refused = false
  const room = {
    row: { roomid: 7, uid: 1 },
    inside: new Map(),
    listeners: { size: 1, tell: (frame: Buffer) => void told.push(frame.toString()) },
  } as unknown as Room
  const lines: Pick<RoomLines, 'next' | 'write' | 'withdraw'> = {
    next: () => stored.length + 1,
    write: async (_uid, { line }) => {
      if (line) stored.push(line)
      await Promise.resolve()
      during()
      return undefined
    },
    withdraw: ({ line }) => {
      stored.splice(
        stored.findIndex((each) => each.line === line),
        1,
      )
      return Promise.resolve()
    },
  }
  const context = {
    must: () => room,
    mustExist: () => undefined,
    options: {
      registry: { stamp: () => 1000 },
      accounts: { find: () => ({ name: 'Mona', icon: '' }) },
      clock: () => 1000,
    },
  } as unknown as RoomContext
  const messages = createRoomMessages({
    context,
    lines: lines as RoomLines,
    words: { read: () => ({ hold: false }) },
    gate: {
      speak: () => false,
      requireCanSpeak: () => {
        if (refused) throw new Refused(403, 'muted')
      },
    },
    deliveries: { deliver: () => undefined },
    isGuest: () => false,
  })
  const say = () =>
    messages.say(1, { roomid: 7, from: 'mona', clientType: 'WEB', clientId: 'c1', type: 0, attach: 'hello' })
  return { say, stored, told, mute: () => (refused = true) }
}

it('a line whose sender is muted while it is being stored is told to nobody and leaves nothing behind: it may be said again later', async () => {
  const muted = made(() => muted.mute())
  await expect(muted.say()).rejects.toMatchObject({ code: 403 })
  expect([muted.stored, muted.told]).toEqual([[], []])
})

it('a line whose sender may still speak once it is stored is told', async () => {
  const heard = made(() => undefined)
  expect(await heard.say()).toMatchObject({ sender: 'mona', attach: 'hello', state: 'shown' })
  expect([heard.stored.length, heard.told.length]).toEqual([1, 1])
})
