import { beforeEach, expect, it } from 'vitest'
import type { Measure } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { useRoomTrouble } from './room-trouble.ts'

let refused: string | null = null
const refuse = (what: string): void => {
  if (refused === what) throw refusal(417)
}
const stage = () => {
  const on = roomStage(
    {
      'chatrooms.membersByPage': () => {
        refuse('people')
        return { desc: { data: [] } }
      },
      list: () => ({
        rooms: [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }],
        next: null,
        complete: true,
      }),
      'queue.list': () => ({ desc: { list: [] } }),
      'local.muted': () => ({ ret: { list: [], more: false } }),
      'local.blacklisted': () => ({ ret: { list: [], more: false } }),
      act: ({ measure }: { measure: Measure }) => {
        refuse('measure')
        return { action: roomAction(measure), taken: null }
      },
    },
    1_000,
  )
  return { ...on, trouble: useRoomTrouble() }
}
let on: ReturnType<typeof stage>
beforeEach(() => {
  refused = null
  on = stage()
})

it('a refusal goes once the same is done, also where nobody asked for it, and stays while something else is', async () => {
  refused = 'people'
  await on.room.readPeople()
  expect(on.trouble.shown?.code).toBe(417)
  refused = null
  await on.room.readRooms()
  expect(on.trouble.shown?.code).toBe(417)
  await on.room.readPeople()
  expect(on.trouble.shown).toBeNull()
})

it('a refusal that was closed stays away, and the next one is told', async () => {
  refused = 'people'
  await on.room.readPeople()
  on.trouble.close()
  expect(on.trouble.shown).toBeNull()
  await on.room.readPeople()
  expect(on.trouble.shown?.code).toBe(417)
})

it('measures that were refused are put away before what could not be read', async () => {
  refused = 'people'
  await on.room.readPeople()
  refused = 'measure'
  await on.room.act({ kind: 'mute', target: 'lee', on: true })
  expect(on.trouble.closeNext()).toBe(true)
  expect([on.room.refusals, on.trouble.shown?.code]).toEqual([[], 417])
  expect([on.trouble.closeNext(), on.trouble.shown, on.trouble.closeNext()]).toEqual([true, null, false])
})
