import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

import { startRooms, type RoomRig } from './testing/rig.ts'

const day = 86_400_000
const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-room-clock-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it.each([
  ['a day ahead and back', [day, -day]],
  ['begins in the past and is set right', [-20 * 365 * day, 20 * 365 * day]],
  ['to and fro', [3_600_000, -2 * day, 7 * day, -3 * day, 500]],
])('shows the newest lines in the order said, whatever the clock does: %s', async (_, jumps) => {
  const clock = manualWallClock(1_800_000_000_000)
  const rig: { now: RoomRig } = { now: await startRooms({ clock, dataDir }) }
  const roomid = await rig.now.room()
  const said: string[] = []
  const say = async (): Promise<void> => {
    const mona = await rig.now.user('mona')
    await mona.request('roomEnter', { roomid })
    for (let count = 0; count < 4; count++) {
      const attach = `line ${said.length}`
      clock.advance(10)
      const { at } = await mona.request('roomSend', { roomid, type: 0, attach, clientId: attach })
      said.push(attach)
      times.push([clock.now(), at])
    }
    mona.close()
  }
  const times: [number, number][] = []
  try {
    await say()
    for (const jump of jumps) {
      // Once while running, once after a restart.
      clock.advance(jump)
      await say()
      await rig.now.stop()
      rig.now = await startRooms({ clock, dataDir })
      await say()

      const cara = await rig.now.user('cara')
      const entered = await cara.request('roomEnter', { roomid, lines: 3 })
      expect(entered.lines.map(({ attach }) => attach)).toEqual(said.slice(-3).toReversed())
      const read = entered.lines.map(({ attach }) => attach)
      for (let before = entered.lines.at(-1)!.msgid; ;) {
        const { lines, more } = await cara.request('roomHistory', { roomid, before: Number(before), limit: 3 })
        read.push(...lines.map(({ attach }) => attach))
        if (!more) break
        before = lines.at(-1)!.msgid
      }
      expect(read).toEqual(said.toReversed())
      cara.close()
    }
    let last = 0
    for (const [now, at] of times) {
      // Lines have the clock's time whenever it is past the last line.
      if (now > last) expect(at - now).toBeLessThan(10)
      expect(at).toBeGreaterThan(last)
      expect(at).toBeGreaterThanOrEqual(now)
      last = at
    }
  } finally {
    await rig.now.stop()
  }
})
